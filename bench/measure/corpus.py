"""Build the benchmark's corpus: real files, in the proportions of the t5 corpus that the literature measures on.

    bench/run corpus DIR            4,457 files, 1.22 GB (needs 5 GB of free disk while it runs, and Maven)
    bench/run corpus DIR --small      400 files, 75 MB

t5 itself may not be redistributed, so the same numbers of html, pdf, txt, jpg and gif files are taken from Debian's
documentation packages, office files from the test jar of Apache Tika, and png files make up the total. The packages come
through this machine's own apt-get and mvn. The choice depends on nothing but what the packages hold (the largest files
of each kind, ties by path), and the order on a digest of each file's path: one release of Debian, one corpus, whose
digest is printed at the end.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import NamedTuple

FULL = (
    "texlive-publishers-doc texlive-pictures-doc texlive-latex-recommended-doc openjdk-17-doc erlang-doc "
    "python3.11-doc gimp-help-en plasma-workspace-wallpapers linux-doc-6.1 openclipart-png r-doc-pdf "
    "cppreference-doc-en-html gnome-backgrounds"
).split()
SMALL = "r-doc-pdf python3.11-doc gimp-help-en cppreference-doc-en-html".split()
OFFICE_JAR = "org.apache.tika:tika-parsers:1.28.5:jar:tests"
OFFICE = frozenset("doc xls ppt docx xlsx pptx rtf odt".split())
# How many of each kind t5 holds; its 1,151 office files are more than the jar has.
T5 = {"html": 1093, "pdf": 1073, "txt": 711, "jpg": 362, "gif": 67}
T5_TOTAL = 4457


class Found(NamedTuple):
    size: int
    name: str
    file: Path

    @property
    def kind(self):
        return self.file.suffix.lower().lstrip(".")


def unpack_debian(packages, room, tree):
    room.chmod(0o755)
    subprocess.run(
        ["apt-get", "--quiet", "--option", "APT::Sandbox::User=root", "download", *packages],
        cwd=room, check=True, stdout=subprocess.DEVNULL,
    )
    for package in sorted(room.glob("*.deb")):
        subprocess.run(["dpkg-deb", "--extract", package, tree], check=True)
        package.unlink()


def unpack_office(room, tree):
    subprocess.run(
        ["mvn", "--quiet", "dependency:copy", f"-Dartifact={OFFICE_JAR}", f"-DoutputDirectory={room}"],
        cwd=room, check=True,
    )
    with zipfile.ZipFile(next(room.glob("tika*.jar"))) as jar:
        for name in jar.namelist():
            if name.startswith("test-documents/") and Path(name).suffix.lower().lstrip(".") in OFFICE:
                jar.extract(name, tree)


def regular_files(tree):
    """Every non-empty regular file, the largest first."""
    for folder, _, names in os.walk(tree):
        for name in names:
            file = Path(folder, name)
            if not file.is_symlink() and file.is_file() and (size := file.stat().st_size):
                yield Found(size, str(file.relative_to(tree)), file)


def choose(files, total, numbers):
    files = sorted(files, key=lambda found: (-found.size, found.name))
    chosen = []
    for kind, number in numbers.items():
        chosen += [found for found in files if found.kind == kind][:number]
    for kinds in (OFFICE, {"png"}):
        chosen += [found for found in files if found.kind in kinds][: total - len(chosen)]
    return sorted(chosen, key=lambda found: hashlib.sha256(found.name.encode()).digest())


def lay_out(chosen, out):
    """Copies the files into folders of at most 1,000 and returns the digest of all their bytes in order."""
    everything = hashlib.sha256()
    for number, found in enumerate(chosen):
        folder = out / found.kind / f"{number // 1000:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found.file, folder / f"{number:06d}.{found.kind}")
        everything.update(found.file.read_bytes())
    return everything.hexdigest()


def main(words):
    ask = argparse.ArgumentParser(prog="bench/run corpus", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("dir", type=Path)
    ask.add_argument("--small", action="store_true", help="400 files, 75 MB, from Debian packages alone")
    said = ask.parse_args(words)
    if said.dir.exists():
        sys.exit(f"{said.dir} exists already")
    said.dir.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=said.dir.resolve().parent) as room:
        room = Path(room)
        tree = room / "tree"
        unpack_debian(SMALL if said.small else FULL, room, tree)
        if said.small:
            total, numbers = 400, {kind: number * 400 // T5_TOTAL for kind, number in T5.items()}
        else:
            unpack_office(room, tree)
            total, numbers = T5_TOTAL, T5
        chosen = choose(regular_files(tree), total, numbers)
        if len(chosen) != total:
            sys.exit(f"the packages hold {len(chosen)} suitable files, {total} are needed")
        digest = lay_out(chosen, room / "corpus")
        (room / "corpus").rename(said.dir)
    print(f"{len(chosen)} files, {sum(found.size for found in chosen)} bytes, sha256 of all in order {digest}")
