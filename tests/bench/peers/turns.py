# SPDX-License-Identifier: Apache-2.0
"""Things that are timed in turn, each in a process of its own."""
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROUNDS = 5


def peer(script, name, *arguments):
    """The times that a script here prints, or None when the peer is not there."""
    command = [sys.executable, os.path.join(HERE, script), name, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        return [float(line) for line in result.stdout.split()]
    reason = (result.stderr.strip().splitlines() or ["no message"])[-1]
    print(f"  {name} left out: {reason}")
    return None


def compare(label, peers, run_ours, run_peer, rounds=ROUNDS):
    """Runs all in turn; returns each peer's median over ours."""
    times, missing = {"smp": []}, set()
    for _ in range(rounds):
        times["smp"] += run_ours()
        for name in peers:
            found = None if name in missing else run_peer(name)
            if found is None:
                missing.add(name)
            else:
                times.setdefault(name, []).append(statistics.median(found))
    mine = statistics.median(times.pop("smp"))
    medians = {name: statistics.median(values) for name, values in times.items()}
    shown = "  ".join(f"{n} {t * 1e3:.3f} ms ({t / mine:.2f})" for n, t in medians.items())
    print(f"{label:34s} smp {mine * 1e3:.3f} ms  {shown}", flush=True)
    return {name: t / mine for name, t in medians.items()}
