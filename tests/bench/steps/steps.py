#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A step that computes nothing, in C++, in C and in Python, in turn.

usage: steps.py BIN     (BIN: where the build has its programs)
"""
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE, BIN = pathlib.Path(__file__).resolve().parent, pathlib.Path(sys.argv[1])
WAYS = {"C++": [BIN / "step_in_cpp"], "C": [BIN / "step_in_c"],
        "Python": [sys.executable, HERE / "step_in_python.py"]}
ROUNDS = 7


def seconds(command, program):
    """Of a step, or None when the way is not there."""
    result = subprocess.run([*command, program], capture_output=True, text=True)
    if result.returncode == 0:
        return float(result.stdout)
    if "No module named 'smp'" not in result.stderr:
        sys.exit(f"{command}: exit {result.returncode}\n{result.stderr}")
    return None


def main():
    times = {name: [] for name in WAYS}
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "one_number.smp"
        subprocess.run([BIN / "smp-compile", HERE / "one_number.mlir", "-o", program], check=True)
        for _ in range(ROUNDS):
            for name, command in WAYS.items():
                if (found := seconds(command, program)) is not None:
                    times[name].append(found)
    base = statistics.median(times["C++"])
    for name, found in times.items():
        if found:
            median = statistics.median(found)
            print(f"a step of nothing in {name:6s} {median * 1e6:.2f} us, "
                  f"{(median - base) * 1e6:+.2f} us, {median / base:.2f} times")
        else:
            print(f"  {name} left out: smp's wheel is not installed for {sys.executable}")


main()
