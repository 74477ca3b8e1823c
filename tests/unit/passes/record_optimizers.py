#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes OptimizerFixtures.h: five steps of PyTorch's optimizers, in f64. Lion,
which PyTorch lacks, by its formula in NumPy.

    python3 tests/unit/passes/record_optimizers.py > tests/unit/passes/OptimizerFixtures.h
"""
import numpy as np
import torch
from torch.optim import lr_scheduler

STEPS, MICROBATCHES = 5, 2
RATE, DECAY = 0.1, 0.125
torch.manual_seed(6)
torch.set_default_dtype(torch.float64)


def drawn(*shape):
    return torch.randn(*shape).round(decimals=2)


weight, bias = drawn(2, 3), drawn(3)
# Per step and microbatch: the gradients of the weight, then of the bias.
gradients = drawn(STEPS, MICROBATCHES, 9)


class Lion(torch.optim.Optimizer):
    def __init__(self, groups, lr, betas):
        super().__init__(groups, {"lr": lr, "betas": betas, "weight_decay": 0})

    def step(self):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                mean = self.state[p].get("mean", np.zeros(p.shape))
                g, value, rate = p.grad.numpy(), p.detach().numpy(), group["lr"]
                value = value - rate * group["weight_decay"] * value
                value = value - rate * np.sign(beta1 * mean + (1 - beta1) * g)
                self.state[p]["mean"] = beta2 * mean + (1 - beta2) * g
                p.data = torch.from_numpy(value)


def sgd(**options):
    return lambda groups: torch.optim.SGD(groups, lr=RATE, **options)


def adam(kind, **options):
    return lambda groups: kind(groups, lr=RATE, betas=(0.9, 0.99), eps=1e-6, **options)


def cosine(optimizer):
    return lr_scheduler.CosineAnnealingLR(optimizer, T_max=6, eta_min=0.01)


def linear(optimizer):
    return lr_scheduler.LinearLR(optimizer, start_factor=1, end_factor=0.2, total_iters=3)


def steps(optimizer):
    return lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)


def warmed(after):
    def make(optimizer):
        warm = lr_scheduler.LinearLR(optimizer, start_factor=1 / 3, total_iters=2)
        return lr_scheduler.SequentialLR(optimizer, [warm, after(optimizer)], [2])
    return make


def constant(optimizer):
    return lr_scheduler.ConstantLR(optimizer, factor=1)


def late_cosine(optimizer):
    return lr_scheduler.CosineAnnealingLR(optimizer, T_max=4, eta_min=0.01)


CASES = {
    "sgd": dict(make=sgd()),
    "sgd_decay": dict(make=sgd(), decay=DECAY),
    "momentum": dict(make=sgd(momentum=0.8)),
    "momentum_decay": dict(make=sgd(momentum=0.8), decay=DECAY),
    "nesterov": dict(make=sgd(momentum=0.8, nesterov=True)),
    "nesterov_decay": dict(make=sgd(momentum=0.8, nesterov=True), decay=DECAY),
    "adam": dict(make=adam(torch.optim.Adam)),
    "adam_decay": dict(make=adam(torch.optim.Adam), decay=DECAY),
    "adamw": dict(make=adam(torch.optim.AdamW)),
    "adamw_decay": dict(make=adam(torch.optim.AdamW), decay=DECAY),
    "adagrad": dict(make=lambda g: torch.optim.Adagrad(g, lr=RATE, eps=1e-6)),
    "adagrad_decay": dict(make=lambda g: torch.optim.Adagrad(g, lr=RATE, eps=1e-6), decay=DECAY),
    "rmsprop": dict(make=lambda g: torch.optim.RMSprop(g, lr=RATE, alpha=0.75, eps=1e-6)),
    "rmsprop_decay": dict(
        make=lambda g: torch.optim.RMSprop(g, lr=RATE, alpha=0.75, eps=1e-6), decay=DECAY),
    "lion": dict(make=lambda g: Lion(g, RATE, (0.9, 0.99))),
    "lion_decay": dict(make=lambda g: Lion(g, RATE, (0.9, 0.99)), decay=DECAY),
    "sgd_clip": dict(make=sgd(), clip=0.5),
    "sgd_clip_seldom": dict(make=sgd(), clip=3.0),
    "adamw_clip": dict(make=adam(torch.optim.AdamW), clip=0.5),
    "sgd_cosine": dict(make=sgd(), schedule=cosine),
    "sgd_linear": dict(make=sgd(), schedule=linear),
    "sgd_step": dict(make=sgd(), schedule=steps),
    "sgd_warmup": dict(make=sgd(), schedule=warmed(constant)),
    "adamw_all": dict(
        make=adam(torch.optim.AdamW), decay=DECAY, clip=0.5, schedule=warmed(late_cosine)),
}


def run(make, decay=0.0, clip=None, schedule=None):
    """Rates, norms and parameters after each step. Only the weight decays."""
    w = weight.clone().requires_grad_()
    b = bias.clone().requires_grad_()
    optimizer = make([{"params": [w], "weight_decay": decay}, {"params": [b], "weight_decay": 0}])
    scheduler = schedule(optimizer) if schedule else None
    values = []
    for step in range(STEPS):
        mean = gradients[step].mean(0)
        w.grad, b.grad = mean[:6].reshape(2, 3).clone(), mean[6:].clone()
        if clip:
            values.append(float(torch.nn.utils.clip_grad_norm_([w, b], clip)))
        values.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if scheduler:
            scheduler.step()
        values += w.detach().flatten().tolist() + b.detach().tolist()
    return values


def numbers(values):
    return "{" + ", ".join(f"{value:.17g}" for value in values) + "}"


print("// SPDX-License-Identifier: Apache-2.0")
print("// Written by record_optimizers.py.")
print("#ifndef SMP_TESTS_PASSES_OPTIMIZERFIXTURES_H")
print("#define SMP_TESTS_PASSES_OPTIMIZERFIXTURES_H\n")
print("#include <string>\n#include <vector>\n")
print("namespace smp::test {\n")
print(f"inline constexpr int kSteps = {STEPS}, kMicrobatches = {MICROBATCHES};")
print(f"inline const std::vector<double> kWeight = {numbers(weight.flatten().tolist())};")
print(f"inline const std::vector<double> kBias = {numbers(bias.tolist())};")
print("/// Per step and microbatch: of the weight, then of the bias.")
print(f"inline const std::vector<double> kGradients = {numbers(gradients.flatten().tolist())};")
print("\nstruct OptimizerFixture {")
print("  std::string name;")
print("  /// Per step: the norm of all gradients, where it is limited; the learning")
print("  /// rate; the weight and the bias after it.")
print("  std::vector<double> values;\n};")
print("inline const std::vector<OptimizerFixture> kOptimizerFixtures = {")
for name, case in CASES.items():
    print(f'{{"{name}", {numbers(run(**case))}}},')
print("};\n\n} // namespace smp::test\n")
print("#endif // SMP_TESTS_PASSES_OPTIMIZERFIXTURES_H")
