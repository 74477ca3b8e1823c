#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures all plans that --plan=auto lists for the training of a model on two devices of one
core each: how much slower the one that it takes is than the fastest. Each is measured in pairs
with the one that is taken, which is the first of every second pair, and counts by the median ratio
of the two; that lies with 95 % between the bounds that are printed. Plans that are slower by these
are left out from then on, so that the others have the more pairs. Plans are made by costs that are
measured first, of the program before it is divided, with both devices busy.

usage: regret.py BIN [WORKLOAD...]    default: char blocks resnet
SMP_BENCH_SECONDS: for how long plans of a workload are measured, after six pairs of each; 600
"""
import json, math, os, re, statistics, subprocess, sys, tempfile, time

TOOL, RUN = (os.path.join(sys.argv[1], name) for name in ("train_steps", "smp-run"))
DEVICES = "cpu:0=0,cpu:1=1"
MICROBATCHES, STEPS, LEAST_PAIRS = 8, 5, 6
SECONDS = float(os.environ.get("SMP_BENCH_SECONDS", 600))
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


def interval(ratios):
    """Least and most of a median: the signs of differences from it are binomial."""
    ordered, middle = sorted(ratios), len(ratios) // 2
    off = min(middle, math.isqrt(len(ratios)))
    return ordered[middle - off], ordered[min(middle + off, len(ordered) - 1)]


def pair(path, taken, is_first):
    """The ratio of a plan to the one that is taken, and the latter's seconds."""
    mine = step_seconds(path) if is_first else 0
    theirs = step_seconds(taken)
    return (mine if is_first else step_seconds(path)) / theirs, theirs


def race(paths):
    """The ratios of all plans but the first to the first, and the seconds of the first."""
    ratios, taken = [[] for _ in paths[1:]], []
    open_plans, start = set(range(len(ratios))), time.monotonic()
    while open_plans:
        for plan in sorted(open_plans):
            pairs = ratios[plan]
            if len(pairs) >= LEAST_PAIRS and time.monotonic() - start > SECONDS:
                return ratios, taken
            ratio, seconds = pair(paths[plan + 1], paths[0], len(pairs) % 2 == 0)
            pairs.append(ratio)
            taken.append(seconds)
        open_plans = {plan for plan in open_plans
                      if len(ratios[plan]) < LEAST_PAIRS or interval(ratios[plan])[0] <= 1}
    return ratios, taken


def measure(workload, folder):
    paths = [os.path.join(folder, f"{workload}.1.smp")]
    costs = measure_costs(workload, folder)
    rows = compile_plan(workload, costs, 1, paths[0])
    for number in range(2, len(rows) + 1):
        paths.append(os.path.join(folder, f"{workload}.{number}.smp"))
        compile_plan(workload, costs, number, paths[-1])
    ratios, taken = race(paths)
    print(f"{workload}: devices, parts, pipeline, active: predicted, measured step over that of "
          "the one taken")
    for row, ratio in zip(rows, [[1.0]] + ratios):
        low, high = interval(ratio)
        print(f"  {row[0]} {row[1]} {row[2]:>12} {row[3]:>2}: {row[4]:>9} ms"
              f" {statistics.median(ratio):6.3f} ({low:.3f} to {high:.3f}), {len(ratio)} pairs")
    fastest = min(ratios, key=statistics.median, default=[1.0])
    low, high = interval(fastest)
    print(f"  {len(rows)} plans; the one that is taken, {1e3 * statistics.median(taken):.1f} ms, "
          f"over the fastest: {max(1, 1 / statistics.median(fastest)):.3f} "
          f"({max(1, 1 / high):.3f} to {max(1, 1 / low):.3f})", flush=True)


print(processor())
with tempfile.TemporaryDirectory() as folder:
    for workload in sys.argv[2:] or ["char", "blocks", "resnet"]:
        measure(workload, folder)
