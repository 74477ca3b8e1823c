# SPDX-License-Identifier: Apache-2.0
"""Programs of the tests, each compiled once by the smp-compile in the PATH."""
import functools
import pathlib
import tempfile

import smp

FOLDER = tempfile.TemporaryDirectory(prefix="smp-python-")
# y is the weighted sum of four numbers, in microbatches of two rows.
WEIGHTED = """smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.entry @predict(
    %x: tensor<2x4xf32> {smp.name = "x", smp.batch_axis = 0 : i64},
    %truth: tensor<2xf32> {smp.name = "truth", smp.batch_axis = 0 : i64})
    -> (tensor<2xf32> {smp.name = "y", smp.batch_axis = 0 : i64},
        tensor<f32> {smp.name = "loss"}) {
  %w = smp.read @w : tensor<4xf32>
  %each = smp.broadcast %w {dimensions = array<i64: 1>} : tensor<4xf32> to tensor<2x4xf32>
  %weighted = smp.mul %x, %each : tensor<2x4xf32>
  %y = smp.reduce sum %weighted {dimensions = array<i64: 1>}
      : (tensor<2x4xf32>) -> tensor<2xf32>
  %off = smp.sub %y, %truth : tensor<2xf32>
  %square = smp.mul %off, %off : tensor<2xf32>
  %loss = smp.reduce sum %square {dimensions = array<i64: 0>}
      : (tensor<2xf32>) -> tensor<f32>
  smp.return %y, %loss : tensor<2xf32>, tensor<f32>
}
"""
SGD = {"kind": "sgd", "learning_rate": 0.01}
# MLIR's name of each element type, by NumPy's.
TYPES = {"float64": "f64", "float32": "f32", "bfloat16": "bf16", "float16": "f16",
         "int64": "i64", "int32": "i32", "int16": "i16", "int8": "i8", "uint64": "ui64",
         "uint32": "ui32", "uint16": "ui16", "uint8": "ui8", "bool": "i1"}


def model(text):
    """The path of a file with the text."""
    path = pathlib.Path(FOLDER.name) / f"{abs(hash(text))}.mlir"
    path.write_text(text)
    return path


@functools.lru_cache(None)
def weighted():
    return smp.compile(model(WEIGHTED), join={"loss": "sum"})


@functools.lru_cache(None)
def weighted_file():
    """The path of weighted(), for other processes."""
    path = pathlib.Path(FOLDER.name) / "weighted.smp"
    smp.compile(model(WEIGHTED), path, join={"loss": "sum"})
    return path


@functools.lru_cache(None)
def weighted_over_two():
    """Partition 0 makes the products, partition 1 the differences to the truth."""
    text = WEIGHTED
    for partition, op in enumerate(["smp.mul %x, %each", "smp.sub %y, %truth"]):
        pin = f"{{smp.placement = #smp.placement<{partition}, user>}}"
        text = text.replace(op, f"{op} {pin}")
    return smp.compile(model(text), join={"loss": "sum"}, partitions=2)


@functools.lru_cache(None)
def trained():
    return smp.compile(model(WEIGHTED), train="loss", optimizer=SGD)


@functools.lru_cache(None)
def trained_by_adam():
    """Two microbatches a step."""
    return smp.compile(model(WEIGHTED), train="loss", microbatches=2,
                       optimizer={"kind": "adamw", "learning_rate": 0.01})


@functools.lru_cache(None)
def transposing(dtype):
    """y is x of 2x3 elements of a type of NumPy, transposed."""
    t = TYPES[dtype]
    return smp.compile(model(f"""smp.entry @predict(%x: tensor<2x3x{t}> {{smp.name = "x"}})
    -> (tensor<3x2x{t}> {{smp.name = "y"}}) {{
  %0 = smp.transpose %x {{permutation = array<i64: 1, 0>}}
      : (tensor<2x3x{t}>) -> tensor<3x2x{t}>
  smp.return %0 : tensor<3x2x{t}>
}}
"""))


@functools.lru_cache(None)
def product(size):
    """y is x times itself."""
    t = f"tensor<{size}x{size}xf32>"
    return smp.compile(model(f"""smp.entry @predict(%x: {t} {{smp.name = "x"}})
    -> ({t} {{smp.name = "y"}}) {{
  %0 = smp.dot_general %x, %x {{lhs_batch = array<i64>, lhs_contract = array<i64: 1>,
      rhs_batch = array<i64>, rhs_contract = array<i64: 0>}} : ({t}, {t}) -> {t}
  smp.return %0 : {t}
}}
"""))


@functools.lru_cache(None)
def long_over_two():
    """y is x after 64 functions, in one kernel of partition 0 that takes long, and z is x
    after one, of partition 1."""
    t = "tensor<4194304xf32>"
    first, second = (f"{{smp.placement = #smp.placement<{i}, user>}}" for i in range(2))
    sines = "\n".join(f"  %v{i + 1} = smp.sin %v{i} {first} : {t}" for i in range(64))
    return smp.compile(model(f"""smp.entry @predict(%v0: {t} {{smp.name = "x"}})
    -> ({t} {{smp.name = "y"}}, {t} {{smp.name = "z"}}) {{
{sines}
  %z = smp.neg %v0 {second} : {t}
  smp.return %v64, %z : {t}, {t}
}}
"""), partitions=2)
