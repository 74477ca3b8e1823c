#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records what TrainingStepTest compares with: one training step in f64.

usage: record_gradients.py FOLDER     (needs numpy and torch)

Per tensor its norm and 16 products, as SeededValues.h says. Asserts that
PyTorch's own step in f32 is near: where it is not, the step depends on rounding
(a maximum or a zero is met by another element), and proves nothing.
"""
import pathlib
import sys

import numpy as np
import torch
import torch.nn.functional as F

DIRECTIONS = 16
NEAR = 2e-5
# Of the names x/0 to x/180 the one whose elements before a ReLU are
# farthest from 0, and under a maximum from each other, by the error of f32.
IMAGES = "x/150"


def words(name, count):
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = (seed ^ byte) * 0x100000001B3 % 2**64
    i = np.arange(1, count + 1, dtype=np.uint64)
    z = np.uint64(seed) + i * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ z >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ z >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return z ^ z >> np.uint64(31)


def uniform(name, shape):
    upper = words(name, int(np.prod(shape))) >> np.uint64(40)
    unit = upper.astype(np.float32) / np.float32(2**24)
    return (unit * np.float32(2) - np.float32(1)).reshape(shape)


def variable(name, shape):
    base, spread = 0, 0.1
    if len(shape) > 1:
        spread = np.sqrt(6 / np.prod(shape[1:]))
    elif name.endswith(("/weight", "/running_var")):
        base = 1
    return np.float32(base) + np.float32(spread) * uniform(name, shape)


def classes(name, shape, count):
    values = words(name, int(np.prod(shape))) % np.uint64(count)
    return torch.tensor(values.astype(np.int64).reshape(shape))


def project(name, values):
    """The products with the directions, piece by piece."""
    values = values.detach().double().numpy().ravel()
    pairs = DIRECTIONS // 2
    word = words("projection/" + name, values.size * pairs).reshape(-1, pairs)
    products = np.zeros(DIRECTIONS)
    for pair in range(pairs):
        first = ((word[:, pair] >> np.uint64(32)).astype(np.float64) + 0.5) / 2**32
        second = (word[:, pair] & np.uint64(2**32 - 1)).astype(np.float64) / 2**32
        length = np.sqrt(-2 * np.log(first)) * values
        products[2 * pair] = np.dot(length, np.cos(2 * np.pi * second))
        products[2 * pair + 1] = np.dot(length, np.sin(2 * np.pi * second))
    return products


class Variables:
    """Makes variables when they are asked for, and keeps them."""

    def __init__(self, dtype):
        self.dtype = dtype
        self.parameters, self.states = {}, {}

    def parameter(self, name, *shape):
        if name not in self.parameters:
            value = torch.tensor(variable(name, shape)).to(self.dtype)
            self.parameters[name] = value.requires_grad_()
        return self.parameters[name]

    def state(self, name, *shape):
        self.states[name] = torch.tensor(variable(name, shape)).to(self.dtype)
        return self.states[name]


def conv_norm(v, x, features, kernel, stride, name):
    weight = v.parameter(f"{name}/conv/weight", features, x.shape[1], kernel, kernel)
    x = F.conv2d(x, weight, None, stride, kernel // 2)
    return F.batch_norm(x, v.state(f"{name}/norm/running_mean", features),
                        v.state(f"{name}/norm/running_var", features),
                        v.parameter(f"{name}/norm/weight", features),
                        v.parameter(f"{name}/norm/bias", features), True, 0.1, 1e-5)


def block(v, x, features, stride, name):
    y = F.relu(conv_norm(v, x, features, 3, stride, f"{name}/first"))
    y = conv_norm(v, y, features, 3, 1, f"{name}/second")
    if stride != 1 or x.shape[1] != features:
        x = conv_norm(v, x, features, 1, stride, f"{name}/shortcut")
    return F.relu(y + x)


def resnet18(v):
    x = torch.tensor(uniform(IMAGES, (4, 3, 64, 64))).to(v.dtype)
    x = F.relu(conv_norm(v, x, 64, 7, 2, "stem"))
    x = F.max_pool2d(x, 3, 2, 1)
    for stage, features in enumerate((64, 128, 256, 512), 1):
        x = block(v, x, features, 1 if features == 64 else 2, f"stage{stage}/0")
        x = block(v, x, features, 1, f"stage{stage}/1")
    logits = F.linear(x.mean((2, 3)), v.parameter("classifier/weight", 1000, 512),
                      v.parameter("classifier/bias", 1000))
    return F.cross_entropy(logits, classes("target", (4,), 1000))


def norm(v, x, name):
    return F.layer_norm(x, (128,), v.parameter(f"{name}/weight", 128), None, 1e-5)


def attention(v, x, name):
    def heads(part):
        y = F.linear(x, v.parameter(f"{name}/{part}/weight", 128, 128))
        return y.reshape(4, 64, 4, 32).transpose(1, 2)

    scores = heads("query") @ heads("key").transpose(2, 3) / np.sqrt(32)
    later = torch.ones(64, 64, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -np.inf).softmax(-1)
    joined = (weights @ heads("value")).transpose(1, 2).reshape(4, 64, 128)
    return F.linear(joined, v.parameter(f"{name}/out/weight", 128, 128))


def transformer(v):
    table = v.parameter("tokens/weight", 65, 128)
    x = table[classes("x", (4, 64), 65)] + v.parameter("positions/weight", 64, 128)
    for i in range(4):
        x = x + attention(v, norm(v, x, f"layer{i}/norm1"), f"layer{i}/attention")
        h = F.linear(norm(v, x, f"layer{i}/norm2"), v.parameter(f"layer{i}/up/weight", 512, 128))
        x = x + F.linear(F.gelu(h), v.parameter(f"layer{i}/down/weight", 128, 512))
    logits = F.linear(norm(v, x, "norm"), table)
    return F.cross_entropy(logits.reshape(-1, 65), classes("target", (4, 64), 65).reshape(-1))


def step(network, dtype):
    v = Variables(dtype)
    loss = network(v)
    loss.backward()
    tensors = {f"gradient/{name}": p.grad for name, p in v.parameters.items()}
    return loss.item(), tensors | v.states


def distance(x, exact):
    return float((x.double() - exact).norm() / exact.norm())


def record(network, path):
    loss, tensors = step(network, torch.float64)
    near_loss, near = step(network, torch.float32)
    far = {name: distance(near[name], exact) for name, exact in tensors.items()}
    worst = max(far, key=far.get)
    print(f"{path}: PyTorch in f32: loss {abs(near_loss / loss - 1):.1e}, "
          f"{worst} {far[worst]:.1e}")
    assert far[worst] <= NEAR and abs(near_loss / loss - 1) <= NEAR
    lines = [f"loss {loss!r}"]
    for name, exact in sorted(tensors.items()):
        numbers = [float(exact.norm()), *project(name, exact)]
        lines.append(" ".join([name, *(f"{number:.15g}" for number in numbers)]))
    path.write_text("\n".join(lines) + "\n")


def main(folder):
    torch.set_num_threads(1)
    for network in (resnet18, transformer):
        record(network, pathlib.Path(folder) / f"{network.__name__}.txt")


if __name__ == "__main__":
    main(*sys.argv[1:])
