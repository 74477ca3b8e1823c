# SPDX-License-Identifier: Apache-2.0
"""smp in Python: runs compiled programs, and compiles models.

    program = smp.compile("model.onnx", dims={"batch": 8})
    session = smp.Session(program)
    outputs = session.step("predict", x=array)
"""
from ._compile import compile
from ._errors import (CancelledError, CompileError, DataLossError, DeadlineExceededError, Error,
                      FailedPreconditionError, InternalError, InvalidArgumentError,
                      ResourceExhaustedError, UnavailableError)
from ._smp import (CheckpointManager, DeviceMemory, EntrySignature, Program, Session, StageTime,
                   TensorSignature, VariableSignature, __version__)

__all__ = [
    "CancelledError", "CheckpointManager", "CompileError", "DataLossError",
    "DeadlineExceededError", "DeviceMemory", "EntrySignature", "Error",
    "FailedPreconditionError", "InternalError", "InvalidArgumentError", "Program",
    "ResourceExhaustedError", "Session", "StageTime", "TensorSignature", "UnavailableError",
    "VariableSignature", "__version__", "compile"]
