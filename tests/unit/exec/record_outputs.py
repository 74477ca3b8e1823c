# SPDX-License-Identifier: Apache-2.0
"""Prints the numbers of OutputTensorTest.cpp: what numpy makes of the values of
microbatches. 16-bit floats are summed in f32 there, as numpy's mean does."""
import numpy as np


def show(name, array):
    items = ", ".join(float(x).hex() if array.dtype.kind == "f" else str(x)
                      for x in array.reshape(-1))
    print(f"{name} {array.dtype}{list(array.shape)}: {items}")


def record(name, values, axis):
    wide = values.astype(np.float32) if values.dtype == np.float16 else values
    show(f"{name} sum", wide.sum(axis=0, dtype=wide.dtype).astype(values.dtype))
    if values.dtype.kind == "f":
        show(f"{name} mean", wide.mean(axis=0).astype(values.dtype))
    show(f"{name} stack", np.stack(list(values)))
    if axis is not None:
        show(f"{name} concat", np.concatenate(list(values), axis=axis))


F32 = np.array([[[0.1, 1e8, -3.3], [0.7, 1e-3, 5.5]],
                [[0.2, 1.0, 7.1], [-0.7, 2e-3, 6.6]],
                [[0.3, -1e8, 0.9], [1e-9, 4e-3, 7.7]]], np.float32)
record("f32", F32, 1)
record("f64", F32.astype(np.float64) * (1 / 3), 0)
record("f16", np.array([[2048, 0.1, 60000], [1, 0.2, 60000], [1, 0.3, -60000]],
                       np.float16), 0)
record("i8", np.array([[100, -7], [27, -8], [1, -9]], np.int8), 0)
record("i64", np.array([2**62, 5, -7]), None)
