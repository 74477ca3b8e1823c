#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all plans that --plan=auto lists for the training of a model on two devices of one
core each, in turn: how much slower the one that it takes is than the fastest.

usage: regret.py BIN [WORKLOAD...]    default: char blocks resnet
"""
import json, os, re, statistics, subprocess, sys, tempfile

TOOL = os.path.join(sys.argv[1], "train_steps")
MICROBATCHES, ROUNDS, STEPS = 8, 3, 5
ROW = re.compile(r" *(\d+) +(\d+) +(\S+) +(\S+) +([\d.]+) ms .*(taken|slower|the fastest)$")


def compile_plan(workload, number, path):
    """The rows of plans that can be run, of which the file has that number."""
    out = subprocess.run([TOOL, "compile", workload, "2", str(MICROBATCHES), path, "0",
                          str(number)], check=True, capture_output=True, text=True).stdout
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
    out = subprocess.run([TOOL, "run", path, "cpu:0=0,cpu:1=1", str(STEPS)], check=True,
                         capture_output=True, text=True).stdout
    return statistics.median(json.loads(out)["steps"])


def measure(workload, folder):
    paths = [os.path.join(folder, f"{workload}.1.smp")]
    rows = compile_plan(workload, 1, paths[0])
    for number in range(2, len(rows) + 1):
        paths.append(os.path.join(folder, f"{workload}.{number}.smp"))
        compile_plan(workload, number, paths[-1])
    seconds = [[] for _ in rows]
    for _ in range(ROUNDS):
        for times, path in zip(seconds, paths):
            times.append(step_seconds(path))
    measured = [statistics.median(times) for times in seconds]
    print(f"{workload}: devices, parts, pipeline, active: predicted, measured step")
    for row, time in zip(rows, measured):
        print(f"  {row[0]} {row[1]} {row[2]:>12} {row[3]:>2}: {row[4]:>9} ms"
              f" {1e3 * time:9.3f} ms")
    print(f"  {len(rows)} plans; the one that is taken over the fastest:"
          f" {measured[0] / min(measured):.3f}", flush=True)


print(processor())
with tempfile.TemporaryDirectory() as folder:
    for workload in sys.argv[2:] or ["char", "blocks", "resnet"]:
        measure(workload, folder)
