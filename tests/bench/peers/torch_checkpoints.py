# SPDX-License-Identifier: Apache-2.0
"""A checkpoint of 1 GiB in a process of its own: torch_checkpoints.py WAY PART FOLDER
prints the seconds. WAY is dcp (torch.distributed.checkpoint, which syncs its files) or
safetensors, PART save or restore: the second save, or what is read into tensors that are
there, from files that are not in memory."""
import glob
import os
import shutil
import sys
import tempfile
import time

import torch

TENSORS, ELEMENTS = 32, 8 << 20


def sync(path):
    descriptor = os.open(path, os.O_RDONLY)
    os.fsync(descriptor)
    os.close(descriptor)


class Dcp:
    def __init__(self):
        import torch.distributed.checkpoint as checkpoint
        self.checkpoint = checkpoint

    def save(self, state, folder):
        self.checkpoint.save(state, checkpoint_id=folder, no_dist=True)

    def restore(self, state, folder):
        self.checkpoint.load(state, checkpoint_id=folder, no_dist=True)


class Safetensors:
    def __init__(self):
        import safetensors.torch
        self.files = safetensors.torch

    def save(self, state, folder):
        self.files.save_file(state, f"{folder}/model.safetensors")
        sync(f"{folder}/model.safetensors")
        sync(folder)

    def restore(self, state, folder):
        for name, value in self.files.load_file(f"{folder}/model.safetensors").items():
            state[name].copy_(value)


def forget(folder):
    for path in glob.glob(f"{folder}/**", recursive=True) + glob.glob(f"{folder}/.metadata"):
        if os.path.isfile(path):
            descriptor = os.open(path, os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main(way, part, parent):
    peer = {"dcp": Dcp, "safetensors": Safetensors}[way]()
    state = {f"w{i}": torch.ones(ELEMENTS) for i in range(TENSORS)}
    root = tempfile.mkdtemp(dir=parent)
    try:
        folder = f"{root}/first"
        os.makedirs(folder)
        peer.save(state, folder)
        if part == "save":
            folder = f"{root}/second"
            os.makedirs(folder)
            print(seconds(lambda: peer.save(state, folder)))
        else:
            forget(folder)
            print(seconds(lambda: peer.restore(state, folder)))
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main(*sys.argv[1:])
