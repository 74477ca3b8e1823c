# SPDX-License-Identifier: Apache-2.0
"""One engine in a process of its own: engine.py NAME MODEL INPUT THREADS RUNS
prints the seconds of each run (of the convolution alone, with NAME ending in
-conv), one per line. Threads are held to the first cores."""
import json
import os
import sys
import time

import numpy as np


def timed(run, runs):
    for _ in range(3):
        run()
    for _ in range(runs):
        start = time.perf_counter()
        run()
        print(time.perf_counter() - start)


def onnxruntime(model, x, threads, runs):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: x}
    timed(lambda: session.run(None, feed), runs)


def onnxruntime_conv(model, x, threads, runs):
    """The Conv node alone, without the reorders around it, from the profile."""
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.enable_profiling = True
    options.profile_file_prefix = model
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    feed = {session.get_inputs()[0].name: x}
    for _ in range(runs + 3):
        session.run(None, feed)
    profile = session.end_profiling()
    with open(profile) as file:
        events = json.load(file)
    os.remove(profile)
    times = [e["dur"] * 1e-6 for e in events if e.get("args", {}).get("op_name") == "Conv"
             and e["name"].endswith("kernel_time")]
    print(*times[3:], sep="\n")


def openvino(model, x, threads, runs):
    import openvino

    compiled = openvino.Core().compile_model(
        model, "CPU", {"INFERENCE_NUM_THREADS": threads, "PERFORMANCE_HINT": "LATENCY",
                       "INFERENCE_PRECISION_HINT": "f32"})
    timed(lambda: compiled([x]), runs)


def onednn_conv(model, x, threads, runs):
    """The fastest of PyTorch's ways to call oneDNN: plain, channels last,
    prepacked weights, blocked activations."""
    import onnx
    import torch
    import torch.nn.functional as F

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    graph = onnx.load(model).graph
    w = torch.from_numpy(onnx.numpy_helper.to_array(graph.initializer[0]).copy())
    a = {i.name: i for i in graph.node[0].attribute}
    pad, stride, groups = list(a["pads"].ints)[:2], list(a["strides"].ints), a["group"].i
    x = torch.from_numpy(x)
    xl, wl = (t.to(memory_format=torch.channels_last) for t in (x, w))
    how = (pad, stride, [1, 1], groups)
    packed = torch._C._nn.mkldnn_reorder_conv2d_weight(w.to_mkldnn(), *how, list(x.shape))
    xm = x.to_mkldnn()
    ways = [lambda: F.conv2d(x, w, None, stride, pad, 1, groups),
            lambda: F.conv2d(xl, wl, None, stride, pad, 1, groups),
            lambda: torch.ops.mkldnn._convolution_pointwise(x, packed, None, *how, "none", [], ""),
            lambda: torch.mkldnn_convolution(xm, packed, None, *how)]

    def cost(way):
        way()
        start = time.perf_counter()
        for _ in range(5):
            way()
        return time.perf_counter() - start

    timed(min(ways, key=cost), runs)


if __name__ == "__main__":
    name, model, source, threads, runs = sys.argv[1:]
    os.sched_setaffinity(0, range(int(threads)))
    globals()[name.replace("-", "_")](model, np.load(source), int(threads), int(runs))
