"""The stubs say what is there."""

import ast
import functools
import inspect
import pathlib

import pfh

STUB = pathlib.Path(pfh.__file__).with_name("__init__.pyi")


def parsed():
    return ast.parse(STUB.read_text()).body


def defined(body):
    names = {node.name: node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    names |= {node.target.id: node for node in body if isinstance(node, ast.AnnAssign)}
    return {name: node for name, node in names.items() if not name.startswith("_")}


def test_every_name_is_in_the_stubs():
    stubs = set(defined(parsed()))
    assert stubs <= set(pfh.__all__) and len(stubs) > 60
    # A new algorithm needs no edit here.
    left = set(pfh.__all__) - stubs
    assert all(isinstance(getattr(pfh, name), functools.partial | pfh.Similarity) for name in left)


def test_members_and_arguments_are_those_of_the_module():
    for name, node in defined(parsed()).items():
        thing = getattr(pfh, name)
        if isinstance(node, ast.FunctionDef):
            wanted = [argument.arg for argument in [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]]
            assert list(inspect.signature(thing).parameters) == wanted, name
        elif isinstance(node, ast.ClassDef) and not issubclass(thing, Exception):
            members = {member for member in vars(thing) if not member.startswith("_")}
            assert set(defined(node.body)) == members, name


def test_everything_has_a_docstring():
    for name in pfh.__all__:
        thing = getattr(pfh, name)
        assert inspect.getdoc(thing), name
        if inspect.isclass(thing):
            for member, value in vars(thing).items():
                if not member.startswith("_") and not isinstance(value, staticmethod):
                    assert inspect.getdoc(value), f"{name}.{member}"


def test_it_is_marked_as_typed():
    assert STUB.with_name("py.typed").exists()
