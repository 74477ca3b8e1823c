# SPDX-License-Identifier: Apache-2.0
"""PyTorch's training in a process of its own: torch_training.py WAY WORKLOAD THREADS
STEPS prints the seconds of each step. WAY is eager or compiled; AdamW is the fused
one. Images go through the network in the faster of the two memory formats."""
import os
import sys
import time

if __name__ == "__main__":
    os.sched_setaffinity(0, range(int(sys.argv[3])))

import torch
import torch.nn.functional as F

from torch_models import workload


class Trainer:
    def __init__(self, name, memory_format=None):
        self.model, self.x, self.targets, self.clips = workload(name)
        if memory_format:
            self.model = self.model.to(memory_format=memory_format)
            self.x = self.x.to(memory_format=memory_format)
        decayed = [p for p in self.model.parameters() if p.dim() > 1]
        others = [p for p in self.model.parameters() if p.dim() <= 1]
        # As in Workloads.cpp.
        decay = 0.1 if self.clips else 0.01
        groups = [{"params": decayed, "weight_decay": decay},
                  {"params": others, "weight_decay": 0.0 if self.clips else decay}]
        self.optimizer = torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), fused=True)
        self.loss = self.forward

    def forward(self, x, targets):
        return F.cross_entropy(self.model(x).flatten(0, -2), targets.flatten())

    def step(self):
        loss = self.loss(self.x, self.targets)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        if self.clips:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()

    def seconds(self, warm_up, steps):
        times = []
        for i in range(-warm_up, steps):
            start = time.perf_counter()
            self.step()
            if i >= 0:
                times.append(time.perf_counter() - start)
        return times


def main(way, name, threads, steps):
    torch.set_num_threads(threads)
    formats = [torch.contiguous_format, torch.channels_last] if name == "resnet" else [None]
    best = formats[0]
    if len(formats) > 1:
        best = min(formats, key=lambda f: min(Trainer(name, f).seconds(2, 2)))
    trainer = Trainer(name, best)
    if way == "compiled":
        trainer.loss = torch.compile(trainer.forward)
    print(*trainer.seconds(3, steps), sep="\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
