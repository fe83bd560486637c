"""The stubs have every name, and type checkers see missing ones.

`target/python-venv/bin/python tools/python/tests/test_stubs.py` writes the functions of new algorithms into the stub of a checkout.
"""

import ast
import importlib
import inspect
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest

import pfh

STUB = pathlib.Path(pfh.__file__).with_name("__init__.pyi")


def parsed():
    return ast.parse(STUB.read_text()).body


def defined(body):
    names = {node.name: node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    names |= {node.target.id: node for node in body if isinstance(node, ast.AnnAssign)}
    return {name: node for name, node in names.items() if not name.startswith("_")}


def imported(body):
    """The names that the stub takes from modules that carry their own types."""
    return {name.asname for node in body if isinstance(node, ast.ImportFrom) for name in node.names if name.asname}


def constructors():
    """The lines of the stub for the algorithms' functions."""
    lines = []
    for name in pfh.__all__:
        thing = getattr(pfh, name)
        if isinstance(thing, pfh.Similarity):
            lines.append(f"{name}: Final[Similarity]")
        elif inspect.isfunction(thing) and thing.__module__ == "pfh":
            lines.append(f"{name}: Final[_Constructor]")
    return lines


def test_every_name_is_in_the_stubs_and_nothing_else():
    body = parsed()
    assert set(defined(body)) | imported(body) == set(pfh.__all__) and len(pfh.__all__) > 90
    assert "__getattr__" not in {node.name for node in body if isinstance(node, ast.FunctionDef)}


def test_the_algorithms_have_their_functions():
    text = STUB.read_text()
    assert text[text.index("md5: Final") :].splitlines() == constructors(), f"run {__file__}"


def test_members_and_arguments_are_those_of_the_module():
    for name, node in defined(parsed()).items():
        thing = getattr(pfh, name)
        if isinstance(node, ast.FunctionDef):
            wanted = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
            assert list(inspect.signature(thing).parameters) == wanted, name
        elif isinstance(node, ast.ClassDef):
            members = {member for member in vars(thing) if not member.startswith("_")}
            assert set(defined(node.body)) == members, name


def test_everything_has_a_name_and_a_docstring():
    for name in pfh.__all__:
        thing = getattr(pfh, name)
        assert inspect.getdoc(thing) and "partial(" not in inspect.getdoc(thing), name
        if inspect.isfunction(thing) or inspect.isbuiltin(thing):
            assert thing.__name__ and thing.__module__ and inspect.signature(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and not isinstance(value, staticmethod):
                    assert inspect.getdoc(value), f"{name}.{member}"
    assert (pfh.sha3_256.__name__, pfh.sha3_256.__qualname__, pfh.sha3_256.__module__) == ("sha3_256", "sha3_256", "pfh")
    assert "sha3-256" in pfh.sha3_256.__doc__ and str(inspect.signature(pfh.md5)) == "(data: 'object' = b'', *, usedforsecurity: 'bool' = True) -> 'Hash'"


@pytest.mark.parametrize("module", ["pfh", "pfh.audit", "pfh.compat.blake3", "pfh.compat.hashlib", "pfh.compat.ppdeep", "pfh.compat.ssdeep", "pfh.compat.tlsh"])
def test_pydoc_shows_the_functions(module):
    import pydoc

    found = importlib.import_module(module)
    page = pydoc.plain(pydoc.render_doc(found))
    for name in found.__all__:
        assert name in page, name


def test_it_is_marked_as_typed():
    assert STUB.with_name("py.typed").exists()


#: A program without a fault, and faults by the line that has one.
GOOD = """
    import pfh
    import pfh.audit
    from pfh.compat import hashlib
    from pfh.compat.blake3 import blake3

    record: pfh.Hashed = pfh.hash_file("a", ["md5"])
    digests: dict[str, bytes] = record.digests
    with pfh.hash_files("a", "sha256", recursive=True, include="*.py", order="inode", inside=True) as files:
        for one in files:
            match one:
                case pfh.Hashed(number, path, size):
                    print(number + size, path.upper())
                case pfh.Failed() as failed:
                    raise failed.error()
                case pfh.Skipped():
                    print(one.reason)
    text: str = pfh.sha3_256(b"x").hexdigest()
    pairs, left = pfh.compare("a", "ssdeep")
    score: int = pairs[0].score
    row: dict[str, object] = pairs[0].asdict()
    checked = pfh.check("a")
    rows: list[dict[str, object]] = checked.rows
    number_of_error: int | None = pfh.UnreadError("x").errno
    wide: bytes = blake3(b"x", key=bytes(32)).digest(64, seek=3)
    short: str = hashlib.blake2b(b"x", digest_size=20, key=b"k").hexdigest()
    digest: str = pfh.tlsh.hash(b"x")
"""
FAULTS = [
    "pfh.sha265(b'x')",
    "pfh.hsah_files('a', 'md5')",
    "pfh.hash_files('a', 'md5', recursiv=True)",
    "pfh.hash_files('a', 'md5', order='spam')",
    "pfh.hash_files(5, 'md5')",
    "pfh.hash_file('a', 'md5').sizes",
    "pfh.hash_file('a', 'md5').size.upper()",
    "pfh.compare('a', 'ssdeep')[0][0].scor",
    "pfh.check('a').row",
    "pfh.check('a', strictt=True)",
    "pfh.sha256('text')",
    "pfh.UnreadError('a').ofset",
    "pfh.Hashed(1, 'a')",
    "pfh.audit.comit('a', 'b')",
    "blake3(b'x', ky=b'')",
    "hashlib.blake2b(b'x', digest_sizes=20)",
]


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_type_checkers_see_each_planted_error(checker, tmp_path):
    program = pathlib.Path(sys.executable).with_name(checker)
    if not program.exists():
        pytest.skip(f"no {checker}: `target/python-venv/bin/pip install {checker}`, then `tools/python/check -k checkers`")
    good = textwrap.dedent(GOOD).lstrip()
    (tmp_path / "good.py").write_text(good)
    (tmp_path / "bad.py").write_text(good + "".join(f"{fault}\n" for fault in FAULTS))
    options = ["--strict", "--python-executable", sys.executable, "--cache-dir", tmp_path / "cache"] if checker == "mypy" else ["--pythonpath", sys.executable]
    done = {name: subprocess.run([program, *options, name], cwd=tmp_path, capture_output=True, text=True) for name in ("good.py", "bad.py")}
    assert done["good.py"].returncode == 0, done["good.py"].stdout + done["good.py"].stderr
    seen = {int(line.split(":")[1]) for line in done["bad.py"].stdout.splitlines() if "error" in line and ":" in line and line.split(":")[1].isdigit()}
    first = good.count("\n") + 1
    missed = [fault for number, fault in enumerate(FAULTS, first) if number not in seen]
    assert not missed and min(seen) >= first, (missed, done["bad.py"].stdout)


if __name__ == "__main__":
    path = pathlib.Path(__file__).parents[1] / "python" / "pfh" / "__init__.pyi"
    text = path.read_text()
    path.write_text(text[: text.index("md5: Final")] + "\n".join(constructors()) + "\n")
