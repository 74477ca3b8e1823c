# SPDX-License-Identifier: Apache-2.0
"""The wheel, with what it and its tests need beside it, and a fresh virtual environment
that has nothing else."""
import pathlib
import re
import subprocess
import sys
import sysconfig

from installation import SYSTEM, fail, run

# Optimised less, which is quicker: the tests of speed are elsewhere.
QUICK = "-G;Ninja;-DCMAKE_CXX_FLAGS_RELEASE=-O1"


def run_here(*command):
    """What it printed, in the environment that there is, as pip may need it."""
    result = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                            stdin=subprocess.DEVNULL)
    if result.returncode:
        fail(f"{' '.join(map(str, command))}: exit {result.returncode}\n"
             f"{result.stdout}{result.stderr}")
    return result.stdout + result.stderr


def obstacle(folder):
    """Why no wheel can be made here, or ""."""
    headers = pathlib.Path(sysconfig.get_path("include")) / "Python.h"
    if not headers.exists():
        return f"there is no {headers}"
    ask = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, "numpy"]
    if subprocess.run(ask, capture_output=True).returncode:
        return "pip finds no numpy"
    return ""


def make_wheels(source, build, folder):
    """The path of smp's wheel, in a folder that has all wheels."""
    run_here(sys.executable, "-m", "pip", "wheel", "--no-deps", "-C", f"cmake.args={QUICK}",
             "-C", f"build-dir={build}/wheel", "-w", folder, source / "python")
    wheel, = folder.glob("smp-*.whl")
    run_here(sys.executable, "-m", "pip", "download", "-q", "-d", folder, wheel, "ml_dtypes")
    return wheel


def install_fresh(wheels, folder):
    """The Python of a new virtual environment, which has the wheels."""
    run_here(sys.executable, "-m", "venv", folder)
    python = folder / "bin/python"
    run_here(python, "-m", "pip", "install", "-q", "--no-index", "--find-links", wheels, "smp",
             "ml_dtypes")
    return python


def pass_tests(python, tests, prefix, folder):
    """How many of tests/python passed, with the tools of the prefix."""
    said = run(python, "-B", "-m", "unittest", "discover", "-s", tests, folder=folder,
               path=f"{prefix}/bin:{SYSTEM}")
    if not (ran := re.search(r"^Ran [1-9]\d* tests? in .*$", said, re.M)):
        fail(f"no test of {tests} ran:\n{said}")
    return ran[0]
