#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes LossFixtures.h: losses and their gradients as PyTorch has them, in f64.

    python3 tests/unit/import/record_losses.py > tests/unit/import/LossFixtures.h
"""
import torch
import torch.nn.functional as F

torch.manual_seed(4)
torch.set_default_dtype(torch.float64)


def drawn(*shape):
    return (torch.randn(*shape) * 2).round(decimals=2)


x = drawn(2, 3, 5)
y = drawn(2, 3, 5)
classes = torch.tensor([[4, 0, 1], [1, 3, 1]])
probabilities = torch.softmax(drawn(2, 3, 5), -1).round(decimals=3)
probabilities[0, 0] = torch.tensor([1.0, 0, 0, 0, 0])
zeros = x.clone()
zeros[0, 0] = torch.tensor([0.0, 40, -40, 700, -700])
bits = (drawn(2, 3, 5) > 0).double()
weight = torch.tensor([1.0, 0.5, 2, 3, 0.25])
logs = torch.log_softmax(x, -1)
log_target = torch.log_softmax(y, -1)


def rows(loss, logits, target, **options):
    """PyTorch has the classes in dimension 1."""
    if target.dtype.is_floating_point:
        target = target.reshape(6, 5)
    else:
        target = target.reshape(6)
    return loss(logits.reshape(6, 5), target, **options)


CASES = {
    "cross_entropy": (x, lambda v: rows(F.cross_entropy, v, classes)),
    "cross_entropy_sum": (x, lambda v: rows(F.cross_entropy, v, classes, reduction="sum")),
    "cross_entropy_none": (x, lambda v: rows(F.cross_entropy, v, classes, reduction="none")),
    "cross_entropy_smoothed": (x, lambda v: rows(F.cross_entropy, v, classes, label_smoothing=0.1)),
    "cross_entropy_ignored": (x, lambda v: rows(F.cross_entropy, v, classes, ignore_index=1)),
    "cross_entropy_smoothed_ignored": (
        x, lambda v: rows(F.cross_entropy, v, classes, label_smoothing=0.3, ignore_index=1)),
    "cross_entropy_far": (zeros, lambda v: rows(F.cross_entropy, v, classes)),
    "cross_entropy_of": (x, lambda v: rows(F.cross_entropy, v, probabilities)),
    "cross_entropy_of_smoothed": (
        x, lambda v: rows(F.cross_entropy, v, probabilities, label_smoothing=0.1, reduction="sum")),
    "mean_squared_error": (x, lambda v: F.mse_loss(v, y)),
    "mean_squared_error_none": (x, lambda v: F.mse_loss(v, y, reduction="none")),
    "l1": (x, lambda v: F.l1_loss(v, y)),
    "l1_sum": (x, lambda v: F.l1_loss(v, y, reduction="sum")),
    "binary_cross_entropy": (zeros, lambda v: F.binary_cross_entropy_with_logits(v, bits)),
    "binary_cross_entropy_weighted": (
        zeros, lambda v: F.binary_cross_entropy_with_logits(v, bits, pos_weight=weight)),
    "kl_divergence": (logs, lambda v: F.kl_div(v, probabilities, reduction="mean")),
    "kl_divergence_batchmean": (logs, lambda v: F.kl_div(v, probabilities, reduction="batchmean")),
    "kl_divergence_sum": (logs, lambda v: F.kl_div(v, probabilities, reduction="sum")),
    "kl_divergence_log_target": (
        logs, lambda v: F.kl_div(v, log_target, reduction="batchmean", log_target=True)),
}


def numbers(tensor):
    text, line = [], "   "
    for item in tensor.detach().flatten().tolist():
        word = f" {item:.17g},"
        if len(line) + len(word) > 80:
            text.append(line)
            line = "   "
        line += word
    return "{\n" + "\n".join(text + [line.rstrip(",")]) + "}"


print("// SPDX-License-Identifier: Apache-2.0")
print("// Written by record_losses.py.")
print("#ifndef SMP_TESTS_IMPORT_LOSSFIXTURES_H")
print("#define SMP_TESTS_IMPORT_LOSSFIXTURES_H\n")
print("#include <string>\n#include <vector>\n")
print("namespace smp::test {\n")
print("using Numbers = std::vector<double>;\n")
for name, tensor in [("kX", x), ("kY", y), ("kProbabilities", probabilities), ("kFar", zeros),
                     ("kBits", bits), ("kPositiveWeight", weight), ("kLogs", logs),
                     ("kLogTarget", log_target), ("kClasses", classes)]:
    print(f"inline const Numbers {name} = {numbers(tensor)};")
print("\nstruct LossFixture {")
print("  std::string name;\n  Numbers value;\n  Numbers gradient; ///< Of the sum.\n};")
print("inline const std::vector<LossFixture> kLossFixtures = {")
for name, (start, function) in CASES.items():
    v = start.clone().requires_grad_()
    value = function(v)
    value.sum().backward()
    print(f'{{"{name}", {numbers(value)}, {numbers(v.grad)}}},')
print("};\n\n} // namespace smp::test\n")
print("#endif // SMP_TESTS_IMPORT_LOSSFIXTURES_H")
