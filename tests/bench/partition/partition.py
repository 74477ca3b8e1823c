#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good placements are, how close their bounds, and how long both take: a table of
public instances, one of drawn graphs, and one of modules. Each is solved by smp-partition in a process of
its own, on two threads, and its answer checked by another.

usage: partition.py BIN [INSTANCES]

BIN: the folder of smp-partition and smp-opt. INSTANCES: a folder with `throughput/*.json`, as in the
data of "Efficient Algorithms for Device Placement of DNN Graph Operators" (NeurIPS 2020),
and `experts/*_expert.json`, placements by people. Without it drawn graphs alone."""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

# What the authors' programs find: the least bottleneck of any contiguous placement.
CONTIGUOUS = {
    "layer_bert24_inference": 17.7899,
    "layer_bert24_training": 41.7458,
    "layer_gnmt_inference": 32.9107,
    "layer_resnet50_inference": 33.7747,
    "operator_bert_l-3_inference": 27.9186,
    "operator_bert_l-3_training": 65.3031,
    "operator_bert_l-6_inference": 29.5795,
    "operator_resnet50_inference": 124.349,
}
NODES = 100_000
WIDTHS = [1, 8, 32, 100]
# As printed, their figures have six digits.
PRINTED = 1 + 1e-5


def measure(*command):
    """What it printed, and the seconds of processors and MiB that it took."""
    with subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE) as process:
        printed = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command}: exit {process.returncode}")
    return {**json.loads(printed), "processor": usage.ru_utime + usage.ru_stime,
            "memory": usage.ru_maxrss / 1024}


def solve(tool, *question):
    with tempfile.TemporaryDirectory() as folder:
        placement = pathlib.Path(folder) / "placement.json"
        answer = measure(tool, *question, "-o", placement)
        checked = measure(tool, *question, "--verify", placement)
    for name in ("objective", "bound"):
        if not math.isclose(checked[name], answer[name], rel_tol=1e-9):
            sys.exit(f"{question}: the {name} is {checked[name]}, not {answer[name]}")
    return answer


def cost_of(answer):
    return f"{answer['seconds']:.1f} | {answer['processor']:.1f} | {answer['memory']:.0f} |"


def expert_of(tool, instance):
    expert = instance.parent.parent / "experts" / (
        instance.stem.removeprefix("layer_") + "_expert.json")
    if not expert.exists():
        return None
    return measure(tool, instance, "--verify", expert)["objective"]


def shown(value):
    return "–" if value is None else f"{value:.4f}"


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def known(figures, name):
    return [each[name] for each in figures if each[name] is not None]


def solve_instances(tool, folder):
    """What it prints, as a dictionary for each instance."""
    instances = sorted((pathlib.Path(folder) / "throughput").glob("*.json"))
    if not instances:
        sys.exit(f"partition.py: '{folder}' has no throughput/*.json; name the folder of the instances")
    print("| instance | objective | one stage each | exact contiguous | expert "
          "| objective / contiguous | bound | bound / objective | seconds | of processors "
          "| MiB |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    figures = []
    for instance in instances:
        answer = solve(tool, instance)
        stages = solve(tool, instance, "--contiguous", "required")
        objective, bound = answer["objective"], answer["bound"]
        contiguous, expert = CONTIGUOUS.get(instance.stem), expert_of(tool, instance)
        figures.append({"proved": bound / objective, "seconds": answer["seconds"],
                        "to contiguous": contiguous and objective / contiguous,
                        "to expert": expert and objective / expert})
        missed = [other for other in (contiguous, expert) if other
                  and objective > other * PRINTED]
        print(f"| {instance.stem} | {objective:.4f}{' (above)' if missed else ''} "
              f"| {stages['objective']:.4f} | {shown(contiguous)} | {shown(expert)} "
              f"| {shown(figures[-1]['to contiguous'])} | {bound:.4f} "
              f"| {bound / objective:.4f} | {cost_of(answer)}", flush=True)
    print(f"| geometric mean | | | | | {shown(mean(known(figures, 'to contiguous')))} | "
          f"| {shown(mean(known(figures, 'proved')))} | | | |")
    return figures


def solve_drawn(tool):
    """What it prints, as a dictionary for each width."""
    figures = []
    print("| width | objective | bound | bound / objective | seconds | of processors | MiB |")
    print("|---|---|---|---|---|---|---|")
    for width in WIDTHS:
        answer = solve(tool, "--synth", f"{NODES},64,{width},1")
        print(f"| {width} | {answer['objective']:.2f} | {answer['bound']:.2f} "
              f"| {answer['bound'] / answer['objective']:.4f} | {cost_of(answer)}", flush=True)
        figures.append({"proved": answer["bound"] / answer["objective"],
                        "seconds": answer["seconds"], "memory": answer["memory"]})
    return figures


def drawn_module(width):
    """A module of 10^5 ops on 64 partitions, a quarter of them products."""
    draw = random.Random(1)
    kind = "tensor<32x32xf32>"
    axes = ("lhs_batch = array<i64>, rhs_batch = array<i64>, "
            "lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>")
    lines = ["module attributes {smp.partitions = 64 : i64} {",
             f'smp.entry @predict(%x: {kind} {{smp.name = "x"}}) -> '
             f'({kind} {{smp.name = "y"}}) {{']
    last = ["%x"] * width
    for layer in range(NODES // width):
        names = [f"%v{layer}_{place}" for place in range(width)]
        for place, name in enumerate(names):
            left, right = last[place], last[(place + draw.randrange(5) - 2) % width]
            if draw.randrange(4) == 0:
                lines.append(f"  {name} = smp.dot_general {left}, {right} {{{axes}}}"
                             f" : ({kind}, {kind}) -> {kind}")
            else:
                lines.append(f"  {name} = smp.add {left}, {right} : {kind}")
        last = names
    while len(last) > 1:
        lines.append(f"  %s{len(last)} = smp.add {last[0]}, {last[1]} : {kind}")
        last = [f"%s{len(last)}", *last[2:]]
    return "\n".join([*lines, f"  smp.return {last[0]} : {kind}", "}", "}", ""])


def processor_seconds(*command):
    with subprocess.Popen(list(map(str, command))) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"{command}: exit {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def place_modules(smp_opt):
    """The seconds that it prints, for each width."""
    passed = []
    print("| width | `smp-opt --smp-place`, seconds | of processors | without the pass |")
    print("|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        module = pathlib.Path(folder) / "module.mlir"
        for width in WIDTHS:
            module.write_text(drawn_module(width))
            begin = time.monotonic()
            placing = processor_seconds(smp_opt, module, "--smp-place", "-o", os.devnull)
            seconds = time.monotonic() - begin
            plain = processor_seconds(smp_opt, module, "-o", os.devnull)
            print(f"| {width} | {seconds:.1f} | {placing:.1f} | {plain:.1f} |", flush=True)
            passed.append(seconds)
    return passed


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    tool = f"{sys.argv[1]}/smp-partition"
    if len(sys.argv) > 2:
        print(f"load of the machine: {os.getloadavg()[0]:.1f}", flush=True)
        solve_instances(tool, sys.argv[2])
    print(f"load of the machine: {os.getloadavg()[0]:.1f}; 10^5 nodes, 64 accelerators",
          flush=True)
    solve_drawn(tool)
    place_modules(f"{sys.argv[1]}/smp-opt")


if __name__ == "__main__":
    main()
