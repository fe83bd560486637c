"""The commands ``pfh`` and ``pfh-bench``: the same programs as the native ones, in this process."""

from __future__ import annotations

import os
import signal
import sys
import sysconfig
from typing import NoReturn


def _prepare() -> None:
    """Leaves signals and standard streams as a native program finds them."""
    # Python catches SIGINT for KeyboardInterrupt, unless it came ignored.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Python ignores SIGXFSZ, even if it was not ignored before.
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    # A closed stream's number must not become that of a file that is opened.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)


def _carry_out(program: str) -> NoReturn:
    """Carries out the command line of `program`, and ends the process with its exit code."""
    from pfh import _pfh

    _prepare()
    name = sys.argv[0]
    if os.path.basename(name) == "__main__.py":
        name = program
    words = [name, *sys.argv[1:]]
    path = name if os.access(name, os.X_OK) else os.path.join(sysconfig.get_path("scripts"), program)
    code = _pfh._command(words, path, program == "pfh-bench")
    # At once: a thread that waits for a device that does not answer must not keep the process.
    os._exit(code)


def main() -> NoReturn:
    """Carries out the command line, and ends the process with its exit code."""
    if sys.argv[1:2] == ["cluster"]:
        try:
            from pfh.cluster.cli import main as cluster
        except ImportError as missing:
            print(f"pfh: cluster needs more packages: pip install pfh[dask] ({missing})", file=sys.stderr)
            sys.exit(2)
        code = cluster(sys.argv[2:])
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)

    _carry_out("pfh")


def bench() -> NoReturn:
    """Carries out `pfh-bench`, which `pfh bench` starts."""
    _carry_out("pfh-bench")


if __name__ == "__main__":
    main()
