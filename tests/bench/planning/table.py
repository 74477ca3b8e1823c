#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What placements and plans must reach, beside what they reach here: one table, after what the
measurements that it is of print. The machine should do nothing else meanwhile.

usage: table.py BUILD [INSTANCES]    as partition.py has it; without it drawn graphs alone
SMP_BENCH_SECONDS: for how long plans of a workload are measured, as regret.py has it
"""
import os, re, subprocess, sys

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = sys.argv[1] if len(sys.argv) > 1 else sys.exit(__doc__)
BIN = os.path.join(BUILD, "bin")
sys.path += [HERE, os.path.join(HERE, "..", "partition")]
import partition, regret


class Table:
    def __init__(self):
        self.rows = []

    def at_most(self, what, value, bound, unit=""):
        self.add(what, f"at most {bound:g}{unit}", f"{value:.4g}{unit}", value <= bound)

    def at_least(self, what, value, bound, unit=""):
        self.add(what, f"at least {bound:g}{unit}", f"{value:.4g}{unit}", value >= bound)

    def add(self, what, aim, reached, holds):
        self.rows.append((what, aim, reached, "yes" if holds else "no"))

    def show(self):
        print("| | must reach | reached | holds |\n|---|---|---|---|")
        for row in self.rows:
            print(f"| {' | '.join(row)} |")


def printed_by(*command):
    """What it prints, which is shown as well."""
    text = ""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            text += line
    if process.returncode != 0:
        sys.exit(f"table.py: {command[0]}: exit {process.returncode}")
    return text


def numbers_of(pattern, text):
    """The groups of every match, of which there is one at least."""
    found = [[float(cell) for cell in match.groups()] for match in re.finditer(pattern, text, re.M)]
    return found or sys.exit(f"table.py: nothing is like {pattern} in:\n{text}")


def judge_instances(table, folder):
    figures = partition.solve_instances(os.path.join(BIN, "smp-partition"), folder)
    contiguous, expert, proved = (partition.known(figures, name)
                                  for name in ("to contiguous", "to expert", "proved"))
    what = f"{len(figures)} instances, "
    for name, ratios in (("exact contiguous", contiguous), ("expert", expert)):
        if ratios:  # Those of somebody else need not be known.
            table.at_most(f"{what}objective / {name}, greatest", max(ratios) / partition.PRINTED, 1)
    if contiguous:
        table.at_most(f"{what}objective / exact contiguous, geometric mean",
                      partition.mean(contiguous), 0.95)
    table.at_least(what + "bound / objective, geometric mean", partition.mean(proved), 0.99)
    table.at_least(what + "bound / objective, least", min(proved), 0.95)
    table.at_most(what + "longest", max(each["seconds"] for each in figures), 10, " s")


def judge_drawn(table):
    figures = partition.solve_drawn(os.path.join(BIN, "smp-partition"))
    what = "10^5 nodes, 64 devices, widths 1 to 100, "
    table.at_most(what + "longest", max(each["seconds"] for each in figures), 5, " s")
    table.at_most(what + "memory", max(each["memory"] for each in figures), 2048, " MiB")
    table.at_least(what + "bound / objective", min(each["proved"] for each in figures), 0.95)
    passed = partition.place_modules(os.path.join(BIN, "smp-opt"))
    table.at_most("modules of 10^5 ops, smp-opt --smp-place, longest", max(passed), 10, " s")


def judge_idle(table):
    """By the test that plays them, which demands them too."""
    text = printed_by(os.path.join(BUILD, "tests", "ModelTests"),
                      "--gtest_filter=ZeroBubble.PublishedIdleTimesAreReached")
    cell = r" +([\d.]+) \( *[\d.]+\)"
    rows = numbers_of(r"^ *(\d+) +\d+" + 4 * cell, text)
    holds = all(row[1:] == [3 * (row[0] - 1), row[0] - 1, 0, 0] for row in rows)
    last = rows[-1]
    table.add(f"greatest idle time, p = 2 to {last[0]:g}: 1F1B, ZB-H1, ZB-H2, ZB-V",
              "3 (p - 1), p - 1, 0, 0 of T_F",
              "{:g}, {:g}, {:g}, {:g} for p = {:g}".format(*last[1:], last[0]), holds)


def judge_placing(table):
    rows = dict(re.findall(r"^(\w+) +(\d.*)$", printed_by(
        os.path.join(BUILD, "bench", "PlacingBench")), re.M))
    cells = {name: [float(cell.rstrip("%")) for cell in row.split()] for name, row in rows.items()}
    for name in ("resnet50", "blocks"):
        table.at_most(f"{name}, placed and planned", cells[name][0], 2, " s")
        table.at_most(f"{name}, `--plan auto`", cells[name][1], 60, " s")
    table.at_most(f"memory said beside the program's, {len(cells)} networks, greatest difference",
                  max(abs(row[-1]) for row in cells.values()), 2, " %")


def judge_chunks(table):
    text = printed_by(os.path.join(BUILD, "bench", "ChunksBench"))
    least = min(row[0] for row in numbers_of(r"reached ([\d.]+) of it", text))
    table.at_least("chunked pipelines, of the bound of their stages, least", least, 0.92)


def judge_predictions(table):
    text = printed_by(os.path.join(BUILD, "bench", "PredictionBench"))
    [[mean, most]] = numbers_of(r"^mean error ([\d.]+)%, at most ([\d.]+)%", text)
    table.at_most("predicted against measured steps, greatest error", most, 10, " %")
    table.at_most("the same, mean error", mean, 5, " %")


def judge_regret(table):
    for workload, (slower, count) in regret.main(BIN).items():
        table.at_most(f"{workload}, the plan taken over the fastest of {count}", slower, 1.05)
        table.at_least(f"{workload}, plans", count, 12)


def main():
    table = Table()
    try:
        if len(sys.argv) > 2:
            judge_instances(table, sys.argv[2])
        for judge in (judge_drawn, judge_idle, judge_placing, judge_chunks, judge_predictions,
                      judge_regret):
            judge(table)
    finally:  # What has been measured is worth something though the rest fails.
        table.show()


if __name__ == "__main__":
    main()
