"""The exceptions of pfh's jobs."""

from __future__ import annotations

import errno as _errno
import os
from typing import Any, Self


class Error(Exception):
    """Why a job has no result.

    ``path`` is what the job was about, ``offset`` the place in bytes at which
    reading failed, ``cause`` the reason as a sentence, ``code`` the reason as a
    word (``ENOENT``, ``changed``, ``not-found`` …); each may be ``None``.
    """

    path: str | None
    offset: int | None
    cause: str | None
    code: str | None

    def __init__(
        self,
        message: str,
        path: str | os.PathLike[str] | None = None,
        offset: int | None = None,
        cause: str | None = None,
        errno: int | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message)
        self.path = None if path is None else os.fspath(path)
        self.offset = offset
        self.cause = cause
        self.code = code

    def __reduce__(self) -> tuple[Any, ...]:
        errno = getattr(self, "errno", None)
        return _base(type(self)), (str(self), self.path, self.offset, self.cause, errno, self.code), self.__dict__


class RequestError(Error, ValueError):
    """The request makes no sense or is refused: nothing was done."""


class DiffersError(Error):
    """The compared data differ."""


class _System(Error, OSError):
    """An error that is the system's as well: an ``OSError`` with errno, filename and strerror.

    One with an errno is an instance of the subclass of ``OSError`` for it as
    well: ``FileNotFoundError``, ``PermissionError`` …
    """

    def __new__(
        cls,
        message: str,
        path: str | os.PathLike[str] | None = None,
        offset: int | None = None,
        cause: str | None = None,
        errno: int | None = None,
        code: str | None = None,
    ) -> Self:
        made: Self = super().__new__(_subclass(cls, _number(errno, code)), message)
        return made

    def __init__(
        self,
        message: str,
        path: str | os.PathLike[str] | None = None,
        offset: int | None = None,
        cause: str | None = None,
        errno: int | None = None,
        code: str | None = None,
    ) -> None:
        super().__init__(message, path, offset, cause, errno, code)
        self.errno = _number(errno, code)
        self.filename = self.path
        self.strerror = cause if self.errno is None else os.strerror(self.errno)

    def __str__(self) -> str:
        return str(self.args[0])


class UnreadError(_System):
    """Something could not be read: nothing was found out."""


class OutputError(_System):
    """The output could not be written, and is incomplete."""


class AbortedError(Error):
    """The job ended before its time."""


class CancelledError(AbortedError):
    """The job ended because its ``Cancel`` asked it to."""


#: The errno for an answer of a store, as the system would give it.
_OF_STORES = {"not-found": _errno.ENOENT, "denied": _errno.EACCES, "is-directory": _errno.EISDIR}

#: The classes for each class and subclass of ``OSError``.
_made: dict[tuple[type, type], type] = {}


def _number(errno: int | None, code: str | None) -> int | None:
    return _OF_STORES.get(code or "") if errno is None else errno


def _base(cls: type) -> type:
    """The class that was asked for, of one that `_subclass` made."""
    return next(base for base in cls.__mro__ if base not in _made.values())


def _subclass(cls: Any, errno: int | None) -> Any:
    """A class that is an ``OSError`` of this number's kind as well."""
    kind = OSError if errno is None else type(OSError(errno, ""))
    if kind is OSError or issubclass(cls, kind):
        return cls
    if (cls, kind) not in _made:
        # Of the name under which it is documented: a traceback shows that.
        _made[cls, kind] = type(cls.__name__, (cls, kind), {"__doc__": cls.__doc__, "__module__": cls.__module__})
    return _made[cls, kind]


for _class in (Error, RequestError, DiffersError, UnreadError, OutputError, AbortedError, CancelledError):
    _class.__module__ = "pfh"
