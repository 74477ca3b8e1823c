#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records small node cases of opsets 18 to 22, which libonnx-testdata lacks.

usage: record_cases.py FOLDER          (needs a newer `onnx` from PyPI: 1.17 on)

For each operator and each version of it that came with one of these opsets, the
smallest of onnx's own node cases that are sound models of that opset, and whose
recorded outputs onnx's reference evaluator gives for that opset: one where
opset 21 or 22 added element types, else up to three.

Of the optimizers also what a later step gives, as the reference evaluator has it,
and the one case whose model in libonnx-testdata lacks the epsilon that it was
recorded with.
"""
import copy
import pathlib
import sys

import numpy as np
import onnx
from onnx import checker, defs, numpy_helper
from onnx.backend.test.case.node import collect_testcases
from onnx.reference import ReferenceEvaluator

OPSETS = range(18, 23)
MOST_BYTES = 6000
TYPES = [np.dtype(t) for t in (
    "f4", "f8", "f2", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1", "?")]
RANDOM = ("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike",
          "RandomUniform", "RandomUniformLike")
TRAINING = "ai.onnx.preview.training"
LATER_STEP = 3
IR_VERSIONS = {18: 8, 19: 9, 20: 9, 21: 10, 22: 10}


def versions():
    """Operators of ONNX's own domain with the opsets that changed them."""
    found = {}
    for schema in defs.get_all_schemas_with_history():
        if schema.domain == "" and schema.since_version in OPSETS and not schema.deprecated:
            found.setdefault(schema.name, set()).add(schema.since_version)
    return found


def with_arrays(case):
    """The case, or None when it has something else than tensors of our types."""
    if case.model is None or not case.data_sets or "training" in case.name:
        return None
    parts = [[numpy_helper.to_array(t) if isinstance(t, onnx.TensorProto) else t for t in part]
             for part in case.data_sets[0]]
    tensors = [t for part in parts for t in part]
    if not all(isinstance(t, (np.ndarray, np.generic)) for t in tensors):
        return None
    case.data_sets[0] = parts
    return case if is_plain(case, tensors) else None


def is_plain(case, tensors):
    return (len(case.model.graph.node) == 1
            and {o.domain for o in case.model.opset_import} == {""}
            and all(np.asarray(t).dtype in TYPES for t in tensors))


def at_opset(case, opset):
    """The case's model as one of that opset; None where it is not."""
    model = copy.deepcopy(case.model)
    model.opset_import[0].version = opset
    model.ir_version = IR_VERSIONS[opset]
    inputs, outputs = case.data_sets[0]
    try:
        checker.check_model(model, full_check=True)
        names = [i.name for i in model.graph.input]
        given = ReferenceEvaluator(model).run(None, dict(zip(names, inputs)))
        for expected, actual in zip(outputs, given):
            np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-6)
            assert np.asarray(actual).dtype == np.asarray(expected).dtype
    except Exception:  # Whatever the reason: no case of this opset.
        return None
    return model


def size_of(case):
    return case.model.ByteSize() + sum(
        np.asarray(t).nbytes for part in case.data_sets[0] for t in part)


def write(folder, model, case):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    inputs, outputs = case.data_sets[0]
    for kind, names, tensors in (("input", model.graph.input, inputs),
                                 ("output", model.graph.output, outputs)):
        for i, (value, tensor) in enumerate(zip(names, tensors)):
            proto = numpy_helper.from_array(np.asarray(tensor), value.name)
            (data / f"{kind}_{i}.pb").write_bytes(proto.SerializeToString())


def record_training(target):
    for case in collect_testcases(None):
        if case.model is None or case.model.graph.node[0].domain != TRAINING:
            continue
        if case.model.graph.node[0].op_type == "Gradient":
            continue
        case.model.ir_version = IR_VERSIONS[18]
        name = f"training1_{case.name[5:]}"
        inputs, outputs = case.data_sets[0]
        if case.name == "test_adam_multiple":
            write(pathlib.Path(target) / name, case.model, case)
        inputs[1] = np.array(LATER_STEP, np.int64)
        names = [i.name for i in case.model.graph.input]
        given = ReferenceEvaluator(case.model).run(None, dict(zip(names, inputs)))
        case.data_sets[0] = inputs, [np.asarray(o, e.dtype) for o, e in zip(given, outputs)]
        write(pathlib.Path(target) / f"{name}_later", case.model, case)


def main(target):
    record_training(target)
    np.random.seed(0)
    by_operator = {}
    for case in map(with_arrays, collect_testcases(None)):
        if case is not None:
            by_operator.setdefault(case.model.graph.node[0].op_type, []).append(case)
    for name, opsets in sorted(versions().items()):
        cases = sorted(by_operator.get(name, []), key=lambda c: (size_of(c), c.name))
        small = [c for c in cases if size_of(c) <= MOST_BYTES and name not in RANDOM]
        for opset in sorted(opsets):
            wanted = 1 if opset > 20 else 3
            for case in small:
                model = at_opset(case, opset) if wanted else None
                if model is not None:
                    write(pathlib.Path(target) / f"opset{opset}_{case.name[5:]}", model, case)
                    wanted -= 1
            if wanted == (1 if opset > 20 else 3):
                print(f"{name} of opset {opset}: no case")


if __name__ == "__main__":
    main(sys.argv[1])
