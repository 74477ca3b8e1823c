# SPDX-License-Identifier: Apache-2.0
"""Training and its checkpoints; compiling."""
import os
import pathlib
import tempfile
import unittest
from unittest import mock

import numpy as np

import programs
import smp


class Training(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        random = np.random.default_rng(7)
        self.x = random.standard_normal((2, 4), dtype=np.float32)
        self.truth = self.x @ np.array([1, 2, 3, 4], np.float32)

    def steps(self, session, count):
        return [float(session.step("train", x=self.x, truth=self.truth)["loss"])
                for _ in range(count)]

    def test_a_run_that_is_resumed_is_the_same(self):
        whole = self.steps(smp.Session(programs.trained()), 6)
        self.assertLess(whole[-1], whole[0])
        with smp.Session(programs.trained()) as session:
            manager = smp.CheckpointManager(session, self.folder / "made", max_to_keep=1)
            self.assertIsNone(manager.restore())
            self.assertIsNone(manager.latest)
            self.assertEqual(self.steps(session, 2), whole[:2])
            manager.save()
            self.steps(session, 1)
            path = manager.save()
            self.assertEqual((manager.latest, manager.checkpoints), (path, [path]))
        with self.assertRaisesRegex(smp.FailedPreconditionError, "closed"):
            manager.save()
        with smp.Session(programs.trained()) as session:
            manager = smp.CheckpointManager(session, self.folder / "made")
            self.assertEqual(manager.restore(), path)
            self.assertEqual(self.steps(session, 3), whole[3:])
            self.assertEqual(manager.restore("ckpt-2"), path)
            self.assertEqual(self.steps(session, 1), whole[3:4])

    def test_a_folder_whose_name_is_no_utf_8(self):
        folder = self.folder / os.fsdecode(b"made\xff")
        with smp.Session(programs.trained()) as session:
            manager = smp.CheckpointManager(session, folder)
            path = manager.save()
            self.assertEqual(path, str(folder / "ckpt-1"))
            self.assertEqual((manager.latest, manager.checkpoints), (path, [path]))
            for name in ["", path, pathlib.Path(path), os.fsencode(path)]:
                self.assertEqual(manager.restore(name), path)
            with self.assertRaisesRegex(smp.InvalidArgumentError, "no UTF-8"):
                smp.CheckpointManager(session, folder,
                                      checkpoint_name=os.fsdecode(b"c\xff")).save()

    def test_what_checkpoints_refuse(self):
        session = smp.Session(programs.trained())
        (self.folder / "file").write_text("")
        with self.assertRaises(smp.Error):
            smp.CheckpointManager(session, self.folder / "file").save()
        with self.assertRaisesRegex(smp.Error, "ckpt-9"):
            smp.CheckpointManager(session, self.folder).restore("ckpt-9")

    def test_a_manager_may_outlive_its_session(self):
        manager = smp.CheckpointManager(smp.Session(programs.trained()), self.folder)
        self.assertTrue(manager.save())


class Compiling(unittest.TestCase):
    def test_keywords_are_options(self):
        done = mock.Mock(returncode=1, stderr="no")
        with mock.patch("subprocess.run", return_value=done) as run:
            with self.assertRaisesRegex(smp.CompileError, "^no$"):
                smp.compile("m.onnx", "p.smp", dims={"batch": 1, "image[2]": [2, 4]},
                            partitions=2, train="loss", optimizer={"kind": "sgd"},
                            batch=["x[0]", "y[0]"], allow_unused=True, explain=False,
                            costs=pathlib.Path("c.json"), memory_limit=0)
        self.assertEqual(run.call_args[0][0][1:], [
            "-o=p.smp", "--dim=batch=1", "--dim=image[2]=2,4", "--partitions=2",
            "--train=loss", '--optimizer={"kind": "sgd"}', "--batch=x[0]", "--batch=y[0]",
            "--allow-unused", "--costs=c.json", "--memory-limit=0", "--", "m.onnx"])

    def test_names_of_files_that_are_no_utf_8(self):
        with tempfile.TemporaryDirectory() as folder:
            model = pathlib.Path(folder) / os.fsdecode(b"m\xff.mlir")
            model.write_text(programs.WEIGHTED)
            path = os.fsencode(model.with_suffix(".smp"))

            class Named:
                def __fspath__(self):
                    return path

            program = smp.compile(model, Named(), join={"loss": "sum"})
            self.assertEqual(smp.Program(path).fingerprint, program.fingerprint)
            self.assertEqual(list(smp.Session(path).entries), ["predict"])

    def test_the_words_of_the_compiler(self):
        wrong = {"/no/such.onnx: cannot read it": dict(model="/no/such.onnx"),
                 "--foo": dict(model=programs.model(programs.WEIGHTED), foo=1),
                 "has no output 'lost'": dict(model=programs.model(programs.WEIGHTED),
                                              train="lost", optimizer=programs.SGD)}
        for words, keywords in wrong.items():
            with self.subTest(words):
                with self.assertRaisesRegex(smp.CompileError, words):
                    smp.compile(**keywords)
        with self.assertRaisesRegex(TypeError, "model is a int"):
            smp.compile(1)

    def test_no_compiler(self):
        with mock.patch.dict(os.environ, PATH=""):
            with self.assertRaisesRegex(smp.UnavailableError, "smp-compile is not in the PATH"):
                smp.compile("m.onnx")

    def test_bytes_are_a_model(self):
        with self.assertRaisesRegex(smp.CompileError, "model.onnx"):
            smp.compile(b"no onnx")

    def test_the_file_is_kept_where_it_is_wanted(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "p.smp"
            program = smp.compile(programs.model(programs.WEIGHTED), path, join={"loss": "sum"})
            self.assertEqual(smp.Program(path).fingerprint, program.fingerprint)
            self.assertEqual(program.fingerprint, programs.weighted().fingerprint)


if __name__ == "__main__":
    unittest.main()
