#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records the logits of a light model with weights by the rule of SeededModel.h.

usage: record_logits.py light_X.onnx logits/X.npy     (needs numpy, onnx, torch)

Everything is computed in f64, from weights and an input in f32.
"""
import sys

import numpy as np
import onnx
import torch
import torch.nn.functional as F
from onnx import helper, numpy_helper


def uniform(name, shape):
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    count = np.arange(1, int(np.prod(shape)) + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(seed) + count * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    upper = (z ^ z >> np.uint64(31)) >> np.uint64(40)
    unit = upper.astype(np.float32) / np.float32(2**24)
    return (unit * np.float32(2) - np.float32(1)).reshape(shape)


def attributes(node):
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def weight(name, shape, user, operand):
    kind = user.op_type
    if kind == "BatchNormalization":
        base, spread = [(0.7, 0.07), (0, 0.1), (0, 0.1), (1, 0.1)][operand - 1]
    elif kind == "Mul":
        base, spread = 1, 0.1
    elif kind == "Add" or operand == 2:
        base, spread = 0, 0.1
    elif kind == "Gemm":
        fan = shape[-1] if attributes(user).get("transB") else shape[-2]
        base, spread = 0, np.sqrt(6 / fan)
    else:
        base, spread = 0, np.sqrt(6 / np.prod(shape[1:]))
    return np.float32(base) + np.float32(spread) * uniform(name, shape)


def user_of(graph, name):
    for node in graph.node:
        if name in node.input:
            if node.op_type in ("Reshape", "Unsqueeze"):
                return user_of(graph, node.output[0])
            return node, list(node.input).index(name)


def halves(pads):
    return pads[: len(pads) // 2], pads[len(pads) // 2 :]


def padded(x, pads, value):
    (top, left), (bottom, right) = halves(pads)
    return F.pad(x, (left, right, top, bottom), value=value)


def run(kind, x, a):
    """One node: operands `x` in f64, attributes `a`."""
    pads, strides = a.get("pads", [0] * 4), a.get("strides", [1, 1])
    if kind == "Conv":
        bias = x[2] if len(x) > 2 else None
        return F.conv2d(padded(x[0], pads, 0), x[1], bias, strides, 0,
                        a.get("dilations", [1, 1]), a.get("group", 1))
    if kind == "MaxPool":
        return F.max_pool2d(padded(x[0], pads, -np.inf), a["kernel_shape"], strides)
    if kind == "AveragePool":
        counted = torch.ones_like(x[0])
        if a.get("count_include_pad"):
            counted = torch.ones_like(padded(counted, pads, 0))
            counted = F.avg_pool2d(counted, a["kernel_shape"], strides)
        else:
            counted = F.avg_pool2d(padded(counted, pads, 0), a["kernel_shape"], strides)
        return F.avg_pool2d(padded(x[0], pads, 0), a["kernel_shape"], strides) / counted
    if kind == "GlobalAveragePool":
        return x[0].mean((2, 3), keepdim=True)
    if kind == "BatchNormalization":
        return F.batch_norm(x[0], x[3], x[4], x[1], x[2], False, 0, a.get("epsilon", 1e-5))
    if kind == "LRN":
        size = a["size"]
        squares = F.pad(x[0] ** 2, (0, 0, 0, 0, (size - 1) // 2, size // 2))
        sums = sum(squares[:, i : i + x[0].shape[1]] for i in range(size))
        return x[0] / (a.get("bias", 1) + a["alpha"] / size * sums) ** a["beta"]
    if kind == "Gemm":
        product = x[0] @ (x[1].T if a.get("transB") else x[1])
        return a.get("alpha", 1) * product + a.get("beta", 1) * x[2]
    if kind == "Reshape":
        return x[0].reshape([x[0].shape[i] if n == 0 else n
                             for i, n in enumerate(x[1].long().tolist())])
    if kind == "Unsqueeze":
        for axis in a["axes"]:
            x[0] = x[0].unsqueeze(axis)
        return x[0]
    simple = {"Relu": lambda: F.relu(x[0]), "Dropout": lambda: x[0],
              "Concat": lambda: torch.cat(x, a["axis"]),
              "Sum": lambda: sum(x), "Add": lambda: x[0] + x[1],
              "Mul": lambda: x[0] * x[1],
              "Transpose": lambda: x[0].permute(a["perm"]),
              "Flatten": lambda: x[0].flatten(1)}
    return simple[kind]()


def main(source, target):
    graph = onnx.load(source).graph
    values = {t.name: torch.tensor(numpy_helper.to_array(t)).double() for t in graph.initializer}
    for value in graph.input:
        if value.name not in values:
            shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
            values[value.name] = torch.tensor(uniform(value.name, shape)).double()
    nodes = list(graph.node)
    if nodes[-1].op_type == "Softmax":
        nodes.pop()
    for node in nodes:
        name = node.output[0]
        operands = [values[i] for i in node.input]
        if node.op_type == "ConstantOfShape":
            shape = [int(n) for n in operands[0]]
            values[name] = torch.tensor(weight(name, shape, *user_of(graph, name))).double()
        else:
            values[name] = run(node.op_type, operands, attributes(node))
    np.save(target, values[nodes[-1].output[0]].numpy())


if __name__ == "__main__":
    main(*sys.argv[1:])
