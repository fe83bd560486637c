"""The same requests through the program and the package: rows and exits are equal.

The table is tests/conformance/table.json, which a Rust test reads for the library; facts.json beside it has facts
about a tree and its list, and the exit that every question about them has.
"""

import json
import os
import pathlib
import subprocess

import pytest

import pfh
import pfh.audit

HERE = pathlib.Path(__file__).resolve().parents[3] / "tests" / "conformance"
PROGRAM = os.environ.get("PFH_NATIVE", "pfh")
TABLE = json.loads((HERE / "table.json").read_text())
FACTS = json.loads((HERE / "facts.json").read_text())
for fact, exit in FACTS["exits"].items():
    asks = json.loads(json.dumps(FACTS["asks"]).replace("FACT", fact))
    TABLE += [{**ask, "exit": exit} for ask in asks]


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    path = tmp_path_factory.mktemp("conformance")
    subprocess.run(["bash", HERE / "room.sh", PROGRAM], cwd=path, check=True, capture_output=True)
    before = os.getcwd()
    os.chdir(path)
    yield path
    os.chdir(before)


def program(case):
    seen = subprocess.run([PROGRAM, *case["argv"]], capture_output=True, stdin=subprocess.DEVNULL)
    lines = [json.loads(line) for line in seen.stdout.splitlines()]
    return [row for line in lines if (row := of_line(case["job"], line)) is not None], seen.returncode


def of_line(job, line):
    """A line of the program's JSON as a row, None if the package has none for it."""
    path = line.get("path")
    match job, line.get("type"):
        case "hash", "file":
            return ["hashed", path, dict(line["digests"])]
        case "hash", "error":
            return ["failed", path]
        case "hash", "skipped":
            return ["skipped", path]
        case "check", "check":
            return [{"ok": "right", "failed": "wrong"}.get(line["result"], line["result"]), path]
        case "check", "audit":
            return [line["class"], path]
        case "compare", "pair":
            return [line["a"], line["b"], line["similarity"]]
        case "compare", "related":
            return [line["a"], line["b"], line["relation"], line["score"], *(line.get(key) for key in ("shared_bytes", "a_in_b", "b_in_a", "tlsh"))]
        case "tree", "checked":
            return [line["verdict"], [(r["offset"], r["offset"] + r["length"]) for r in line.get("corrupt", [])]]
        case "receive", "received":
            return [line["root"], line["length"]]
        case "match", "match":
            return [line["verdict"], path]
        case "lookup", "lookup":
            return [line["verdict"], line["digest"]]
        case "audit", "audit":
            return line
        case "verify", _:
            return [line["verdict"], len(line["compared"])]
        case "extract", "file":
            return ["file", line["member"], line["size"], line["digests"]]
        case "extract", "summary":
            return None
        case "extract", word:
            return [word, path, line["code"]]
        case ("cat", "run") | ("disks", "disk") | ("list", "file" | "error" | "skipped") | ("diff", "diff") | ("bag", "finding") | ("dups", "group" | "folders" | "shared" | "error" | "skipped") | ("sectors", "fragment") | ("groups", "cluster"):
            return line
        case _:
            return None


def name(path):
    """A name as JSON holds it."""
    return os.fsencode(path).decode(errors="replace")


def package(case):
    """The rows of the package, and the exit that its result or exception stands for.

    An exception has no rows: what the program prints beside its error is not in it.
    """
    call = dict(case["call"])
    try:
        return ROWS[case["job"]](call)
    except pfh.RequestError:
        return None, 2
    except ValueError as error:
        assert not isinstance(error, pfh.Error)
        return None, 2
    except pfh.DiffersError:
        return None, 1
    except pfh.UnreadError:
        return None, 3


def text(algorithm, digest):
    return digest.decode() if algorithm == "ssdeep" else digest.hex()


def hashed(call):
    rows = []
    for record in pfh.hash_files(call.pop("paths"), call.pop("algorithms"), **call):
        match record:
            case pfh.Hashed():
                rows.append(["hashed", name(record.path), {key: text(key, digest) for key, digest in record.digests.items()}])
            case pfh.Failed():
                rows.append(["failed", name(record.path)])
            case _:
                rows.append(["skipped", name(record.path)])
    return rows, 3 if any(row[0] == "failed" for row in rows) else 0


def checked(call):
    found = pfh.check(call.pop("manifests"), **call)
    exits = {"verified": 0, "differs": 1}
    # The program prints neither matching files of an audit nor ignored ones.
    files = [[word, name(path)] for path, word in found.files if word not in ("matched", "ignored")]
    return files, exits.get(found.conclusion, 3)


def compared(call):
    pairs, left_out = pfh.compare(call.pop("paths"), call.pop("algorithm", None), recursive=True, **call)
    failed = any(isinstance(record, pfh.Failed) for record in left_out)
    if pairs and isinstance(pairs[0], pfh.Related):
        row = lambda pair: [name(pair.a), name(pair.b), pair.relation, pair.score, pair.shared_bytes, pair.a_in_b, pair.b_in_a, pair.scores.get("tlsh")]
        return [row(pair) for pair in pairs], 3 if failed else 0
    return [[name(pair.a), name(pair.b), pair.score] for pair in pairs], 3 if failed else 0


def in_tree(call):
    state = pfh.HashTree(call["file"], key_file=call.get("key_file")).check()
    return [["verified" if state else "differs", [tuple(pair) for pair in state.corrupt]]], 0 if state else 1


def received(call):
    tree = pfh.HashTree(call.pop("file"), key_file=call.pop("key_file", None))
    state = tree.receive([tuple(part) for part in call.pop("parts")], replace=True, **call)
    return [[state.root, state.length]], 0


def verified(call):
    found = pfh.verify(call.pop("image"), **call)
    exits = {"verified": 0, "differs": 1}
    return [[found.verdict, len(found.compared)]], exits.get(found.verdict, 3)


def rows(found):
    return [{key: name(value) if key == "path" else value for key, value in row.items()} for row in found], found.exit


def matched(call):
    found = pfh.match(call.pop("paths"), call.pop("known"), **call)
    words = []
    for one in found:
        failed = isinstance(one.record, pfh.Failed)
        words.append(one.verdict.status if one.verdict else "error" if failed else "skipped")
    return [[word, name(one.path)] for word, one in zip(words, found)], found.exit


def looked_up(call):
    known = pfh.Known.open(call["known"])
    digests = call["digests"]
    found = known.lookup(digests)
    words = [one.status for one in found]
    whole = not known.gaps and "nothing-to-compare-with" not in words
    exit = 1 if whole and "unknown" in words else 0 if whole else 3
    return [[word, digest] for word, digest in zip(words, digests)], exit


def written(found):
    return [], found.exit


def audited(call):
    return rows(pfh.audit.verify(**call))


def extracted(call):
    found = pfh.extract(**call)
    return [of_line("extract", row) for row in found], found.exit


ROWS = {
    "match": matched,
    "lookup": looked_up,
    "export": lambda call: written(pfh.export(**call, replace=True)),
    "report": lambda call: written(pfh.report(**call, replace=True)),
    "audit": audited,
    "hash": hashed,
    "check": checked,
    "compare": compared,
    "tree": in_tree,
    "receive": received,
    "verify": verified,
    "list": lambda call: rows(pfh.list_files(**call)),
    "extract": extracted,
    "cat": lambda call: (pfh.member_runs(**call), 0),
    "disks": lambda call: rows(pfh.disks(**call)),
    "diff": lambda call: rows(pfh.diff(**call)),
    "dups": lambda call: rows(pfh.dups(**call)),
    "groups": lambda call: rows(pfh.group_similar(**call)),
    "sectors": lambda call: rows(pfh.match_sectors(**call)),
    "bag": lambda call: rows(pfh.validate_bag(**call)),
}


def plain(row):
    """A row without the exact form of names, which the package has in the name itself."""
    if isinstance(row, dict):
        return {key: plain(value) for key, value in row.items() if not key.endswith("_b64")}
    return [plain(one) for one in row] if isinstance(row, (list, tuple)) else row


@pytest.mark.parametrize("case", TABLE, ids=[case["id"] for case in TABLE])
def test_the_program_and_the_package_give_the_same_answers(room, case):
    printed, code = program(case)
    found, exit = package(case)
    assert exit == code == case.get("exit", code)
    assert found is None and code != 0 or plain(found) == plain(printed)
