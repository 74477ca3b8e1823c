# SPDX-License-Identifier: Apache-2.0
"""The interpreter's lock: first calls at once, a Session that is deleted, and an interpreter
that ends while threads are inside. What may stop for ever has a process of its own."""
import gc
import logging
import subprocess
import sys
import threading
import unittest
import weakref
from unittest import mock

import numpy as np

import programs
import smp

# Both threads come to what NumPy is needed for before it is imported.
FIRST_CALLS = """
import sys, threading, smp
assert "numpy" not in sys.modules
program = smp.Program(sys.argv[1])
start = threading.Barrier(2)
def work():
    session = smp.Session(program)
    start.wait()
    print(len({call}))
threads = [threading.Thread(target=work) for _ in range(2)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""

# Threads call without end; the main one ends the interpreter when each has called.
ENDLESS_CALLS = """
import logging, sys, threading, smp
logging.basicConfig(filename="/dev/null", level=logging.INFO)
program = smp.Program(sys.argv[1])
def work(called):
    session = smp.Session(program)
    while True:
        {call}
        called.set()
all_called = [threading.Event() for _ in range(4)]
for each in all_called:
    threading.Thread(target=work, args=[each], daemon=True).start()
for each in all_called:
    {wait}
"""
STEP = "session.step('predict', x=[[1] * 4] * 2, truth=[3] * 2)"
REFUSED = """try: session.step('no')
        except smp.InvalidArgumentError: pass"""


def run(script):
    """What a process of its own says, and its exit status."""
    done = subprocess.run([sys.executable, "-c", script, programs.weighted_file()],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          timeout=120)
    return done.stdout, done.returncode


class Processes(unittest.TestCase):
    def test_first_calls_at_once(self):
        for call, length in [(STEP, 2), ("session.get_variable('w')", 4)]:
            with self.subTest(call):
                self.assertEqual(run(FIRST_CALLS.format(call=call)), (f"{length}\n" * 2, 0))

    def test_threads_that_are_inside_when_the_interpreter_ends(self):
        for call in [STEP, "session.get_variable('w')", "smp.Session(program)", REFUSED]:
            for wait in ["each.wait()", "pass"]:
                script = ENDLESS_CALLS.format(call=call, wait=wait)
                for _ in range(3):
                    with self.subTest(call=call, wait=wait):
                        self.assertEqual(run(script), ("", 0))


class Deleting(unittest.TestCase):
    def setUp(self):
        # Nobody has to give way: who runs has been let.
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1000)

    def overdue(self):
        """A Session that still runs a kernel, and what this reads."""
        x = np.ones(1 << 22, np.float32)
        session = smp.Session(programs.long_over_two(), devices="cpu:0,cpu:1",
                              deadline_seconds=1e-3)
        with self.assertLogs("smp", logging.WARNING):
            with self.assertRaises(smp.DeadlineExceededError):
                session.step("predict", x=x)
        return session, weakref.ref(x)

    def test_others_run_while_a_kernel_is_waited_for(self):
        turn, seen = threading.Lock(), []

        def see():
            with turn:
                seen.append(given() is not None)

        session, given = self.overdue()
        turn.acquire()
        other = threading.Thread(target=see)
        other.start()
        with self.assertLogs("smp", logging.WARNING) as logs:
            turn.release()
            del session
            self.assertEqual(seen, [True])
        other.join()
        self.assertRegex(logs.output[0], "closing a Session waits for kernel")
        gc.collect()
        self.assertIsNone(given())

    def test_what_a_handler_raises_is_not_lost(self):
        def fail(record):
            raise RuntimeError("no logs today")

        session, given = self.overdue()
        logger = logging.getLogger("smp")
        logger.addFilter(fail)
        self.addCleanup(logger.removeFilter, fail)
        with mock.patch("sys.unraisablehook") as hook:
            del session
        self.assertEqual(str(hook.call_args[0][0].exc_value), "no logs today")
        self.assertIsNone(given())


if __name__ == "__main__":
    unittest.main()
