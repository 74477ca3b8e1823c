#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all plans that --plan=auto lists for the training of a model on two devices of one
core each: how much slower the one that it takes is than the fastest. Each is measured in pairs of
steps with the one that is taken, both in one process, which is the first of every second pair, and
counts by the median ratio of the two; that lies with 95 % between the bounds that are printed.
Plans that are slower by these are left out from then on, so that the others have the more pairs.
Plans are made by costs that are measured first, of the program before it is divided, with both
devices busy.

usage: regret.py BIN [WORKLOAD...]    default: char blocks resnet
SMP_BENCH_SECONDS: for how long plans of a workload are measured, after six pairs of each; 600
"""
import json, math, os, re, statistics, subprocess, sys, tempfile, time

DEVICES = "cpu:0=0,cpu:1=1"
WORKLOADS = ["char", "blocks", "resnet"]
MICROBATCHES, PROFILED_STEPS = 8, 5
RACE_SECONDS = 6  # of a process with both, or six pairs
SECONDS = float(os.environ.get("SMP_BENCH_SECONDS", 600))
ROW = re.compile(r" *(\d+) +(\d+) +(\S+) +(\S+) +([\d.]+) ms .*(taken|slower|the fastest)$")


def measure_costs(tools, workload, folder):
    """A file of what kernels take; its shape is that of any number of devices."""
    whole, costs = (os.path.join(folder, f"{workload}.{name}") for name in ("smp", "json"))
    subprocess.run([f"{tools}/train_steps", "compile", workload, "1", str(MICROBATCHES), whole],
                   check=True)
    subprocess.run([f"{tools}/smp-run", whole, "--random", "1", "--microbatches",
                    str(MICROBATCHES), "--repeat", str(PROFILED_STEPS), "--devices", DEVICES,
                    "--profile", costs], check=True, stdout=subprocess.DEVNULL)
    return costs


def compile_plan(tools, workload, costs, number, path):
    """The rows of plans that can be run, of which the file has that number."""
    out = subprocess.run([f"{tools}/train_steps", "compile", workload, "2", str(MICROBATCHES),
                          path, "--plan", str(number), "--costs", costs], check=True,
                         capture_output=True, text=True).stdout
    rows = [row.groups() for row in map(ROW.match, out.splitlines()) if row]
    taken = [i + 1 for i, row in enumerate(rows) if row[-1] == "taken"]
    if taken != [number]:
        sys.exit(f"regret.py: {workload}: plan {number} was asked for, {taken} taken")
    return rows


def processor():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else "an unnamed processor"


def race(tools, path, taken):
    """The ratios of steps of both, in pairs, and the latter's seconds."""
    out = subprocess.run([f"{tools}/train_steps", "race", path, taken, DEVICES, str(RACE_SECONDS)],
                         check=True, capture_output=True, text=True).stdout
    answer = json.loads(out)
    return answer["ratios"], answer["seconds"]


def interval(ratios):
    """Between which the median lies with 95 %: the signs of differences from it are binomial."""
    ordered = sorted(ratios)
    places = max(0, int((len(ratios) - 1 - 1.96 * math.sqrt(len(ratios))) / 2))
    return ordered[places], ordered[len(ratios) - 1 - places]


def race_all(tools, paths):
    """The ratios of all plans but the first to the first, and the seconds of the first."""
    ratios, taken = [[] for _ in paths[1:]], []
    open_plans, start = set(range(len(ratios))), time.monotonic()
    while open_plans:
        for plan in sorted(open_plans):
            if ratios[plan] and time.monotonic() - start > SECONDS:
                return ratios, taken
            more, seconds = race(tools, paths[plan + 1], paths[0])
            ratios[plan] += more
            taken.append(seconds)
        open_plans = {plan for plan in open_plans if interval(ratios[plan])[0] <= 1}
    return ratios, taken


def measure(tools, workload, folder):
    """How much slower the plan that is taken is than the fastest, and how many there are."""
    paths = [os.path.join(folder, f"{workload}.1.smp")]
    costs = measure_costs(tools, workload, folder)
    rows = compile_plan(tools, workload, costs, 1, paths[0])
    for number in range(2, len(rows) + 1):
        paths.append(os.path.join(folder, f"{workload}.{number}.smp"))
        compile_plan(tools, workload, costs, number, paths[-1])
    ratios, taken = race_all(tools, paths)
    print(f"{workload}: devices, parts, pipeline, active: predicted, measured step over that of "
          "the one taken")
    for row, ratio in zip(rows, [[1.0]] + ratios):
        low, high = interval(ratio)
        print(f"  {row[0]} {row[1]} {row[2]:>12} {row[3]:>2}: {row[4]:>9} ms"
              f" {statistics.median(ratio):6.3f} ({low:.3f} to {high:.3f}), {len(ratio)} pairs")
    # Which is the fastest is told by the first half of the pairs, and how fast it is by the
    # other: the least of many medians is low by itself.
    fastest = min([[1.0, 1.0]] + ratios, key=lambda all: statistics.median(all[:len(all) // 2]))
    judged = fastest[len(fastest) // 2:]
    low, high = interval(judged)
    regret = max(1, 1 / statistics.median(judged))
    print(f"  {len(rows)} plans; the one that is taken, {1e3 * statistics.median(taken):.1f} ms, "
          f"over the fastest: {regret:.3f} ({max(1, 1 / high):.3f} to {max(1, 1 / low):.3f})",
          flush=True)
    return regret, len(rows)


def main(tools, workloads=WORKLOADS):
    print(processor())
    with tempfile.TemporaryDirectory() as folder:
        return {workload: measure(tools, workload, folder) for workload in workloads}


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] or WORKLOADS)
