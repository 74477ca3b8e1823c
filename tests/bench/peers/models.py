# SPDX-License-Identifier: Apache-2.0
"""ONNX models for the measurements, with seeded weights."""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Model:
    """Collects nodes and weights of a graph with one input and one output."""

    def __init__(self, shape):
        self.random = np.random.default_rng(0)
        self.nodes, self.weights, self.shape, self.count = [], [], shape, 0

    def weight(self, *shape, scale=None):
        fan_in = int(np.prod(shape[1:])) if len(shape) > 2 else shape[0]
        scale = scale if scale is not None else (2.0 / fan_in) ** 0.5
        return self.constant((self.random.standard_normal(shape) * scale).astype(np.float32))

    def constant(self, value):
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def op(self, kind, inputs, **attributes):
        self.count += 1
        name = f"{kind}_{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def save(self, output, path):
        def value(name, shape):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

        graph = helper.make_graph(self.nodes, "graph", [value("x", self.shape)],
                                  [value(output, None)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
        model.ir_version = 8
        onnx.save(model, path)


def convolution(path, size, inputs, outputs, kernel, stride, groups):
    m = Model([1, inputs, size, size])
    y = m.op("Conv", ["x", m.weight(outputs, inputs // groups, kernel, kernel)],
             strides=[stride] * 2, pads=[kernel // 2] * 4, group=groups)
    m.save(y, path)


def resnet50(path):
    m = Model([1, 3, 224, 224])

    def conv(x, inputs, outputs, kernel, stride, relu=True):
        y = m.op("Conv", [x, m.weight(outputs, inputs, kernel, kernel)],
                 strides=[stride] * 2, pads=[kernel // 2] * 4)
        ones = [m.constant(np.full(outputs, v, np.float32)) for v in (0.7, 0.1, 0.1, 1.0)]
        y = m.op("BatchNormalization", [y] + ones)
        return m.op("Relu", [y]) if relu else y

    x = m.op("MaxPool", [conv("x", 3, 64, 7, 2)], kernel_shape=[3, 3], strides=[2, 2],
             pads=[1, 1, 1, 1])
    width = 64
    for stage, blocks in enumerate((3, 4, 6, 3)):
        inner = 64 << stage
        for block in range(blocks):
            stride = 2 if stage and not block else 1
            y = conv(conv(x, width, inner, 1, 1), inner, inner, 3, stride)
            y = conv(y, inner, 4 * inner, 1, 1, relu=False)
            if not block:
                x = conv(x, width, 4 * inner, 1, stride, relu=False)
            x = m.op("Relu", [m.op("Add", [y, x])])
            width = 4 * inner
    x = m.op("Flatten", [m.op("GlobalAveragePool", [x])])
    m.save(m.op("Gemm", [x, m.weight(2048, 1000), m.weight(1000, scale=0.1)]), path)


def encoder(path, layers=6, length=128, width=384, heads=12):
    m = Model([1, length, width])
    split = m.constant(np.array([1, length, heads, width // heads], np.int64))
    merge = m.constant(np.array([1, length, width], np.int64))
    root, half, one, root2 = (m.constant(np.float32(v))
                              for v in ((width // heads) ** 0.5, 0.5, 1.0, 2.0**0.5))

    def linear(x, inputs, outputs):
        y = m.op("MatMul", [x, m.weight(inputs, outputs, scale=inputs**-0.5)])
        return m.op("Add", [y, m.weight(outputs, scale=0.02)])

    def norm(x, y):
        scale = m.constant(np.full(width, 0.9, np.float32))
        return m.op("LayerNormalization",
                    [m.op("Add", [x, y]), scale, m.weight(width, scale=0.02)],
                    axis=-1, epsilon=1e-12)

    def head(x, permutation):
        return m.op("Transpose", [m.op("Reshape", [linear(x, width, width), split])],
                    perm=permutation)

    x = "x"
    for _ in range(layers):
        query, key, value = (head(x, p) for p in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = m.op("Div", [m.op("MatMul", [query, key]), root])
        mixed = m.op("MatMul", [m.op("Softmax", [scores], axis=-1), value])
        mixed = m.op("Reshape", [m.op("Transpose", [mixed], perm=[0, 2, 1, 3]), merge])
        x = norm(x, linear(mixed, width, width))
        inner = linear(x, width, 4 * width)
        gate = m.op("Add", [m.op("Erf", [m.op("Div", [inner, root2])]), one])
        inner = m.op("Mul", [m.op("Mul", [inner, gate]), half])
        x = norm(x, linear(inner, 4 * width, width))
    m.save(x, path)
