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
import pfh.audit

STUB = pathlib.Path(pfh.__file__).with_name("__init__.pyi")


def parsed(module=pfh):
    stub = STUB if module is pfh else STUB.with_name(module.__name__.removeprefix("pfh.") + ".pyi")
    return ast.parse(stub.read_text()).body


def defined(body):
    names = {node.name: node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    names |= {node.target.id: node for node in body if isinstance(node, ast.AnnAssign)}
    return {name: node for name, node in names.items() if not name.startswith("_")}


def imported(body):
    """The names that the stub takes from modules that carry their own types."""
    return {name.asname for node in body if isinstance(node, ast.ImportFrom) for name in node.names if name.asname and not name.asname.startswith("_")}


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


def taken(node):
    """The arguments of a function of the stubs: name, whether by position alone or by name alone, and default."""
    args, kinds = node.args, inspect.Parameter
    positional = [(one, kinds.POSITIONAL_ONLY) for one in args.posonlyargs] + [(one, kinds.POSITIONAL_OR_KEYWORD) for one in args.args if one.arg != "self"]
    defaults = [None] * (len(positional) - len(args.defaults)) + args.defaults + args.kw_defaults
    listed = positional + [(one, kinds.KEYWORD_ONLY) for one in args.kwonlyargs]
    return [(one.arg, kind, "required" if default is None else ast.literal_eval(default)) for (one, kind), default in zip(listed, defaults, strict=True)]


def accepted(thing):
    """The same of what the module accepts."""
    shown = lambda default: "required" if default is inspect.Parameter.empty else default
    return [(name, one.kind, shown(one.default)) for name, one in inspect.signature(thing).parameters.items() if name != "self"]


def assert_taken(thing, stubs, where):
    """A function accepts the arguments of its stubs, and each has its default in one of them."""
    wanted = accepted(thing)
    for stub in stubs:
        assert [argument[:2] for argument in taken(stub)] == [argument[:2] for argument in wanted], where
    for argument, *given in zip(wanted, *map(taken, stubs), strict=True):
        assert argument in given and all(one[2] in (argument[2], "required") for one in given), (where, argument)


@pytest.mark.parametrize("module", [pfh, pfh.audit])
def test_members_and_arguments_are_those_of_the_module(module):
    body = parsed(module)
    for name, node in defined(body).items():
        thing = getattr(module, name)
        if isinstance(node, ast.FunctionDef):
            assert_taken(thing, [one for one in body if isinstance(one, ast.FunctionDef) and one.name == name], name)
        elif isinstance(node, ast.ClassDef):
            assert set(defined(node.body)) == {member for member in vars(thing) if not member.startswith("_")}, name
            for member, stub in defined(node.body).items():
                if isinstance(stub, ast.FunctionDef) and callable(getattr(thing, member)):
                    assert_taken(getattr(thing, member), [stub], f"{name}.{member}")


def test_the_native_module_has_the_names_of_its_stub():
    body = parsed(pfh._pfh)
    names = {node.name for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)} | imported(body)
    names |= {node.target.id for node in body if isinstance(node, ast.AnnAssign)}
    assert names - {"_Records"} == {name for name in vars(pfh._pfh) if not name.startswith("__") or name == "__version__"} - {"__all__"}


def test_the_options_of_one_file_are_those_of_many(tmp_path):
    """`hash_file` accepts what its type declares, and that is of the type which `hash_files` declares."""
    of_many = inspect.signature(pfh.hash_files).parameters
    of_one = pfh._options.FileOptions.__annotations__
    (tmp_path / "file").write_bytes(b"x")
    for name, hint in of_one.items():
        assert of_many[name].annotation == hint.__forward_arg__ and of_many[name].kind is inspect.Parameter.KEYWORD_ONLY, name
        assert pfh.hash_file(tmp_path / "file", "md5", **{name: of_many[name].default}).size == 1
    # Those of a walk.
    assert set(of_many) - set(of_one) == {"paths", "algorithms", "exactly", "versions", "include", "exclude", "min_size", "max_size", "one_file_system", "streams", "order", "filesystem"}
    for name in ["recursiv", *(set(of_many) - set(of_one) - {"paths", "algorithms"})]:
        with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
            pfh.hash_file(tmp_path / "file", "md5", **{name: None})


#: Calls with each word that an argument takes.
WORDS = {
    ("hash_files", "order"): lambda word: pfh.hash_files("none", "md5", order=word).close(),
    ("hash_many", "into"): lambda word: pfh.hash_many([], "md5", into=word),
    ("cat", "part"): lambda word: pfh.cat("none.zip!/a", part=word),
    ("cat_to", "part"): lambda word: pfh.cat_to("none.zip!/a", "to", part=word),
    ("member_runs", "part"): lambda word: pfh.member_runs("none.zip!/a", part=word),
    ("list_files", "only"): lambda word: pfh.list_files("none", only=word),
    ("export", "to"): lambda word: pfh.export("none", word, "to"),
    ("group_similar", "linkage"): lambda word: pfh.group_similar("none", "ssdeep", linkage=word),
}


def words():
    """The words that arguments take by the stubs, by function and argument."""
    found = {("hash_files", "order"): {"path", "size", "inode", "extent", "balanced"}}
    for node in [node for node in parsed() if isinstance(node, ast.FunctionDef)]:
        for argument in [*node.args.args, *node.args.kwonlyargs]:
            literals = [one.slice for one in ast.walk(argument.annotation) if isinstance(one, ast.Subscript) and one.value.id == "Literal"]
            if literals:
                found[node.name, argument.arg] = {one.value for literal in literals for one in ast.walk(literal) if isinstance(one, ast.Constant)}
    return found


@pytest.mark.parametrize("named", words(), ids="-".join)
def test_each_word_of_the_stubs_is_taken_and_no_other(named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for word in words()[named]:
        try:
            WORDS[named](word)
        except pfh.UnreadError:
            pass
    with pytest.raises(ValueError, match="spam|into is"):
        WORDS[named]("spam")


def test_no_argument_is_of_any_type():
    """Nor a result; `pfh.rows` has the types of rows."""
    package = STUB.parent
    for path in [*package.glob("*.pyi"), package / "_files.py", package / "_options.py", *package.glob("compat/*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                hints = [argument.annotation for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.kwarg, node.args.vararg] if argument and argument.annotation]
                assert not [one for hint in [*hints, node.returns] for one in ast.walk(hint) if isinstance(one, ast.Name) and one.id in ("Any", "_Any")], f"{path.name}: {node.name}"


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
    import hashlib as pythons
    import io
    import json
    import pathlib

    import pfh
    import pfh.audit
    import pfh.rows
    from pfh.compat import hashlib
    from pfh.compat.blake3 import blake3

    def right(progress: pfh.Progress) -> None: ...
    def wrong(done: int) -> None: ...
    with open("a", "rb") as opened:
        pfh.hash_file(opened, "md5", on_event=right, cancel=pfh.Cancel(), retries=1, inside="lenient")
        pfh.file_digest(opened, "md5").hexdigest()
        pfh.file_digest(opened, pythons.sha256).hexdigest()
    pfh.hash_file(pathlib.Path("a"), "md5", cache=b"c")
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
    rows: list[pfh.rows.CheckRow] = checked.rows
    for each in checked.rows:
        if each["type"] == "check":
            result: str = each["result"] + each["path"]
    for name in pfh.diff("a", "b"):
        change: str = name["class"] + name.get("from", "")
    for group in pfh.dups("a"):
        if group["type"] == "group":
            copy: str = group["copies"][0]["path"]
    listed: pfh.rows.HashRow = json.loads("{}")
    if listed["type"] == "file":
        sha256: str = listed["digests"]["sha256"]
    changes: int = pfh.update_manifest("a").summary["bit-rot"]
    anything: pfh.Rows = pfh.validate_bag("a")
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
    "pfh.hash_files('a', 'md5', cancel=5)",
    "pfh.hash_files('a', 'md5', on_event=wrong)",
    "pfh.hash_files('a', 'md5', filesystem=5)",
    "pfh.hash_file('a', 'md5', recursiv=True)",
    "pfh.hash_file('a', 'md5', include='*')",
    "pfh.hash_file('a', 'md5', threads='2')",
    "pfh.hash_file(3.5, 'md5')",
    "pfh.file_digest('a', 'md5')",
    "pfh.file_digest(io.BytesIO(), 'md5').hexdigst()",
    "pfh.hash_many(5, 'md5')",
    "pfh.export('a', 'parket', 'b')",
    "pfh.list_files('a', only='dead')",
    "pfh.extract('a', to='b', deleted=3)",
    "pfh.check('a', cancel=5)",
    "pfh.check('a', on_event=wrong)",
    "hashlib.new('md5', 'text')",
    "blake3('text')",
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
    "pfh.diff('a', 'b')[0]['clas']",
    "pfh.diff('a', 'b')[0]['class'].uper()",
    "pfh.dups('a')[0]['copies']",
    "pfh.check('a').rows[0]['result']",
    "pfh.disks()[0]['partitions'][0]['mounts'][0]['pth']",
    "pfh.update_manifest('a').summary['bit_rot']",
    "pfh.diff('a', 'b').summary['changed']",
    "pfh.rows.HashFile(type='file', path='a', size=1, digests={})['digest5']",
    "pfh.rows.HashFile(type='file', path='a', size=1, digests={})['digests']['sha256'].hex()",
]


def test_the_package_itself_is_well_typed(tmp_path):
    """All but the engines of clusters, whose packages have no types."""
    program = pathlib.Path(sys.executable).with_name("mypy")
    words = ["--strict", "--ignore-missing-imports", "--python-executable", sys.executable, "--cache-dir", tmp_path / "cache", "-p", "pfh"]
    done = subprocess.run([program, *words], cwd=tmp_path, capture_output=True, text=True)
    assert not [line for line in done.stdout.splitlines() if ": error" in line and "cluster/_" not in line], done.stdout
    assert done.returncode in (0, 1), done.stderr


@pytest.mark.parametrize("checker", ["mypy", "basedpyright"])
def test_type_checkers_see_each_planted_error(checker, tmp_path):
    program = pathlib.Path(sys.executable).with_name(checker)
    if not program.exists():
        pytest.skip(f"no {checker}: `target/python-venv/bin/pip install {checker}`, then `tools/python/check -k checkers`")
    good = textwrap.dedent(GOOD).lstrip()
    (tmp_path / "good.py").write_text(good)
    (tmp_path / "bad.py").write_text(good + "".join(f"{fault}\n" for fault in FAULTS))
    options = ["--strict", "--python-executable", sys.executable, "--cache-dir", tmp_path / "cache"] if checker == "mypy" else ["--level", "error", "--pythonpath", sys.executable]
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
