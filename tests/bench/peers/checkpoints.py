#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What checkpoints cost: beside what the disk does without us, beside steps without
them, and beside PyTorch's distributed checkpoints and safetensors, each in a process of
its own, in turn. Ratios are of medians.

usage: checkpoints.py BIN FOLDER [save] [restore] [memory] [ranks] [steps] [peers]

BIN: the folder of checkpoint_times. FOLDER: on the disk that is measured; it needs 8 GiB
of room, and the machine 6 GiB of memory. Steps are those of the workloads of training.py
where train_steps can compile them, else steps of as long and as large ones. Where torch
or safetensors cannot be imported they are left out, and said to be."""
import os
import subprocess
import sys
import tempfile

from turns import compare, peer

WORKLOADS = ["char", "blocks", "resnet"]
PEERS = ["dcp", "safetensors"]


def times(binaries, folder, *arguments):
    subprocess.run([f"{binaries}/checkpoint_times", folder, *arguments], check=True)


def steps(binaries, folder):
    compiler = f"{binaries}/train_steps"
    for name in WORKLOADS:
        if not os.path.exists(compiler):
            times(binaries, folder, "steps", name)
            continue
        with tempfile.TemporaryDirectory() as programs:
            program = f"{programs}/{name}.smp"
            subprocess.run([compiler, "compile", name, "1", "1", program], check=True)
            times(binaries, folder, "steps", name, program)


def ours(binaries, folder, part):
    result = subprocess.run([f"{binaries}/checkpoint_times", folder, part], check=True,
                            capture_output=True, text=True)
    return [float(result.stdout)]


def peers(binaries, folder):
    print("1 GiB in 32 tensors, synced; read into memory that is there; (ratio) above 1: smp "
          "is faster")
    for part in ("save", "restore"):
        compare(f"{part}()", PEERS, lambda: ours(binaries, folder, f"time-{part}"),
                lambda name: peer("torch_checkpoints.py", name, part, folder))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    binaries, folder = sys.argv[1:3]
    parts = {"steps": steps, "peers": peers}
    for part in sys.argv[3:] or ["save", "restore", "memory", "ranks", "steps", "peers"]:
        print(f"load of the machine: {os.getloadavg()[0]:.1f}", flush=True)
        if part in parts:
            parts[part](binaries, folder)
        else:
            times(binaries, folder, part)


if __name__ == "__main__":
    main()
