# SPDX-License-Identifier: Apache-2.0
"""usage: step_in_python PROGRAM: the seconds that a step takes in Python."""
import sys
import time

import numpy as np

import smp

STEPS = 50000


def main():
    session = smp.Session(sys.argv[1])
    x, total = np.ones(1, np.float32), 0
    for i in range(-STEPS // 10, STEPS):
        if i == 0:
            begin = time.perf_counter()
        total += session.step("predict", x=x)["y"][0]
    print((time.perf_counter() - begin) / STEPS)
    if total != STEPS + STEPS // 10:
        sys.exit(f"the sum is {total}")


main()
