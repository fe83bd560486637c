"""Audits of a storage server: does it still hold the files that it was given?

``commit`` notes roots, ``challenge`` makes a question, ``prove`` answers it where
the file is stored, ``verify`` judges the answer; ``ask`` does it over HTTP.
"""

from ._pfh import audit_ask as ask
from ._pfh import audit_challenge as challenge
from ._pfh import audit_commit as commit
from ._pfh import audit_prove as prove
from ._pfh import audit_verify as verify

__all__ = ["ask", "challenge", "commit", "prove", "verify"]
