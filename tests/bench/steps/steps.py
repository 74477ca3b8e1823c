#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A step that computes nothing, in C++, in C and in Python, in turn.

usage: steps.py BIN     (BIN: where the build has its programs)
"""
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE, BIN = pathlib.Path(__file__).resolve().parent, pathlib.Path(sys.argv[1])
WAYS = {"C++": [BIN / "step_in_cpp"], "C": [BIN / "step_in_c"],
        "Python": [sys.executable, HERE / "step_in_python.py"]}
ROUNDS = 7


def seconds(command, program):
    """Of a step, or the name of the module that the way lacks."""
    result = subprocess.run([*command, program], capture_output=True, text=True)
    if result.returncode == 0:
        return float(result.stdout)
    if missing := re.search(r"ModuleNotFoundError: No module named '([^']+)'", result.stderr):
        return missing[1]
    sys.exit(f"{command}: exit {result.returncode}\n{result.stderr}")


def main():
    times, missing = {name: [] for name in WAYS}, {}
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "one_number.smp"
        subprocess.run([BIN / "smp-compile", HERE / "one_number.mlir", "-o", program], check=True)
        for _ in range(ROUNDS):
            for name, command in WAYS.items():
                found = seconds(command, program)
                if isinstance(found, float):
                    times[name].append(found)
                else:
                    missing[name] = found
    base = statistics.median(times["C++"])
    for name, found in times.items():
        if found:
            median = statistics.median(found)
            print(f"a step of nothing in {name:6s} {median * 1e6:.2f} us, "
                  f"{(median - base) * 1e6:+.2f} us, {median / base:.2f} times")
        else:
            print(f"  {name} left out: {sys.executable} has no module '{missing[name]}'; "
                  "install smp's wheel for it (make wheel), or name another by SMP_BENCH_PYTHON")


main()
