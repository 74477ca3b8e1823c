#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes DTensorFixtures.h: texts of layouts, what devices have and who saves what,
as TensorFlow's DTensor has them on eight virtual CPUs.

    python3 tests/unit/model/record_layouts.py > tests/unit/model/DTensorFixtures.h
"""
import itertools
import os
import struct
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.core.protobuf import tensor_bundle_pb2
from tensorflow.experimental import dtensor

DEVICES = 8
SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
# Dimensions, and the shapes of tensors.
MESHES = [({"x": 2, "y": 4}, [(), (8,), (8, 16)]),
          ({"x": 2, "y": 2, "z": 2}, [(8, 4, 2)]),
          ({"b": 1, "x": 8}, [(8,), (8, 16)])]


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def entries(data, offset, size):
    """The keys and values of one block of a sorted table that is not compressed."""
    data = data[offset:offset + size]
    end = size - 4 - 4 * struct.unpack("<I", data[-4:])[0]
    key, at = b"", 0
    while at < end:
        shared, at = varint(data, at)
        fresh, at = varint(data, at)
        length, at = varint(data, at)
        key = key[:shared] + data[at:at + fresh]
        at += fresh
        yield key, data[at:at + length]
        at += length


def index(path):
    with open(path, "rb") as file:
        data = file.read()
    footer = data[-48:]
    _, at = varint(footer, 0)
    _, at = varint(footer, at)
    offset, at = varint(footer, at)
    size, _ = varint(footer, at)
    for _, handle in entries(data, offset, size):
        block, at = varint(handle, 0)
        yield from entries(data, block, varint(handle, at)[0])


def signed(data, at):
    """An ordered code of a number below 64, the only ones here."""
    assert data[at] & 0xc0 in (0x80, 0x40), data
    return data[at] - 0x80, at + 1


def slices(prefix):
    """Per variable: (device, begins and extents; an extent of -1 is all there is)."""
    found = {}
    for key, value in index(prefix + ".index"):
        if not key or b"OBJECT_GRAPH" in key:
            continue
        entry = tensor_bundle_pb2.BundleEntryProto.FromString(value)
        # The second file is that of the object graph.
        assert entry.shard_id != 1
        device = max(entry.shard_id - 1, 0)
        if key[0] == 0:  # A slice: the name, its rank, begin and extent per axis.
            name, rest = key[1:].split(b"\0\1", 1)
            assert rest[0] == 1
            at, slice_of = 2, []
            for _ in range(rest[1]):
                begin, at = signed(rest, at)
                extent, at = signed(rest, at)
                slice_of.append((begin, extent))
            found.setdefault(name.decode()[:-len(SUFFIX)], []).append((device, slice_of))
        elif not entry.slices:
            dims = [(0, -1) for _ in entry.shape.dim]
            found.setdefault(key.decode()[:-len(SUFFIX)], []).append((device, dims))
    return found


def variable(shape, layout):
    mesh = layout.mesh
    values = tf.reshape(tf.range(int(np.prod(shape)), dtype=tf.int32), shape)
    whole = dtensor.copy_to_mesh(values, dtensor.Layout.replicated(mesh, len(shape)))
    return dtensor.DVariable(dtensor.relayout(whole, layout))


def specs_of(dims, rank):
    for specs in itertools.product(["unsharded", *dims], repeat=rank):
        named = [spec for spec in specs if spec != "unsharded"]
        if len(named) == len(set(named)):
            yield list(specs)


def list_of(values):
    return "{" + ", ".join(str(int(value)) for value in values) + "}"


def record(number, dims, shapes):
    mesh = dtensor.create_mesh(dims)
    cases = {}
    for shape in shapes:
        for i, specs in enumerate(specs_of(dims, len(shape))):
            layout = dtensor.Layout(specs, mesh)
            cases[f"v{len(shape)}_{i}"] = (shape, layout, variable(shape, layout))
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "c")
        tf.train.Checkpoint(**{key: case[2] for key, case in cases.items()}).write(prefix)
        # All devices write, so that files are numbered as devices are.
        assert len([f for f in os.listdir(folder) if ".data-" in f]) == DEVICES + 1
        saved = slices(prefix)
    for key, (shape, layout, value) in cases.items():
        parts = [part.numpy() for part in dtensor.unpack(value.read_value())]
        firsts = [part.flat[0] for part in parts]
        writers = []
        for device, slice_of in sorted(saved[key]):
            extents = [length if length >= 0 else size
                       for (_, length), size in zip(slice_of, shape)]
            writers.append("{%d, {%s, %s}}" % (
                device, list_of(begin for begin, _ in slice_of), list_of(extents)))
        specs = layout.to_string().removesuffix(mesh.to_string())
        assert specs.endswith(" mesh:")
        print(f'    {{"{specs}", {number}, {str(layout.is_fully_replicated()).lower()},'
              f" {list_of(layout.num_shards(i) for i in range(layout.rank))},"
              f" {list_of(shape)}, {list_of(parts[0].shape)}, {list_of(firsts)},"
              f" {{{', '.join(writers)}}}}},")


def main():
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(
        cpu, [tf.config.LogicalDeviceConfiguration()] * DEVICES)
    print(f"""// SPDX-License-Identifier: Apache-2.0
// Written by record_layouts.py, with TensorFlow {tf.__version__}.
#ifndef SMP_TESTS_UNIT_MODEL_DTENSORFIXTURES_H
#define SMP_TESTS_UNIT_MODEL_DTENSORFIXTURES_H

#include "smp/model/Shards.h"

namespace smp::test {{

/// A tensor whose elements are 0, 1, 2 and so on, in a layout.
struct DTensorCase {{
  const char *specs; ///< The text up to the mesh.
  size_t mesh;       ///< Which of kDTensorMeshes.
  bool isFullyReplicated;
  std::vector<int64_t> numShards;
  Shape shape, localShape;
  std::vector<int64_t> firsts; ///< The first element of each device.
  std::vector<SliceWriter> writers;
}};

// clang-format off
inline const std::vector<std::string> kDTensorMeshes = {{""")
    for dims, _ in MESHES:
        print(f'    "{dtensor.create_mesh(dims).to_string()}",')
    print("""};

inline const std::vector<DTensorCase> kDTensorCases = {""")
    for number, (dims, shapes) in enumerate(MESHES):
        record(number, dims, shapes)
    print("""};
// clang-format on

} // namespace smp::test

#endif // SMP_TESTS_UNIT_MODEL_DTENSORFIXTURES_H""")


main()
