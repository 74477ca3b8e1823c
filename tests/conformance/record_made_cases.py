#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records node cases of opsets 23 to 28, of inputs made here.

usage: record_made_cases.py FOLDER     (needs `onnx` 1.23 from PyPI)

Each case is one node; its outputs are what onnx's reference evaluator gives.
Beside the operators that came with these opsets there are those whose meaning
they changed, some of which only got more element types, and a few older ones
that onnx's own small cases do not show.
"""
import pathlib
import sys

import numpy as np
from onnx import ValueInfoProto, checker, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

IR_VERSIONS = {18: 8, 19: 9, 22: 10, 23: 11, 24: 12, 25: 13, 26: 13, 27: 13, 28: 14}
f2, f4, f8, i8 = np.float16, np.float32, np.float64, np.int64
rng = np.random.default_rng(7)


def floats(*shape, dtype=f4):
    return rng.standard_normal(shape).astype(dtype)


def ints(*values):
    return np.array(values, i8)


def record(target, opset, name, op, inputs, outputs=1, **attributes):
    """One node; of the inputs, None is left out."""
    given = {f"x{i}": x for i, x in enumerate(inputs) if x is not None}
    results = [f"y{i}" for i in range(outputs)] if isinstance(outputs, int) else outputs
    node = helper.make_node(
        op, [f"x{i}" if x is not None else "" for i, x in enumerate(inputs)], results,
        **attributes)
    types = {np.dtype(x.dtype): helper.np_dtype_to_tensor_dtype(x.dtype) for x in given.values()}

    def info(tensors):
        return [helper.make_tensor_value_info(k, types.get(x.dtype) or
                                              helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
                for k, x in tensors.items()]

    def model(outs):
        graph = helper.make_graph([node], name, info(given), outs)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)],
                                 ir_version=IR_VERSIONS[opset], producer_name="smp")

    wanted = [r for r in results if r]
    untyped = [ValueInfoProto(name=r) for r in wanted]
    got = dict(zip(wanted, map(np.asarray, ReferenceEvaluator(model(untyped)).run(None, given))))
    whole = model(info(got))
    checker.check_model(whole, full_check=True)
    folder = pathlib.Path(target) / f"opset{opset}_{name}"
    (folder / "test_data_set_0").mkdir(parents=True)
    (folder / "model.onnx").write_bytes(whole.SerializeToString())
    for kind, tensors in (("input", given), ("output", got)):
        for i, (key, tensor) in enumerate(tensors.items()):
            (folder / "test_data_set_0" / f"{kind}_{i}.pb").write_bytes(
                numpy_helper.from_array(tensor, key).SerializeToString())


def attention(target):
    def heads(queries=3, keys=3, of_query=2, of_key=2):
        return [floats(2, of_query, queries, 4), floats(2, of_key, keys, 4),
                floats(2, of_key, keys, 5)]

    def case(opset, name, inputs, outputs=1, **attributes):
        record(target, opset, f"attention_{name}", "Attention", inputs, outputs, **attributes)

    mask = np.array([[1, 1, 0, 0], [0, 0, 0, 0], [0, 1, 1, 1]], bool)
    case(23, "plain", heads())
    case(23, "scale_and_causal", heads(keys=4), scale=0.3, is_causal=1)
    case(23, "bool_mask", heads(keys=4) + [mask])
    case(23, "float_mask", heads(keys=4) + [floats(2, 1, 3, 4)])
    case(23, "float_mask_causal", heads(keys=4) + [floats(3, 4)], is_causal=1)
    case(23, "shared_heads_past", heads(keys=2, of_query=4) +
         [None, floats(2, 2, 3, 4), floats(2, 2, 3, 5)], 3, is_causal=1)
    case(23, "flat", [floats(2, 3, 16), floats(2, 4, 8), floats(2, 4, 6)],
         q_num_heads=4, kv_num_heads=2)
    for mode in range(4):
        # Of mode 0 the evaluator shows what a softcap has made; ONNX says: before it.
        case(23, f"shows_{mode}", heads(keys=4) + [mask], ["y", "", "", "shown"],
             softcap=2.0 if mode else 0.0, qk_matmul_output_mode=mode)
    case(23, "softmax_in_double", heads(), softmax_precision=11)
    # Added to a score of -32, f16's lowest is -inf: the first query has no keys.
    masked = np.array([[-65504, -65504, -65504], [0, -65504, 0]], f2)
    case(23, "half_lowest_mask", [np.full((1, 1, 2, 4), 4, f2), np.full((1, 1, 3, 4), -4, f2),
                                  np.arange(15, dtype=f2).reshape(1, 1, 3, 5), masked])
    case(24, "lengths", heads(keys=5) + [None, None, None, ints(2, 5)])
    case(24, "lengths_causal", heads(keys=5) + [None, None, None, ints(2, 5)], is_causal=1)
    case(24, "short_mask", heads(keys=6) + [mask])
    case(25, "windows", heads(queries=5, keys=6), left_window_size=2, right_window_size=1)
    case(25, "windows_past", heads(queries=3, keys=3) +
         [None, floats(2, 2, 4, 4), floats(2, 2, 4, 5)], 3, left_window_size=1, is_causal=1)


def around_attention(target):
    angles = rng.uniform(-3, 3, (6, 2)).astype(f4)
    places = np.array([[0, 1, 2], [3, 5, 1]], i8)
    tables = [np.cos(angles), np.sin(angles)]
    for interleaved in (0, 1):
        record(target, 23, f"rotary_embedding_{interleaved}", "RotaryEmbedding",
               [floats(2, 2, 3, 4), *tables, places], interleaved=interleaved)
        record(target, 23, f"rotary_embedding_flat_part_{interleaved}", "RotaryEmbedding",
               [floats(2, 3, 12), *(t[places] for t in tables)], interleaved=interleaved,
               num_heads=2, rotary_embedding_dim=4)
    record(target, 23, "rms_norm", "RMSNormalization", [floats(2, 3, 5), floats(5)])
    record(target, 23, "rms_norm_axis", "RMSNormalization", [floats(2, 3, 5), floats(3, 5)],
           axis=1, epsilon=0.1)
    record(target, 23, "rms_norm_half", "RMSNormalization",
           [floats(2, 3, 5, dtype=f2), floats(5, dtype=f2)])
    record(target, 23, "rms_norm_wide_scale", "RMSNormalization",
           [floats(2, 3, 5), floats(2, 1, 1)])
    for mode, starts in (("linear", ints(1, 2)), ("circular", ints(1, 3))):
        record(target, 24, f"tensor_scatter_{mode}", "TensorScatter",
               [floats(2, 3, 4, 2), floats(2, 3, 2, 2), starts], mode=mode)
    record(target, 24, "tensor_scatter_axis", "TensorScatter",
           [floats(2, 4, 3), floats(2, 2, 3), ints(2, 0)], axis=1)
    record(target, 24, "tensor_scatter_from_0", "TensorScatter",
           [floats(2, 4, 3), floats(2, 2, 3)])
    for rule in ("linear", "gated", "delta", "gated_delta"):
        gates = [floats(2, 3, 2) if "gated" in rule else None,
                 floats(2, 3, 2 if rule == "delta" else 1) if "delta" in rule else None]
        while gates and gates[-1] is None:
            gates.pop()
        record(target, 27, f"linear_attention_{rule}", "LinearAttention",
               [floats(2, 3, 12), floats(2, 3, 6), floats(2, 3, 4), floats(2, 2, 3, 2), *gates],
               2, update_rule=rule, q_num_heads=4, kv_num_heads=2)
    record(target, 27, "linear_attention_decay_per_key", "LinearAttention",
           [floats(1, 4, 6), floats(1, 4, 6), floats(1, 4, 4), None, floats(1, 4, 6)],
           2, update_rule="gated", q_num_heads=2, kv_num_heads=2, scale=0.5)
    record(target, 27, "causal_conv", "CausalConvWithState",
           [floats(2, 3, 5), floats(3, 1, 4), floats(3), floats(2, 3, 3)], 2, activation="silu")
    record(target, 27, "causal_conv_first", "CausalConvWithState",
           [floats(2, 3, 2), floats(3, 1, 4)], 2)


def elementwise(target):
    record(target, 24, "swish", "Swish", [floats(3, 4)], alpha=1.7)
    record(target, 28, "swiglu", "SwiGLU", [floats(3, 4), floats(3, 4)], alpha=0.5)
    record(target, 28, "celu_double", "Celu", [floats(3, 4, dtype=f8)], alpha=2.0)
    record(target, 26, "bit_cast_float", "BitCast", [floats(3, 4)], to=6)
    record(target, 26, "bit_cast_half", "BitCast",
           [np.array([0x3c00, 0xfc00, 1, 0x8000], np.uint16)], to=10)
    record(target, 26, "bit_cast_bool", "BitCast", [np.array([True, False])], to=2)
    record(target, 26, "bit_cast_sign", "BitCast", [ints(-1, 7)], to=13)
    for flags in ({}, {"exclusive": 1}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}):
        record(target, 26, "_".join(["cum_prod", *flags]), "CumProd",
               [floats(3, 4), np.array(1, i8)], **flags)
    signed = np.array([-128, -5, 5, 127, -1], np.int8), np.array([1, 9, 2, -1, 7], np.int8)
    for direction in ("LEFT", "RIGHT"):
        record(target, 28, f"bit_shift_{direction.lower()}", "BitShift", signed,
               direction=direction)
    record(target, 28, "mod_float", "Mod",
           [np.array([5.5, -5.5, 5.5, -5.5, 6, -6], f4), np.array([2, 2, -2, -2, -2, 2], f4)])
    record(target, 24, "cast_round_mode", "Cast", [floats(6)], to=10, round_mode="down")


def quantized(target):
    record(target, 23, "quantize_precision", "QuantizeLinear",
           [floats(2, 6, dtype=f2) * 50, np.array(0.3, f4), np.array(100, np.uint8)],
           precision=1)
    record(target, 25, "quantize_blocked", "QuantizeLinear",
           [floats(2, 6) * 50, rng.uniform(0.5, 2, (2, 3)).astype(f4),
            rng.integers(-9, 9, (2, 3)).astype(np.int16)], axis=1, block_size=2)
    record(target, 23, "dequantize_to_half", "DequantizeLinear",
           [rng.integers(0, 65535, (2, 6)).astype(np.uint16), np.array(0.01, f4)],
           output_dtype=10)
    record(target, 25, "dequantize_axis", "DequantizeLinear",
           [rng.integers(-128, 127, (2, 3, 2)).astype(np.int8),
            rng.uniform(0.5, 2, 3).astype(f4), rng.integers(-9, 9, 3).astype(np.int8)], axis=1)


def shapes(target):
    record(target, 25, "transpose", "Transpose", [floats(2, 3, 4)], perm=[2, 0, 1])
    record(target, 25, "reshape", "Reshape", [floats(2, 6), ints(3, -1)])
    record(target, 25, "flatten", "Flatten", [floats(2, 3, 4)], axis=-1)
    record(target, 25, "squeeze", "Squeeze", [floats(2, 1, 3, 1), ints(-1)])
    record(target, 25, "unsqueeze", "Unsqueeze", [floats(2, 3), ints(0, -1)])
    record(target, 25, "pad", "Pad", [floats(2, 3), ints(1, 2), np.array(7, f4), ints(1)])
    record(target, 25, "shape", "Shape", [floats(2, 3, 4)], start=-2)
    record(target, 25, "size", "Size", [floats(2, 3, 4)])
    record(target, 25, "identity", "Identity", [floats(2, 3)])
    record(target, 25, "cast_like", "CastLike", [floats(4) * 9, ints(1)])
    record(target, 24, "top_k", "TopK", [floats(3, 5), ints(2)], 2, largest=0)
    record(target, 28, "space_to_depth_crd", "SpaceToDepth", [floats(1, 2, 4, 6)], blocksize=2,
           mode="CRD")
    half = [np.array(x, f2) for x in (1000, 1010, 1.5)]
    record(target, 27, "range_half", "Range", half)


def older(target):
    resize = [None, None, ints(1, 1, 2, 3)]
    for mode in ("linear", "cubic"):
        for outside in (0, 1):
            record(target, 19, f"resize_antialias_{mode}_{outside}", "Resize",
                   [floats(1, 1, 5, 7), *resize], mode=mode, antialias=1,
                   exclude_outside=outside)
    zeros = abs(floats(3, 4))  # Of p = 1 the evaluator takes no absolute values.
    zeros[1] = 0
    for p in (1, 2):
        record(target, 22, f"lp_normalization_of_zeros_{p}", "LpNormalization", [zeros], p=p)
    record(target, 18, "col2im_overlapping", "Col2Im",
           [floats(1, 12, 9), ints(4, 5), ints(2, 3)], strides=[1, 2], pads=[0, 1, 0, 1])


def main(target):
    for part in (attention, around_attention, elementwise, quantized, shapes, older):
        part(target)


if __name__ == "__main__":
    main(sys.argv[1])
