# SPDX-License-Identifier: Apache-2.0
"""PyTorch's times for what kernels.mlir has, beside those of time_kernels.

usage: torch_kernels.py TABLE [DEVICE] [STEPS]    TABLE is what time_kernels printed
Prints a row per entry: smp's median, PyTorch's, and PyTorch's over smp's, above 1 where
smp is faster. Both are times between marks in the device's stream.
"""
import os
import statistics
import sys
import time

# Products are deterministic only so, and it is read when PyTorch is loaded.
os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")

import torch
import torch.nn.functional as F

aten = torch.ops.aten
ROWS, LINES, CLASSES = (16384, 4096), (65536, 1024), (8192, 16384)


class Marks:
    """Times between marks: events on a GPU, else the clock."""

    def __init__(self, device):
        self.on_gpu = device.startswith("cuda")

    def mark(self):
        if not self.on_gpu:
            return time.perf_counter()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    def seconds(self, begin, end):
        if not self.on_gpu:
            return end - begin
        end.synchronize()
        return begin.elapsed_time(end) * 1e-3


def cases(device):
    """Per entry: a function that makes its tensors and returns the work."""

    def normal(*shape):
        return torch.randn(*shape, device=device)

    def below(bound, count):
        return torch.randint(bound, (count,), device=device)

    def add():
        x, y = normal(*ROWS), normal(*ROWS)
        return lambda: x + y

    def gelu():
        x = normal(*ROWS)
        return lambda: F.gelu(x)

    def transpose():
        x = normal(*ROWS)
        return lambda: x.t().contiguous()

    def softmax():
        x = normal(*LINES)
        return lambda: F.softmax(x, 1)

    def softmax_backward():
        y, d = F.softmax(normal(*LINES), 1), normal(*LINES)
        return lambda: aten._softmax_backward_data(d, y, 1, torch.float32)

    def layer_norm():
        x, s, b = normal(*LINES), normal(LINES[1]), normal(LINES[1])
        return lambda: F.layer_norm(x, (LINES[1],), s, b)

    def layer_norm_backward():
        x, d, s, b = normal(*LINES), normal(*LINES), normal(LINES[1]), normal(LINES[1])
        _, mean, deviation = aten.native_layer_norm(x, (LINES[1],), s, b, 1e-5)
        return lambda: aten.native_layer_norm_backward(
            d, x, (LINES[1],), mean, deviation, s, b, [True, False, False])

    def rms_norm():
        x, s = normal(*LINES), normal(LINES[1])
        return lambda: F.rms_norm(x, (LINES[1],), s, 1e-5)

    def cross_entropy():
        x, label = normal(*CLASSES), below(CLASSES[1], CLASSES[0])
        return lambda: F.cross_entropy(x, label)

    def cross_entropy_backward():
        x, label = normal(*CLASSES).requires_grad_(), below(CLASSES[1], CLASSES[0])
        loss = F.cross_entropy(x, label)
        return lambda: torch.autograd.grad(loss, x, retain_graph=True)

    def adamw():
        p = normal(*ROWS).requires_grad_()
        p.grad = normal(*ROWS)
        optimizer = torch.optim.AdamW([p], fused=True)
        return optimizer.step

    def sum_all():
        x = normal(*ROWS)
        return lambda: x.sum()

    def sum_rows():
        x = normal(*LINES)
        return lambda: x.sum(1)

    def sum_columns():
        x = normal(*LINES)
        return lambda: x.sum(0)

    def embedding(bound):
        index, d = below(bound, 8192), normal(8192, 768)
        return lambda: aten.embedding_dense_backward(d, index, 50257, -1, False)

    def product(size):
        a, b = normal(size, size), normal(size, size)
        return lambda: a @ b

    found = {make.__name__: make for make in (
        add, gelu, transpose, softmax, softmax_backward, layer_norm, layer_norm_backward,
        rms_norm, cross_entropy, cross_entropy_backward, adamw, sum_all, sum_rows,
        sum_columns)}
    found["embedding_gradient"] = lambda: embedding(50257)
    found["embedding_gradient_equal"] = lambda: embedding(1)
    for size in (1024, 4096):
        found[f"product_{size}"] = lambda size=size: product(size)
    return found


def measure(work, marks, steps):
    for _ in range(3):
        work()
    taken = []
    for _ in range(steps):
        begin = marks.mark()
        work()
        taken.append(marks.seconds(begin, marks.mark()))
    return statistics.median(taken)


def read_table(path):
    """Entry to microseconds, of the rows of a table of time_kernels."""
    times = {}
    with open(path, encoding="utf-8") as table:
        for line in table:
            cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
            if line.startswith("|") and len(cells) == 6 and cells[1].isdigit():
                times[cells[0]] = float(cells[3])
    return times


def main():
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    device = sys.argv[2] if len(sys.argv) > 2 else "cuda"
    steps = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    ours = read_table(sys.argv[1])
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.use_deterministic_algorithms(True)
    print(f"\nPyTorch {torch.__version__} on {device}, deterministic, no TF32\n")
    print("| entry | smp µs | PyTorch µs | PyTorch / smp |\n|---|---|---|---|")
    marks = Marks(device)
    for name, make in cases(device).items():
        if name in ours:
            taken = measure(make(), marks, steps) * 1e6
            print(f"| {name} | {ours[name]:.1f} | {taken:.1f} | {taken / ours[name]:.2f} |",
                  flush=True)


main()
