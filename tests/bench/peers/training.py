#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Steps of training beside PyTorch's, each in a process of its own, in turn; stages,
pipelines and memory. Ratios are of medians; above 1: smp is faster.

usage: training.py BIN [steps|pipelines|kernels] [WORKLOAD...]

BIN: the folder of train_steps. Where torch cannot be imported it is left out, and
said to be. `kernels` lists where the time goes on one core."""
import json
import os
import statistics
import subprocess
import sys
import tempfile

from turns import compare, peer

STEPS = {"char": 40, "blocks": 8, "resnet": 12}
MODELS = {"char": "transformer over characters", "blocks": "two blocks as of GPT-2 small",
          "resnet": "ResNet-18, 8 x 3 x 112 x 112"}


class Program:
    """A workload, compiled."""

    def __init__(self, binaries, folder, workload, partitions=1, microbatches=1):
        self.tool = f"{binaries}/train_steps"
        self.path = f"{folder}/{workload}-{partitions}-{microbatches}.smp"
        subprocess.run([self.tool, "compile", workload, str(partitions), str(microbatches),
                        self.path], check=True)

    def run(self, devices, steps):
        result = subprocess.run([self.tool, "run", self.path, devices, str(steps)], check=True,
                                capture_output=True, text=True)
        return json.loads(result.stdout)


def milliseconds(seconds):
    return f"{seconds * 1e3:.2f} ms"


def describe_memory(run):
    for number, device in enumerate(run["memory"]):
        planned, measured = device["planned"], device["measured"]
        print(f"  device {number}: memory planned {planned / 1e6:.1f} MB, taken "
              f"{measured / 1e6:.1f} MB ({measured / planned:.3f} of the plan)")


def steps(binaries, folder, workloads):
    print("steps of training, two cores, f32, AdamW; (ratio) above 1: smp is faster")
    for name in workloads:
        program, last = Program(binaries, folder, name), {}

        def ours():
            last.update(program.run("cpu:0=0-1", STEPS[name]))
            return [statistics.median(last["steps"])]

        ratios = compare(MODELS[name], ["eager", "compiled"], ours,
                         lambda way: peer("torch_training.py", way, name, 2, STEPS[name]))
        if ratios:
            print(f"  ratio to the better one: {min(ratios.values()):.3f}")
        print("  " + ", ".join(f"{stage['phase']} {milliseconds(stage['seconds'])}"
                               for stage in last["stages"]))
        describe_memory(last)


def pipelines(binaries, folder, workloads):
    print("training as a pipeline over two devices of one core each")
    for name in workloads:
        for microbatches in (8, 32):
            rounds = max(STEPS[name] // microbatches, 3)
            one, two = (Program(binaries, folder, name, partitions, microbatches)
                        for partitions in (1, 2))
            single = statistics.median(one.run("cpu:0=0", rounds)["steps"])
            split = two.run("cpu:0=0,cpu:1=1", rounds)
            took = statistics.median(split["steps"])
            print(f"{MODELS[name]}, {microbatches} microbatches: one device {milliseconds(single)}, "
                  f"two {milliseconds(took)} ({single / took:.2f} times as fast); bound of the "
                  f"stages {milliseconds(split['bound'])}, reached {split['bound'] / took:.3f} of it")
            print("  " + ", ".join(f"device {stage['partition']} {stage['phase']} "
                                   f"{milliseconds(stage['seconds'])}" for stage in split["stages"]))
            describe_memory(split)


def kernels(binaries, folder, workloads):
    for name in workloads:
        run = Program(binaries, folder, name).run("cpu:0=0", STEPS[name])
        print(f"kernels of {MODELS[name]}, one core, per step "
              f"({milliseconds(statistics.median(run['steps']))})")
        found = sorted(run["kernels"].items(), key=lambda item: -item[1]["seconds"])
        for kernel, figures in found[:30]:
            print(f"  {figures['seconds'] * 1e3:9.3f} ms {figures['launches']:5.0f} x {kernel}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    parts = {"steps": steps, "pipelines": pipelines, "kernels": kernels}
    wanted = [word for word in sys.argv[2:] if word in parts] or ["steps", "pipelines"]
    workloads = [word for word in sys.argv[2:] if word not in parts] or list(MODELS)
    for name in workloads:
        if name not in MODELS:
            sys.exit(f"training.py: no workload '{name}': there are {', '.join(MODELS)}")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} (figures of a machine that "
          "does something else say little)")
    with tempfile.TemporaryDirectory() as folder:
        for part in wanted:
            parts[part](sys.argv[1], folder, workloads)


if __name__ == "__main__":
    main()
