# SPDX-License-Identifier: Apache-2.0
"""The models of tests/bench/training in PyTorch."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Norm(nn.Module):
    """Layer norm without a bias."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return F.layer_norm(x, self.weight.shape, self.weight, None, 1e-5)


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = Norm(width), Norm(width)
        self.all = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.up = nn.Linear(width, 4 * width, bias=False)
        self.down = nn.Linear(4 * width, width, bias=False)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.all(self.norm1(x)).split(width, dim=2)
        query, key, value = (p.view(batch, length, self.heads, -1).transpose(1, 2) for p in parts)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, length, width))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Transformer(nn.Module):
    """The table scores what follows, too."""

    def __init__(self, layers, heads, width, length, tokens):
        super().__init__()
        self.table = nn.Embedding(tokens, width)
        self.positions = nn.Parameter(torch.empty(length, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = Norm(width)
        for name, p in self.named_parameters():
            if p.dim() > 1:
                residual = name.endswith(("out.weight", "down.weight"))
                nn.init.normal_(p, 0, 0.02 / (math.sqrt(2 * layers) if residual else 1))

    def forward(self, tokens):
        x = self.table(tokens) + self.positions
        for block in self.blocks:
            x = block(x)
        return F.linear(self.norm(x), self.table.weight)


class Residual(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.first, self.second = convolution(inputs, outputs, 3, stride), convolution(outputs, outputs, 3, 1)
        isSame = stride == 1 and inputs == outputs
        self.skip = nn.Identity() if isSame else convolution(inputs, outputs, 1, stride)

    def forward(self, x):
        return F.relu(self.second(F.relu(self.first(x))) + self.skip(x))


def convolution(inputs, outputs, kernel, stride):
    return nn.Sequential(nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False),
                         nn.BatchNorm2d(outputs))


class ResNet(nn.Module):
    """The 18 layers."""

    def __init__(self, classes):
        super().__init__()
        self.stem = convolution(3, 64, 7, 2)
        sizes = [(64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2),
                 (256, 256, 1), (256, 512, 2), (512, 512, 1)]
        self.blocks = nn.Sequential(*(Residual(*size) for size in sizes))
        self.classes = nn.Linear(512, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.stem(x)), 3, 2, 1)
        return self.classes(self.blocks(x).mean((2, 3)))


def workload(name):
    """Model, inputs, targets, and whether gradients are clipped."""
    torch.manual_seed(0)
    if name == "resnet":
        return ResNet(1000), torch.rand(8, 3, 112, 112) * 2 - 1, torch.randint(65, (8,)), False
    shapes = {"char": (4, 4, 128, 64, 65, 12), "blocks": (2, 12, 768, 128, 512, 4)}
    layers, heads, width, length, tokens, batch = shapes[name]
    pair = (torch.randint(65, (batch, length)) for _ in range(2))
    return Transformer(layers, heads, width, length, tokens), *pair, True
