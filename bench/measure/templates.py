"""Make algorithms/similarity/src/shingles/templates.bin: windows that programs write into every file of theirs.

    bench/run templates TREE [--write]

TREE is filled first, where it is not there: documents without content by seven programs (from PyPI), the office files of Apache Tika's
tests, small documentation packages and programs of Debian, wheels. What lies in one folder of TREE has one origin. A window of 32 bytes
that files of at least four origins hold is one of a template, or that two licences hold. As many are kept as the table may hold: those of
empty documents and of licences, and the most frequent ones.
"""

import base64
import csv
import hashlib
import io
import re
import shutil
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path

from . import record
from .corpus import OFFICE_JAR
from .program import ROOT, execute, pfh
from .related import MAKE, MAKERS

TABLE = ROOT / "algorithms/similarity/src/shingles/templates.bin"
MOST = 65_536
ORIGINS = 4
LICENCE = re.compile(r"/(LICEN[CS]E|COPYING|copyright|common-licenses/)[^!]*$")
# Packages whose files the benchmarks compare.
LEFT_OUT = re.compile(r"r-doc|python3|gimp|cppreference|texlive|openjdk|erlang|linux-doc")
WHEELS = "pip setuptools wheel six certifi cryptography aiohttp boto3 botocore google-api-core azure-core grpcio numpy protobuf pyyaml lxml psutil markupsafe tornado twisted celery redis pymongo sqlalchemy alembic marshmallow pydantic fastapi starlette uvicorn black mypy pylint isort coverage nose2 tox virtualenv".split()


def packages(pattern, least, most, number):
    """Packages of Debian of that size, in an order that depends on their names alone; one of each source."""
    listed = subprocess.run(["apt-cache", "dumpavail"], check=True, capture_output=True, text=True).stdout
    chosen = {}
    for block in listed.split("\n\n"):
        fields = dict(re.findall(r"^(Package|Source|Size): (\S+)", block, flags=re.M))
        name = fields.get("Package", "")
        if pattern.search(name) and not LEFT_OUT.search(name) and least <= int(fields.get("Size", 0)) <= most:
            chosen.setdefault(fields.get("Source", name), name)
    return sorted(chosen.values(), key=lambda name: hashlib.sha256(name.encode()).hexdigest())[:number]


def unpack(names, tree, room):
    for name in names:
        folder = tree / name
        got = subprocess.run(["apt-get", "--quiet", "--option", "APT::Sandbox::User=root", "download", name], cwd=room, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for package in room.glob("*.deb"):
            if got.returncode == 0:
                subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)
            package.unlink()


def empty(tree, room):
    """Documents of two words each: all that they hold is their program's."""
    venv, texts = room / "venv", room / "texts"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True)
    subprocess.run([venv / "bin/pip", "install", "--quiet", *MAKERS], check=True)
    texts.mkdir()
    for number, words in enumerate(("one two", "three four", "five six", "seven eight")):
        (texts / f"{number:02d}").write_text(f"{words}\n\n{words}")
    made = room / "made"
    made.mkdir()
    subprocess.run([venv / "bin/python", "-c", MAKE, made, texts], check=True)
    # Each is an origin of its own: what four hold is the program's.
    for path in sorted(made.glob("*@made.*")):
        folder = tree / f"empty-{path.name.split('@')[0]}"
        folder.mkdir()
        shutil.copy(path, folder)


def licences(tree):
    """The licences that Debian keeps once, and those of this project: two origins, so that each counts."""
    for number in (0, 1):
        folder = tree / f"licences-{number}/common-licenses"
        folder.mkdir(parents=True)
        for path in [*sorted(Path("/usr/share/common-licenses").iterdir()), *ROOT.glob("LICENSE-*")]:
            if path.is_file() and not path.is_symlink():
                shutil.copy(path, folder)


def fill(tree, room):
    tree.mkdir(parents=True)
    licences(tree)
    room.chmod(0o755)
    empty(tree, room)
    subprocess.run(["mvn", "--quiet", "dependency:copy", f"-Dartifact={OFFICE_JAR}", f"-DoutputDirectory={room}"], check=True)
    with zipfile.ZipFile(next(room.glob("*.jar"))) as jar:
        for number, info in enumerate(info for info in jar.infolist() if re.search(r"\.(docx|xlsx|pptx|odt|pdf)$", info.filename)):
            folder = tree / f"office-{number}"
            folder.mkdir()
            (folder / Path(info.filename).name).write_bytes(jar.read(info))
    unpack(packages(re.compile(r"-doc$"), 50_000, 600_000, 220), tree, room)
    unpack(packages(re.compile(r"^(?!lib).*(?<!-doc|-dev|-dbg|data)$"), 20_000, 120_000, 120), tree, room)
    for name in WHEELS:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", tree / f"wheel-{name}", name], check=True)


def origins(program, tree):
    """By the window: how many origins hold it, how many of the empty documents, and how many in a licence."""
    found, empty, licences = Counter(), Counter(), Counter()
    csv.field_size_limit(1 << 22)
    for folder in sorted(tree.iterdir()):
        run = execute([program, "hash", "-r", "--inside=lenient", "-a", "shingles,text", "-f", "csv", "--no-progress", "-q", folder], may_fail=True)
        own, licence = set(), set()
        for row in csv.DictReader(line for line in io.StringIO(run.output.decode(errors="surrogateescape")) if not line.startswith("#")):
            for digest in (row.get("shingles") or "none", row.get("text") or "none"):
                if row["type"] != "file" or ":" not in digest:
                    continue
                names = base64.b64decode(digest.rsplit(":", 1)[1])
                windows = {int.from_bytes(names[at : at + 8], "big") for at in range(0, len(names), 8)}
                own |= windows
                if LICENCE.search(row["path"]):
                    licence |= windows
        found.update(own)
        if folder.name.startswith("empty-"):
            empty.update(own)
        licences.update(licence)
    return found, empty, licences


def encoded(windows):
    """A byte of the version, then the differences of the upper halves in LEB128."""
    out, last = bytearray([1]), 0
    for half in sorted({window >> 32 for window in windows}):
        step, last = half - last, half
        while step >= 0x80:
            out.append(step & 0x7F | 0x80)
            step >>= 7
        out.append(step)
    return bytes(out)


def main(words):
    ask = record.arguments("templates", __doc__, rounds=1)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--write", action="store_true", help="replace the table")
    said = record.parse(ask, words)
    program, room = pfh(said), said.room / "templates"
    if not said.tree.exists():
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(parents=True)
        fill(said.tree, room)
    found, empty, licences = origins(program, said.tree)
    is_licence = lambda window: licences[window] >= 2
    common = [window for window, number in found.items() if number >= ORIGINS or is_licence(window)]
    # Those of empty documents and of licences first, then those of most origins.
    common.sort(key=lambda window: (empty[window] < ORIGINS and not is_licence(window), -found[window], window))
    table = encoded(common[:MOST])
    least = found[common[:MOST][-1]]
    print(f"{len(found)} windows, {len(common)} of {ORIGINS} origins or more; kept {min(len(common), MOST)}, of {least} or more: {len(table)} bytes")
    if said.write:
        TABLE.write_bytes(table)
