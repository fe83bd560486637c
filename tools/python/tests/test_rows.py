"""Rows of JSON have types: those of `docs/schema`, which are made from the program's own.

`target/python-venv/bin/python tools/python/tests/test_rows.py` writes `pfh/rows.py` of a checkout.
"""

import json
import keyword
import pathlib
import subprocess
import sys
import typing
import zipfile

import pytest

import pfh
import pfh.audit
import pfh.rows

CHECKOUT = pathlib.Path(__file__).parents[3]
SCHEMAS = CHECKOUT / "docs" / "schema"

#: The names of a schema's objects, in its order; of those that nothing in Python gives, none.
NAMES = {
    "audit": ["AuditVerdict", None],
    "bag": ["BagFinding", "BagSummary", "BagContents"],
    "check": ["CheckFile", "CheckAudit", "CheckSummary", "CheckAuditSummary", "CheckObject", "CheckObjectSummary"],
    "compare": [None, None, "CompareCluster"],
    "diff": ["DiffName", None],
    "disks": ["Disk"],
    "dups": ["DupsGroup", "DupsFolders", "DupsShared", "DupsError", "DupsSkip", None],
    "extract": ["ExtractFile", "ExtractSkip", "ExtractError", "ExtractSummary"],
    "hash": ["HashBase", "HashFile", "HashSkip", "HashError", "HashSummary"],
    "list": ["ListFile", "ListSnapshot", "ListSkip", None, None, None, "ListError"],
    "match": [None, None, "MatchFragment", "MatchFragmentSummary"],
    "selftest": ["SelftestTest", "SelftestSummary"],
    "update": ["UpdateFile", "UpdateSummary"],
}
#: Lists with several kinds of objects.
UNIONS = {"CheckRow": "check", "DupsRow": "dups", "ExtractRow": "extract", "HashRow": "hash", "ListRow": "list"}
#: Lines of files, which nobody reads but the user: names that are not UTF-8 have their bytes in `NAME_b64`.
OF_FILES = {"hash"}
HEAD = '''"""The rows of jobs, as `pfh.Rows` and `pfh.Checked` have them, and the lines of `pfh hash -f jsonl` (``Hash…``).

Made by tools/python/tests/test_rows.py from docs/schema: change nothing here.
"""

from typing import Literal, NotRequired, TypedDict
'''


class Writer:
    """The text of the types of one schema."""

    def __init__(self, schema):
        self.has_bytes = schema in OF_FILES
        self.made, self.lines = {}, []

    def hint(self, node, name):
        """The type of a value; that of an object is written under this name."""
        if "const" in node or "enum" in node:
            return f"Literal[{', '.join(repr(word) if isinstance(word, bool) else json.dumps(word) for word in node.get('enum', [node.get('const')]))}]"
        for several in ("anyOf", "oneOf"):
            if several in node:
                return " | ".join(dict.fromkeys(self.hint(one, f"{name}{at}") for at, one in enumerate(node[several], 1)))
        kinds = node.get("type")
        if isinstance(kinds, list):
            return " | ".join(self.hint(node | {"type": kind}, name) for kind in kinds)
        if kinds == "array":
            items = node.get("prefixItems") or [node["items"]]
            return f"list[{' | '.join(dict.fromkeys(self.hint(item, name) for item in items))}]"
        if kinds == "object" and "properties" in node:
            return self.object(node, name)
        if kinds == "object":
            of = node.get("additionalProperties")
            return f"dict[str, {self.hint(of, name) if isinstance(of, dict) else 'object'}]"
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", None: "object"}[kinds]

    def object(self, node, name):
        """Writes an object, unless the schema has the same elsewhere."""
        fields, required = [], node.get("required", [])
        for key, of in node["properties"].items():
            if self.has_bytes or not key.endswith("_b64"):
                hint = self.hint(of, name + "".join(part.capitalize() for part in key.replace("-", "_").split("_")))
                fields.append((key, hint if key in required else f"NotRequired[{hint}]"))
        known = self.made.setdefault(str(fields), name)
        if known != name:
            return known
        what = " ".join(node.get("description", "").split())
        if all(key.isidentifier() and not keyword.iskeyword(key) for key, _ in fields):
            self.lines += ["", "", f"class {name}(TypedDict):", *([f'    """{what}"""', ""] if what else [])]
            self.lines += [f"    {key}: {hint}" for key, hint in fields]
        else:
            self.lines += ["", "", *([f"#: {what}"] if what else []), f'{name} = TypedDict(\n    "{name}",', "    {"]
            self.lines += [*(f"        {json.dumps(key)}: {hint}," for key, hint in fields), "    },", ")"]
        return name


def made():
    """The text of `pfh/rows.py`."""
    lines = []
    for schema, names in NAMES.items():
        of = json.loads((SCHEMAS / f"{schema}.json").read_text())
        # The whole schema has a sentence about its lines.
        nodes = of.get("anyOf") or [{key: value for key, value in of.items() if key != "description"}]
        writer = Writer(schema)
        for name, node in zip(names, nodes, strict=True):
            assert name is None or writer.object(node, name) == name, (schema, name)
        lines += writer.lines
    lines += ["", "", *(f"{name} = {' | '.join(filter(None, NAMES[schema]))}" for name, schema in UNIONS.items())]
    return HEAD + "\n".join(lines) + "\n"


def test_the_types_are_those_of_the_schemas():
    assert pathlib.Path(pfh.rows.__file__).read_text() == made(), f"run `target/python-venv/bin/python {pathlib.Path(__file__).relative_to(CHECKOUT)}`"


def fits(value, hint):
    """Whether a value is of a type of `pfh.rows`."""
    origin, of = typing.get_origin(hint), typing.get_args(hint)
    if typing.is_typeddict(hint):
        hints = typing.get_type_hints(hint)
        return isinstance(value, dict) and hint.__required_keys__ <= set(value) <= set(hints) and all(fits(value[key], hints[key]) for key in value)
    if origin is typing.Literal:
        return value in of and type(value) is type(of[0])
    if origin is list:
        return isinstance(value, list) and all(fits(one, of[0]) for one in value)
    if origin is dict:
        return isinstance(value, dict) and all(isinstance(key, str) and fits(one, of[1]) for key, one in value.items())
    if of:
        return any(fits(value, one) for one in of)
    return type(value) is hint or hint is object or (hint is float and type(value) is int)


def test_a_value_of_another_type_does_not_fit():
    right = {"type": "file", "path": "a", "size": 1, "digests": {"sha256": "00"}}
    assert fits(right, pfh.rows.HashRow) and fits(right | {"notes": ["x"]}, pfh.rows.HashFile)
    wrong = [{"digest5": {}}, {"digests": {"sha256": 1}}, {"size": "1"}, {"size": True}, {"type": "fil"}, {"notes": "x"}, {"inside": {"kind": "zip"}}]
    assert not any(fits(right | one, pfh.rows.HashRow) for one in wrong) and not fits({"type": "file"}, pfh.rows.HashRow)


@pytest.fixture
def room(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = " ".join(str(number) for number in range(5000)).encode()
    for name, data in {"a": text, "b": text, "sub/c": text[:10_000] + b"changed" + text[10_000:], "bag/data/letter": b"dear"}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    (tmp_path / "list").write_text(f"{pfh.sha256(text).hexdigest()}  a\n{'0' * 64}  b\n{'1' * 64}  none\n")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("member", b"text")
    return tmp_path


def all_fit(found, row, summary=type(None), least=1):
    assert len(found) >= least, found
    for one in found:
        assert fits(one, row), (one, row)
    assert fits(found.summary, summary) or (found.summary is None and summary is type(None)), found.summary


def test_rows_are_of_their_types(room):
    rows = pfh.rows
    all_fit(pfh.diff(".", "sub"), rows.DiffName, least=3)
    all_fit(pfh.dups(".", chunks="4096"), rows.DupsRow, least=2)
    all_fit(pfh.list_files(["z.zip", "none"]), rows.ListRow, least=2)
    all_fit(pfh.extract("z.zip", "out", ["member", "none"]), rows.ExtractRow, rows.ExtractSummary, least=2)
    all_fit(pfh.group_similar(["a", "sub/c"], "ssdeep", threshold=1), rows.CompareCluster)
    all_fit(pfh.disks(every=True), rows.Disk, least=0)
    all_fit(pfh.create_bag("bag", "sha512"), rows.BagFinding, rows.BagContents, least=0)
    (room / "bag" / "data" / "letter").write_bytes(b"fear")
    all_fit(pfh.validate_bag("bag"), rows.BagFinding, rows.BagSummary)
    for checked in (pfh.check("list"), pfh.check("list", audit=True, root=".")):
        assert len(checked.rows) > 3 and all(fits(row, rows.CheckRow) for row in checked.rows), checked.rows
    all_fit(pfh.update_manifest("list", ".", replace=True), rows.UpdateFile, rows.UpdateSummary, least=2)
    known = pfh.Known.build("set", bad="a")
    assert known.sets
    pfh.HashTree("a").build()
    pfh.audit.commit("a", "kept")
    pfh.audit.challenge("kept", "question", leaves="all")
    pfh.audit.prove("question", "a", "answer")
    all_fit(pfh.audit.verify("kept", "question", "answer"), rows.AuditVerdict)


def test_lines_of_a_manifest_are_of_their_types(room):
    program = pathlib.Path(sys.executable).with_name("pfh")
    assert subprocess.run([program, "hash", "-q", "-r", "-f", "jsonl", "-o", "lines", ".", "none"], cwd=room).returncode == 3
    lines = [json.loads(line) for line in (room / "lines").read_text().splitlines()]
    assert {line["type"] for line in lines} >= {"file", "error", "summary"} and all(fits(line, pfh.rows.HashRow) for line in lines)


if __name__ == "__main__":
    (CHECKOUT / "tools" / "python" / "python" / "pfh" / "rows.py").write_text(made())
