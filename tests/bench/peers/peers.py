#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Networks and convolutions beside ONNX Runtime, OpenVINO and oneDNN (through
PyTorch), each in a process of its own, in turn. Prints ratios of medians; above
1: smp is faster.

usage: peers.py BIN [networks] [convolutions]

BIN: the folder of smp-compile and smp-run. Needs numpy and onnx; a peer that
cannot be imported is left out, and said to be. Peers compute in f32."""
import json
import statistics
import subprocess
import sys
import tempfile

from turns import compare, peer

# size, inputs, outputs, kernel, stride, groups, how often ResNet-50 has it
CONVOLUTIONS = [
    (224, 3, 64, 7, 2, 1, 1), (56, 64, 64, 1, 1, 1, 1), (56, 64, 64, 3, 1, 1, 3),
    (56, 64, 256, 1, 1, 1, 4), (56, 256, 64, 1, 1, 1, 2), (56, 256, 128, 1, 1, 1, 1),
    (56, 128, 128, 3, 2, 1, 1), (56, 256, 512, 1, 2, 1, 1), (28, 128, 512, 1, 1, 1, 4),
    (28, 512, 128, 1, 1, 1, 3), (28, 128, 128, 3, 1, 1, 3), (28, 512, 256, 1, 1, 1, 1),
    (28, 256, 256, 3, 2, 1, 1), (28, 512, 1024, 1, 2, 1, 1), (14, 256, 1024, 1, 1, 1, 6),
    (14, 1024, 256, 1, 1, 1, 5), (14, 256, 256, 3, 1, 1, 5), (14, 1024, 512, 1, 1, 1, 1),
    (14, 512, 512, 3, 2, 1, 1), (14, 1024, 2048, 1, 2, 1, 1), (7, 512, 2048, 1, 1, 1, 3),
    (7, 2048, 512, 1, 1, 1, 2), (7, 512, 512, 3, 1, 1, 2),
    (56, 128, 128, 3, 1, 128, 0), (56, 128, 128, 3, 2, 128, 0), (28, 128, 128, 3, 1, 128, 0),
    (14, 512, 512, 3, 1, 512, 0),
]


def ours(binaries, program, source, threads, runs, kernel=False):
    """The times of our runs; of the convolution's kernel alone with `kernel`."""
    with tempfile.NamedTemporaryFile(suffix=".json") as trace:
        command = [f"{binaries}/smp-run", program, "--input", f"x={source}", "--devices",
                   f"cpu:0=0-{threads - 1}", "--repeat", str(runs + 3), "--stats", "json"]
        if kernel:
            command += ["--trace", trace.name]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        if not kernel:
            return [json.loads(output)["latency_ms"]["median"] * 1e-3]
        events = json.load(open(trace.name))["traceEvents"]
    spans = [e["dur"] * 1e-6 for e in events
             if "_conv" in e.get("name", "") and e.get("ph") == "X"]
    return spans[3:]


def networks(binaries, folder):
    import models

    print("networks, batch 1, two cores, f32; (ratio) above 1: smp is faster")
    for name, shape in (("resnet50", (1, 3, 224, 224)), ("encoder", (1, 128, 384))):
        model, program, source = (f"{folder}/{name}.{e}" for e in ("onnx", "smp", "npy"))
        getattr(models, name)(model)
        save_input(source, shape)
        subprocess.run([f"{binaries}/smp-compile", model, "-o", program], check=True)
        ratios = compare(name, ["onnxruntime", "openvino"],
                         lambda: ours(binaries, program, source, 2, 40),
                         lambda name: peer("engine.py", name, model, source, 2, 40))
        if ratios:
            print(f"  ratio to the better one: {min(ratios.values()):.3f}")


def convolutions(binaries, folder):
    import models

    print("convolutions, batch 1, one core, f32; (ratio) above 1: smp is faster")
    best = []
    for size, inputs, outputs, kernel, stride, groups, _ in CONVOLUTIONS:
        model, program, source = (f"{folder}/conv.{e}" for e in ("onnx", "smp", "npy"))
        models.convolution(model, size, inputs, outputs, kernel, stride, groups)
        save_input(source, (1, inputs, size, size))
        subprocess.run([f"{binaries}/smp-compile", model, "-o", program], check=True)
        label = f"{size:3d} {inputs:4d}->{outputs:4d} {kernel}x{kernel}/{stride}"
        ratios = compare(label + (" depthwise" if groups > 1 else ""),
                         ["onnxruntime-conv", "onednn-conv"],
                         lambda: ours(binaries, program, source, 1, 30, kernel=True),
                         lambda name: peer("engine.py", name, model, source, 1, 30))
        if ratios:
            best.append(min(ratios.values()))
    if best:
        print(f"ratio to the better one: geometric mean {statistics.geometric_mean(best):.3f}, "
              f"least {min(best):.3f}")


def save_input(path, shape):
    import numpy as np

    np.save(path, np.random.default_rng(1).standard_normal(shape).astype(np.float32))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    binaries, wanted = sys.argv[1], sys.argv[2:] or ["networks", "convolutions"]
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        print(f"peers left out: {error}; python -m pip install numpy onnx onnxruntime "
              "openvino torch, and name that Python in SMP_BENCH_PYTHON")
        return
    with tempfile.TemporaryDirectory() as folder:
        for name in wanted:
            {"networks": networks, "convolutions": convolutions}[name](binaries, folder)


if __name__ == "__main__":
    main()
