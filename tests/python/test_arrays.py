# SPDX-License-Identifier: Apache-2.0
"""What goes into a step and comes out, by element type and layout."""
import unittest

import numpy as np

import programs
import smp

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None


def type_of(name):
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


class Arrays(unittest.TestCase):
    def test_every_element_type(self):
        for name in programs.TYPES:
            if name == "bfloat16" and not ml_dtypes:
                continue
            with self.subTest(name):
                session = smp.Session(programs.transposing(name))
                x = np.array([[0, 1, 0], [1, 1, 0]]).astype(type_of(name))
                self.assertEqual(session.entries["predict"].inputs["x"].dtype, name)
                y = session.step("predict", x=x)["y"]
                self.assertEqual(y.dtype, x.dtype)
                np.testing.assert_array_equal(y, x.T)
                out = np.empty((3, 2), x.dtype)
                self.assertIs(session.step("predict", x=x, out={"y": out})["y"], out)
                np.testing.assert_array_equal(out, x.T)

    @unittest.skipIf(ml_dtypes, "there is bfloat16")
    def test_bfloat16_needs_ml_dtypes(self):
        session = smp.Session(programs.transposing("bfloat16"))
        with self.assertRaisesRegex(smp.FailedPreconditionError, "install ml_dtypes"):
            session.step("predict", x=[[0, 1, 2], [3, 4, 5]])

    def test_every_layout_that_can_be_read(self):
        session = smp.Session(programs.transposing("float32"))
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        wide = np.zeros((2, 6), np.float32)
        wide[:, ::2] = x
        read_only = x.copy()
        read_only.flags.writeable = False
        layouts = {"row-major": x, "column-major": np.asfortranarray(x), "strided": wide[:, ::2],
                   "reversed": x[::-1, ::-1].copy()[::-1, ::-1], "read-only": read_only,
                   "memoryview": memoryview(x), "list": x.tolist(),
                   "unaligned": np.frombuffer(b"\0" + x.tobytes(), np.uint8)[1:]
                   .view(np.float32).reshape(2, 3)}
        for name, each in layouts.items():
            with self.subTest(name):
                np.testing.assert_array_equal(session.step("predict", x=each)["y"], x.T)

    def test_what_cannot_be_read(self):
        session = smp.Session(programs.transposing("float32"))
        x = np.zeros((2, 3), np.float32)
        wrong = {"f64; it must be f32": x.astype("f8"),
                 "3x2; it must be 2x3": x.T.copy(),
                 "DLPack's type 5": x.astype("c8"),
                 "is None": None,
                 "dtype >f4": x.astype(">f4"),
                 "dtype <U1": np.array([["a"] * 3] * 2)}
        for words, each in wrong.items():
            with self.subTest(words):
                with self.assertRaisesRegex(smp.InvalidArgumentError, "input 'x' .*" + words):
                    session.step("predict", x=each)
        with self.assertRaises(ValueError):
            session.step("predict", x=[[1, 2, 3], [4]])

    def test_out_is_written_where_it_is_or_refused(self):
        session = smp.Session(programs.transposing("float32"))
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        whole = np.zeros(9, np.float32)
        session.step("predict", x=x, out={"y": whole[3:].reshape(3, 2)})
        np.testing.assert_array_equal(whole, [0, 0, 0, 0, 3, 1, 4, 2, 5])
        read_only = np.empty((3, 2), np.float32)
        read_only.flags.writeable = False
        wrong = {"cannot be written where it is": read_only,
                 "writable row-major": np.empty((2, 3), np.float32).T,
                 "out 'y' is a list": [[0, 0]] * 3,
                 "has f64 elements; the output has f32": np.empty((3, 2)),
                 "given 20 bytes": np.empty(5, np.float32)}
        for words, each in wrong.items():
            with self.subTest(words):
                with self.assertRaisesRegex(smp.InvalidArgumentError, words):
                    session.step("predict", x=x, out={"y": each})
        with self.assertRaisesRegex(smp.InvalidArgumentError, "out 'z': .*no such output"):
            session.step("predict", x=x, out={"z": np.empty(6, np.float32)})

    def test_outputs_outlive_the_next_step_and_the_session(self):
        session = smp.Session(programs.transposing("float32"))
        x = np.arange(6, dtype=np.float32).reshape(2, 3)
        first = session.step("predict", x=x)["y"]
        session.step("predict", x=x + 1)
        session.close()
        np.testing.assert_array_equal(first, x.T)

    def test_what_speaks_dlpack_alone(self):
        class Lent:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **keywords):
                return self.array.__dlpack__(**keywords)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()

        for name in ["float64", "float32", "float16", "bool"]:
            session = smp.Session(programs.transposing(name))
            x = np.arange(6).astype(name).reshape(2, 3)
            wide = np.zeros((4, 6), name)
            wide[1::2, ::2] = x
            layouts = [x, np.asfortranarray(x), wide[1::2, ::2], x[::-1, ::-1]]
            if np.lib.NumpyVersion(np.__version__) >= "2.1.0":  # Lends what is read-only.
                layouts.append(np.broadcast_to(x[1], (2, 3)))
            for each in layouts:
                with self.subTest(dtype=name, strides=each.strides):
                    y = session.step("predict", x=Lent(each))["y"]
                    np.testing.assert_array_equal(y, each.T)


if __name__ == "__main__":
    unittest.main()
