# SPDX-License-Identifier: Apache-2.0
"""Compiling by the smp-compile that is installed, in a process of its own."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any, Iterator, Mapping, Optional, Union

from ._errors import CompileError, UnavailableError
from ._smp import Program

# Options that take a name and a value, once for each; those of other mappings are JSON.
_PAIRS = {"dim", "join", "weight", "constant"}


def _word(value: Any) -> str:
    """A value of an option; a path may be bytes that are no text."""
    return os.fsdecode(value) if isinstance(value, os.PathLike) else str(value)


def _flags(name: str, value: Any) -> Iterator[str]:
    """What smp-compile is given for one keyword."""
    option = "--" + name.replace("_", "-")
    if value is None or value is False:
        return
    if value is True:
        yield option
    elif isinstance(value, Mapping) and name in _PAIRS:
        for key, each in value.items():
            if isinstance(each, (list, tuple)):
                each = ",".join(_word(item) for item in each)
            yield f"{option}={key}={_word(each)}"
    elif isinstance(value, Mapping):
        yield f"{option}={json.dumps(dict(value))}"
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield f"{option}={_word(each)}"
    else:
        yield f"{option}={_word(value)}"


def _compiler() -> str:
    found = shutil.which("smp-compile")
    if not found:
        raise UnavailableError("smp-compile is not in the PATH; install smp's tools "
                               "(the package smp-tools, or `make install`)")
    return found


def _model_file(model: Any, folder: str) -> str:
    """The path of a model; that of a file in `folder` for one in memory."""
    if isinstance(model, (str, os.PathLike)):
        return os.fsdecode(model)
    model = getattr(model, "model_proto", model)  # of torch.onnx.export(..., dynamo=True)
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if not isinstance(model, (bytes, bytearray, memoryview)):
        raise TypeError(f"model is a {type(model).__name__}; it must be a path, an ONNX "
                        "ModelProto or its bytes")
    path = os.path.join(folder, "model.onnx")
    pathlib.Path(path).write_bytes(model)
    return path


def compile(model: Any, output: Union[str, "os.PathLike[str]", None] = None, *,
            dims: Optional[Mapping[str, Any]] = None, partitions: Optional[int] = None,
            train: Optional[str] = None, optimizer: Any = None, **options: Any) -> Program:
    """Compiles a model by smp-compile, which must be installed, and loads the program.

    model: the path of an .onnx or .mlir file, an ONNX ModelProto, or its bytes.
    output: where the program is kept; by default it lives as long as what uses it.
    dims: sizes of dimensions that the model leaves open, by name.
    partitions: how many devices it is split over.
    train: the output that it is trained down; optimizer: as {"kind": "adamw",
    "learning_rate": 1e-3}, or a file of that.
    options: all others that `smp-compile --help` lists, with _ for -: a mapping for those
    of names and values (join={"loss": "sum"}) and for JSON, a list for one given several
    times, True for one without a value.

    Raises CompileError with what smp-compile wrote. What it warns of goes to stderr.
    """
    options = {"dim": dims, "partitions": partitions, "train": train, "optimizer": optimizer,
               **options}
    with tempfile.TemporaryDirectory(prefix="smp-") as folder:
        path = os.fsdecode(output) if output else os.path.join(folder, "program.smp")
        command = [_compiler(), f"-o={path}"]
        for name, value in options.items():
            command += _flags(name, value)
        done = subprocess.run(command + ["--", _model_file(model, folder)],
                              stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
        if done.returncode:
            words = done.stderr.strip()
            raise CompileError(words or f"smp-compile ended with {done.returncode}")
        if done.stderr:
            os.write(2, done.stderr.encode())
        return Program(path)
