# SPDX-License-Identifier: Apache-2.0
"""Steps, variables, stops: what a Session does, and what it refuses."""
import gc
import importlib.metadata
import logging
import threading
import unittest
import weakref

import numpy as np

import programs
import smp

X = np.ones((4, 4), np.float32)
TRUTH = np.full(4, 3, np.float32)


class Calling:
    """An array that calls something when it is read."""

    def __init__(self, array, call):
        self.array, self.call = array, call

    def __dlpack__(self, **keywords):
        self.call()
        return self.array.__dlpack__(**keywords)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Steps(unittest.TestCase):
    def setUp(self):
        self.session = smp.Session(programs.weighted())

    def step(self, **others):
        return self.session.step("predict", x=X, truth=TRUTH, **others)

    def test_signatures(self):
        entry = programs.weighted().entries["predict"]
        self.assertEqual((entry.mode, entry.microbatches), ("predict", 0))
        x, loss = entry.inputs["x"], entry.outputs["loss"]
        self.assertEqual((x.shape, x.batch_axis, x.join), ((2, 4), 0, ""))
        self.assertEqual((loss.shape, loss.batch_axis, loss.join), ((), None, "sum"))
        self.assertEqual(repr(x), "TensorSignature('x', float32, (2, 4))")
        self.assertEqual(repr(entry), "EntrySignature('predict', inputs ['x', 'truth'], "
                         "outputs ['y', 'loss'])")
        self.assertEqual(self.session.variables["w"].kind, "parameter")
        self.assertEqual(list(self.session.entries), ["predict"])

    def test_programs_are_told_apart(self):
        one, other = programs.weighted(), programs.trained_by_adam()
        self.assertNotEqual(one.fingerprint, other.fingerprint)
        self.assertEqual(other.entries["train"].microbatches, 2)
        kinds = {name: each.kind for name, each in other.variables.items()}
        self.assertEqual((kinds["w"], kinds["optimizer/mean/w"]), ("parameter", "optimizer"))
        self.assertEqual((one.entries["predict"].mode, other.entries["train"].mode),
                         ("predict", "train"))

    def test_the_version_is_that_of_the_package(self):
        self.assertEqual(smp.__version__, importlib.metadata.version("smp"))

    def test_microbatches_are_joined(self):
        outputs = self.step()
        np.testing.assert_array_equal(outputs["y"], [4, 4, 4, 4])
        self.assertEqual(outputs["loss"], 4)
        self.step(microbatches=2)
        with self.assertRaisesRegex(smp.InvalidArgumentError, "microbatch"):
            self.step(microbatches=3)

    def test_names_that_are_no_words_of_python(self):
        class Mapping(dict):
            pass

        for inputs in [{"x": X, "truth": TRUTH}, Mapping(x=X, truth=TRUTH)]:
            self.assertEqual(self.session.step("predict", inputs)["loss"], 4)

    def test_what_is_refused(self):
        wrong = [
            (smp.InvalidArgumentError, "no entry 'train'", ("train",), {}),
            (smp.InvalidArgumentError, "no entry 'predict", ("predict\0x",), {}),
            (smp.InvalidArgumentError, "needs input 'truth'", ("predict",), {"x": X}),
            (smp.InvalidArgumentError, "'x' is given twice", ("predict", {"x": X}), {"x": X}),
            (UnicodeEncodeError, "surrogates", ("predict", {"\ud800": X}), {}),
            (TypeError, "inputs has a name that is a int", ("predict", {1: X}), {}),
            (TypeError, "inputs is a int", ("predict", 1), {}),
            (TypeError, "out is a int", ("predict",), {"out": 1}),
            (TypeError, "incompatible function arguments", (), {"entry": "predict"})]
        for kind, words, positional, named in wrong:
            with self.subTest(words):
                with self.assertRaisesRegex(kind, words):
                    self.session.step(*positional, **named)
        self.assertEqual(self.step()["loss"], 4)

    def test_variables(self):
        np.testing.assert_array_equal(self.session.get_variable("w"), [1, 1, 1, 1])
        self.session.set_variable("w", [1, 2, 3, 4])
        np.testing.assert_array_equal(self.step()["y"], [10] * 4)
        other = smp.Session(programs.weighted())
        np.testing.assert_array_equal(other.get_variable("w"), [1, 1, 1, 1])
        for words, name, value in [("no variable 'v'", "v", [1]), (r"is a f32\[4\]; it was given a f32\[2\]", "w", [1, 2]),
                                   (r"given a f64\[4\]", "w", np.ones(4))]:
            with self.assertRaisesRegex(smp.InvalidArgumentError, words):
                self.session.set_variable(name, value)
        with self.assertRaisesRegex(smp.InvalidArgumentError, "no variable 'v'"):
            self.session.get_variable("v")

    def test_one_call_at_a_time(self):
        refused = []

        def call():
            for use in [self.step, self.session.close, self.session.memory,
                        lambda: self.session.get_variable("w")]:
                try:
                    use()
                except smp.FailedPreconditionError as error:
                    refused.append(str(error))

        x = Calling(X, call)
        self.assertEqual(self.session.step("predict", x=x, truth=TRUTH)["loss"], 4)
        self.assertEqual(len(refused), 4)
        self.assertIn("busy", refused[0])

    def test_a_mapping_that_changes_while_it_is_read(self):
        inputs = {}
        inputs["x"] = Calling(X, lambda: inputs.clear() or gc.collect())
        inputs["truth"] = TRUTH.copy()
        self.assertEqual(self.session.step("predict", inputs)["loss"], 4)

    def test_an_array_that_raises(self):
        def fail():
            raise RuntimeError("no array today")

        with self.assertRaisesRegex(RuntimeError, "no array today"):
            self.session.step("predict", x=Calling(X, fail), truth=TRUTH)
        self.assertEqual(self.step()["loss"], 4)

    def test_stop(self):
        x = Calling(X, self.session.request_stop)
        with self.assertRaises(smp.CancelledError):
            self.session.step("predict", x=x, truth=TRUTH)
        with self.assertRaises(smp.CancelledError):
            self.step()
        self.session.clear_stop()
        self.assertEqual(self.step()["loss"], 4)

    def test_close(self):
        with self.session as session:
            self.assertIs(session, self.session)
            self.step()
        self.session.close()
        for use in [self.step, self.session.request_stop, self.session.clear_stop,
                    self.session.memory, self.session.stage_times]:
            with self.assertRaisesRegex(smp.FailedPreconditionError, "closed"):
                use()

    def test_reports(self):
        self.step()
        memory, = self.session.memory()
        self.assertEqual((memory.device, memory.partition), ("cpu:0", 0))
        self.assertRegex(memory.kind, "^x86-64-v[234]$")
        self.assertGreaterEqual(memory.peak_bytes, memory.current_bytes)
        self.assertGreater(memory.current_bytes, memory.shared_bytes)
        self.assertGreaterEqual(memory.imported_bytes, 4 * 4)  # w is used in the file.
        time, = self.session.stage_times()
        self.assertEqual((time.entry, time.stage, time.partition, time.runs),
                         ("predict", "predict_0", 0, 2))
        self.assertGreater(time.measured_seconds, 0)
        self.assertGreater(time.predicted_seconds, 0)

    def test_reports_of_two_partitions(self):
        session = smp.Session(programs.weighted_over_two(), devices="cpu:0,cpu:1")
        self.assertEqual(session.step("predict", x=X, truth=TRUTH)["loss"], 4)
        self.assertEqual([(each.device, each.partition) for each in session.memory()],
                         [("cpu:0", 0), ("cpu:1", 1)])
        self.assertEqual({time.partition for time in session.stage_times()}, {0, 1})

    def test_a_deadline_is_said_to_logging_and_keeps_arrays(self):
        size = 3000
        session = smp.Session(programs.product(size), deadline_seconds=1e-3)
        x, y = np.ones((size, size), np.float32), np.empty((size, size), np.float32)
        given = weakref.ref(x), weakref.ref(y)
        with self.assertLogs("smp", logging.WARNING) as logs:
            with self.assertRaisesRegex(smp.DeadlineExceededError, "deadline"):
                session.step("predict", x=x, out={"y": y})
        self.assertRegex(logs.output[0], "no progress.*partition 0 .cpu:0. runs kernel")
        del x, y
        gc.collect()
        self.assertTrue(all(each() is not None for each in given))
        session.close()
        self.assertTrue(all(each() is None for each in given))

    def test_threads_step_at_once(self):
        failed = []

        def work():
            session = smp.Session(programs.weighted())
            for i in range(200):
                x = np.full((4, 4), i, np.float32)
                y = session.step("predict", x=x, truth=TRUTH)["y"]
                if not np.array_equal(y, [4 * i] * 4):
                    failed.append(i)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failed, [])


class Opening(unittest.TestCase):
    def test_what_is_refused(self):
        program = programs.weighted()
        wrong = [(smp.UnavailableError, "No such file", ("/no/such.smp",), {}),
                 (TypeError, "os.PathLike", (1,), {}),
                 (smp.InvalidArgumentError, "2 devices were given", (program,),
                  {"devices": "cpu:0,cpu:1"}),
                 (smp.InvalidArgumentError, "level 'v9'", (program,), {"level": "v9"}),
                 (smp.InvalidArgumentError, "it is off, nan or nan_and_inf", (program,),
                  {"check_numerics": "inf"}),
                 (smp.ResourceExhaustedError, "limit", (program,), {"memory_limit_bytes": 1})]
        for kind, words, positional, named in wrong:
            with self.subTest(words):
                with self.assertRaisesRegex(kind, words):
                    smp.Session(*positional, **named)
        with self.assertRaisesRegex(smp.UnavailableError, "No such file"):
            smp.Program("/no/such.smp")

    def test_errors_are_pythons_too(self):
        for kind, of in [(smp.InvalidArgumentError, ValueError),
                         (smp.UnavailableError, OSError),
                         (smp.DeadlineExceededError, TimeoutError)]:
            self.assertTrue(issubclass(kind, of) and issubclass(kind, smp.Error))

    def test_check_numerics(self):
        session = smp.Session(programs.weighted(), check_numerics="nan")
        x = X.copy()
        x[0, 0] = np.nan
        with self.assertRaisesRegex(smp.Error, "NaN"):
            session.step("predict", x=x, truth=TRUTH)


if __name__ == "__main__":
    unittest.main()
