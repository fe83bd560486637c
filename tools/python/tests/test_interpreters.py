"""Subinterpreters: refused in a sentence, and the first interpreter goes on."""

import subprocess
import sys

import pytest

#: A script that runs in an interpreter beside the first one of a process, and says how its import
#: ended.
BESIDE = """
try:
    import _interpreters as interpreters
    run = interpreters.exec
except ImportError:
    import _xxsubinterpreters as interpreters
    run = interpreters.run_string
import os, sys

INSIDE = '''
import os
try:
    import pfh
    said = "imported " + pfh.md5(b"").hexdigest()
except ImportError as error:
    said = f"ImportError: {error}"
os.write(%d, said.encode())
'''

def beside():
    reader, writer = os.pipe()
    run(interpreters.create(), INSIDE % writer)
    os.close(writer)
    print(os.read(reader, 10_000).decode())
    os.close(reader)
"""
REFUSED = "ImportError: pfh works in one interpreter of a process, not in subinterpreters: use its threads, or processes\n"


def said(program):
    return subprocess.run([sys.executable, "-Wignore", "-c", BESIDE + program], capture_output=True, text=True, timeout=60)


def test_a_subinterpreter_is_refused_in_a_sentence():
    done = said("import pfh\nbeside()\nbeside()\nprint(pfh.md5(b'').hexdigest())")
    assert done.stdout == REFUSED * 2 + "d41d8cd98f00b204e9800998ecf8427e\n", done
    assert done.returncode == 0, done


@pytest.mark.skipif(sys.version_info < (3, 12), reason="before 3.12 the interpreters of a process share their lock, and the first one that imports pfh has it")
def test_also_where_the_first_interpreter_has_not_imported_it():
    done = said("beside()\nimport pfh\nprint(pfh.md5(b'').hexdigest())")
    assert done.stdout == REFUSED + "d41d8cd98f00b204e9800998ecf8427e\n", done
    assert done.returncode == 0, done
