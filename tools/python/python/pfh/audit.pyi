"""Audits of a storage server: does it still hold the files that it was given?"""

from typing import Literal, Never, TypeAlias

from . import Rows
from ._options import AnyPath as _Path
from ._options import AnyPaths as _Paths
from ._options import Levels as _Levels
from .rows import AuditVerdict

_Leaves: TypeAlias = int | Literal["all"] | None

def commit(
    files: _Paths,
    output: _Path,
    *,
    identity: _Path | None = None,
    key_file: _Path | None = None,
    replace: bool = False,
) -> Rows[Never, None]:
    """Notes the roots of files that have trees beside them."""

def challenge(
    kept: _Path,
    output: _Path,
    *,
    identity: _Path | None = None,
    leaves: _Leaves = None,
    confidence: float = 0.99,
    loss: float = 0.01,
    replace: bool = False,
) -> Rows[Never, None]:
    """Writes a challenge: random leaves of a kept file."""

def prove(challenge: _Path, file: _Path, output: _Path, *, key: _Path | None = None, replace: bool = False) -> Rows[Never, None]:
    """Answers a challenge from the file."""

def verify(
    kept: _Path,
    challenge: _Path,
    answer: _Path,
    *,
    signed_by: _Path | None = None,
    key_file: _Path | None = None,
    level: _Levels | None = None,
) -> Rows[AuditVerdict, None]:
    """Judges an answer by the kept root."""

def ask(
    url: str,
    kept: _Path,
    *,
    identity: _Path | None = None,
    leaves: _Leaves = None,
    confidence: float = 0.99,
    loss: float = 0.01,
    signed_by: _Path | None = None,
    key_file: _Path | None = None,
    timeout: float = 60.0,
    level: _Levels | None = None,
) -> Rows[AuditVerdict, None]:
    """Asks a server about every kept file: a row for each."""
