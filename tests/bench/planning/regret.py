#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all plans that --plan=auto lists for the training of a model on two devices of one
core each: how much slower the one that it takes is than the fastest. Each is measured right
behind the one that is taken, several times, and counts by the median ratio of the two. Plans are
made by costs that are measured first, of the program before it is divided, with both devices busy.

usage: regret.py BIN [WORKLOAD...]    default: char blocks resnet
"""
import json, os, re, statistics, subprocess, sys, tempfile

TOOL, RUN = (os.path.join(sys.argv[1], name) for name in ("train_steps", "smp-run"))
DEVICES = "cpu:0=0,cpu:1=1"
MICROBATCHES, ROUNDS, STEPS = 8, 3, 5
ROW = re.compile(r" *(\d+) +(\d+) +(\S+) +(\S+) +([\d.]+) ms .*(taken|slower|the fastest)$")


def measure_costs(workload, folder):
    """A file of what kernels take; its shape is that of any number of devices."""
    whole, costs = (os.path.join(folder, f"{workload}.{name}") for name in ("smp", "json"))
    subprocess.run([TOOL, "compile", workload, "1", str(MICROBATCHES), whole], check=True)
    subprocess.run([RUN, whole, "--random", "1", "--microbatches", str(MICROBATCHES), "--repeat",
                    str(STEPS), "--devices", DEVICES, "--profile", costs], check=True,
                   stdout=subprocess.DEVNULL)
    return costs


def compile_plan(workload, costs, number, path):
    """The rows of plans that can be run, of which the file has that number."""
    out = subprocess.run([TOOL, "compile", workload, "2", str(MICROBATCHES), path, "--plan",
                          str(number), "--costs", costs], check=True, capture_output=True,
                         text=True).stdout
    rows = [row.groups() for row in map(ROW.match, out.splitlines()) if row]
    taken = [i + 1 for i, row in enumerate(rows) if row[-1] == "taken"]
    if taken != [number]:
        sys.exit(f"regret.py: {workload}: plan {number} was asked for, {taken} taken")
    return rows


def processor():
    with open("/proc/cpuinfo") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else "an unnamed processor"


def step_seconds(path):
    out = subprocess.run([TOOL, "run", path, DEVICES, str(STEPS)], check=True,
                         capture_output=True, text=True).stdout
    return statistics.median(json.loads(out)["steps"])


def measure(workload, folder):
    paths = [os.path.join(folder, f"{workload}.1.smp")]
    costs = measure_costs(workload, folder)
    rows = compile_plan(workload, costs, 1, paths[0])
    for number in range(2, len(rows) + 1):
        paths.append(os.path.join(folder, f"{workload}.{number}.smp"))
        compile_plan(workload, costs, number, paths[-1])
    ratios, taken = [[] for _ in rows], []
    for _ in range(ROUNDS):
        for ratio, path in zip(ratios, paths):
            taken.append(step_seconds(paths[0]))
            ratio.append(step_seconds(path) / taken[-1])
    print(f"{workload}: devices, parts, pipeline, active: predicted, measured step over that of "
          "the one taken")
    for row, ratio in zip(rows, ratios):
        print(f"  {row[0]} {row[1]} {row[2]:>12} {row[3]:>2}: {row[4]:>9} ms"
              f" {statistics.median(ratio):6.3f} ({min(ratio):.3f} to {max(ratio):.3f})")
    fastest = min(1.0, *map(statistics.median, ratios[1:]))
    print(f"  {len(rows)} plans; the one that is taken, {1e3 * statistics.median(taken):.1f} ms, "
          f"over the fastest: {1 / fastest:.3f}", flush=True)


print(processor())
with tempfile.TemporaryDirectory() as folder:
    for workload in sys.argv[2:] or ["char", "blocks", "resnet"]:
        measure(workload, folder)
