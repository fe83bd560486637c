"""The exceptions of pfh's jobs."""

from __future__ import annotations

import os


class Error(Exception):
    """Why a job has no result.

    ``path`` is what the job was about, ``offset`` the place in bytes at which
    reading failed, ``cause`` the reason as a sentence; each may be ``None``.
    """

    def __init__(
        self,
        message: str,
        path: str | os.PathLike[str] | None = None,
        offset: int | None = None,
        cause: str | None = None,
    ) -> None:
        super().__init__(message)
        self.path = path
        self.offset = offset
        self.cause = cause


class RequestError(Error, ValueError):
    """The request makes no sense or is refused: nothing was done."""


class DiffersError(Error):
    """What was to be compared differs."""


class UnreadError(Error, OSError):
    """Something could not be read: nothing was found out."""

    def __str__(self) -> str:
        return str(self.args[0])


class OutputError(Error, OSError):
    """The output could not be written, and is incomplete."""

    def __str__(self) -> str:
        return str(self.args[0])


class AbortedError(Error):
    """The job ended before its time."""


class CancelledError(AbortedError):
    """The job ended because its ``Cancel`` asked it to."""
