# SPDX-License-Identifier: Apache-2.0
"""What smp raises: a class for each code of the runtime, by what a caller can do."""
from typing import List, Type


class Error(Exception):
    """Of smp: the words are those of the runtime or the compiler."""


class InvalidArgumentError(Error, ValueError):
    """This call can never succeed; fix the caller."""


class ResourceExhaustedError(Error, MemoryError):
    """Out of memory or slots; may succeed later."""


class FailedPreconditionError(Error, RuntimeError):
    """Wrong state; fix the state, then call again."""


class DataLossError(Error):
    """The bytes are not what was written."""


class DeadlineExceededError(Error, TimeoutError):
    """No progress within the deadline."""


class CancelledError(Error):
    """Someone asked for a stop."""


class UnavailableError(Error, OSError):
    """Something outside smp failed: a file, a peer."""


class InternalError(Error):
    """A bug in smp."""


class CompileError(Error):
    """smp-compile refused a model; the words are what it wrote."""


_BY_CODE: List[Type[Error]] = [
    Error, InvalidArgumentError, ResourceExhaustedError, FailedPreconditionError,
    DataLossError, DeadlineExceededError, CancelledError, UnavailableError, InternalError]


def of_code(code: int, message: str) -> Error:
    """The exception for a number of smp::StatusCode."""
    return _BY_CODE[code](message)
