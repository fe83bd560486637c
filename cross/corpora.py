"""The files that `cross/same-output` gives to two builds of pfh: always the same bytes, names and times.

    corpus    random, repeating and similar files, and odd names
    harmed    the same without one file, with a changed, a renamed, a copied and a new one
    media     disk images and archives
    given     lists of digests by Python, and files that are neither
"""

import hashlib
import os
import random
import shutil
import subprocess
import tarfile
import time
import zipfile
from pathlib import Path

# Lengths at the edges of blocks, of lanes and of the buffers between them.
EDGES = [0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 111, 112, 119, 127, 128, 129, 135, 136, 137, 167, 168, 191, 192, 255, 256, 1000, 4095, 4096,
         4097, 8191, 8192, 8193, 16383, 16384, 16385, 65535, 65536, 65537, 262143, 262145, 1048576, 1048577, 3145741]
THEN = 1_600_000_000
IMAGES = Path(__file__).resolve().parent.parent / "tools/cli/tests/images/dfvfs"


def make(room: Path, windows: bool) -> None:
    """All of them, below a directory. For Windows without the names, links and FIFOs that it has not."""
    corpus(room / "corpus", windows)
    # Where the list of digests of `corpus` is compared with something else.
    shutil.copytree(room / "corpus", room / "harmed/corpus", symlinks=True, ignore=lambda _, names: {"fifo"} & set(names))
    harm(room / "harmed/corpus")
    media(room / "media")
    given(room)
    # An access time in the future moves with no read (relatime): one program may keep access times, the other not.
    accessed = int(time.time()) + 3600
    for path in sorted(room.rglob("*")):
        os.utime(path, (accessed, THEN), follow_symlinks=False)


def corpus(root: Path, windows: bool) -> None:
    """Random, repeating and similar files, names that are no text, links, a FIFO and empty directories."""
    pick = random.Random(17)
    words = ["".join(pick.choices("abcdefghijklmnopqrstuvwxyz", k=pick.randint(2, 11))) for _ in range(4000)]
    (root / "edges").mkdir(parents=True)
    for size in EDGES:
        (root / "edges" / f"{size:07}").write_bytes(pick.randbytes(size))
    (root / "text").mkdir()
    text = " ".join(pick.choices(words, k=30_000)).encode()
    for number in range(12):
        # Each keeps most of the one before: pairs for the similarity digests.
        start = pick.randrange(len(text) // 2)
        text = text[:start] + " ".join(pick.choices(words, k=400)).encode() + text[start + pick.randrange(4000):]
        (root / "text" / f"version {number}.txt").write_bytes(text)
    (root / "zeros").write_bytes(bytes(2_000_003))
    (root / "pattern").write_bytes(bytes(range(251)) * 5000)
    deep = root / "deep"
    for level in range(40):
        deep /= f"level-{level:02}"
    deep.mkdir(parents=True)
    (deep / "bottom").write_bytes(b"bottom")
    (root / "empty directory").mkdir()
    odd = [] if windows else [b"new\nline", b"back\\slash", b"esc\x1b[31m", b"latin-\xe9", b"blank "]
    for name in (*odd, b"-dash", "größe".encode(), b"\xf0\x9f\x94\x92"):
        Path(os.fsdecode(os.path.join(os.fsencode(root), name))).write_bytes(name)
    if not windows:
        (root / "link").symlink_to("pattern")
        (root / "dangling").symlink_to("nowhere")
        (root / "directory link").symlink_to("text")
        os.mkfifo(root / "fifo")


def harm(root: Path) -> None:
    """Changes a copy of the corpus as tampering, decay and people would."""
    with open(root / "edges/1048577", "r+b") as file:
        file.seek(500_000)
        file.write(b"!")
    (root / "zeros").unlink()
    (root / "text/version 3.txt").rename(root / "text/renamed.txt")
    shutil.copy(root / "pattern", root / "text/copied")
    (root / "new").write_bytes(b"new")
    with open(root / "text/version 5.txt", "ab") as file:
        file.write(b"appended")


def media(root: Path) -> None:
    """Images and archives of others, ones made here, one in another, and damaged ones."""
    root.mkdir()
    for name in ("ext2.E01", "imynd.dd", "iso9660.raw", "syslog.tar", "syslog.zip", "with_directory.tar", "with_directory.zip"):
        shutil.copy(IMAGES / name, root)
    pick = random.Random(5)
    members = {f"folder/{size}": pick.randbytes(size) for size in (0, 1, 70_000)} | {"größe.txt": b"text " * 5000}
    with zipfile.ZipFile(root / "made.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2020, 1, 2, 3, 4, 6)), content, zipfile.ZIP_DEFLATED)
        archive.write(root / "syslog.tar", "nested/syslog.tar")
    for form in ("gz", "bz2", "xz"):
        with tarfile.open(root / f"made.tar.{form}", f"w:{form}") as archive:
            for name in ("made.zip", "iso9660.raw"):
                archive.add(root / name, name)
    image = (root / "ext2.E01").read_bytes()
    (root / "short.E01").write_bytes(image[: len(image) // 2])
    (root / "flipped.E01").write_bytes(image[:9000] + bytes([image[9000] ^ 4]) + image[9001:])
    archive = (root / "made.zip").read_bytes()
    (root / "short.zip").write_bytes(archive[: len(archive) // 2])
    if shutil.which("mformat") and shutil.which("mcopy"):
        fat = root / "fat.img"
        fat.write_bytes(bytes(4 << 20))
        environment = os.environ | {"MTOOLS_SKIP_CHECK": "1", "TZ": "UTC", "SOURCE_DATE_EPOCH": str(THEN)}
        subprocess.run(["mformat", "-i", fat, "-v", "PFH", "-N", "12345678", "::"], check=True, env=environment)
        subprocess.run(["mcopy", "-i", fat, "-m", root / "syslog.zip", root / "made.zip", "::"], check=True, env=environment)


def given(room: Path) -> None:
    """Lists of the corpus in forms of other programs, and bytes that are nothing."""
    root = room / "given"
    root.mkdir()
    files = sorted(path for path in (room / "corpus").rglob("*") if path.is_file() and not path.is_symlink())
    plain = [path for path in files if not set(os.fsencode(path)) & set(b"\n\\\r") and path.name.isascii() and path.name.isprintable()]
    digests = [(hashlib.sha256(path.read_bytes()).hexdigest(), path.relative_to(room).as_posix()) for path in plain]
    lines = "".join(f"{digest}  {name}\n" for digest, name in digests)
    (root / "sums").write_text(lines)
    # As PowerShell's `>` writes it.
    (root / "utf16").write_bytes(b"\xff\xfe" + lines.replace("\n", "\r\n").encode("utf-16-le"))
    (root / "upper-crlf").write_bytes("".join(f"{digest.upper()} *{name}\r\n" for digest, name in digests).encode())
    (root / "one missing").write_text(lines + "0" * 64 + "  corpus/nowhere\n")
    (root / "wrong").write_text("".join(f"{'0' * 64}  {name}\n" for _, name in digests[:5]) + lines)
    (root / "broken").write_text(lines[:200] + "no digest at all\n")
    (root / "outside").write_text("0" * 64 + "  ../outside\n" + "0" * 64 + "  /etc/passwd\n")
    (root / "digests").write_text("".join(f"{digest}\n" for digest, _ in digests[:9]) + "00" * 32 + "\n")
    (root / "names").write_text("corpus/pattern\ncorpus/edges/0001000\ncorpus/none\n")
    (root / "noise").write_bytes(random.Random(3).randbytes(70_000))
    # For standard input: its access time moves.
    shutil.copy(room / "corpus/pattern", root)
    bag = room / "bag/data"
    bag.parent.mkdir()
    shutil.copytree(room / "corpus/text", bag)
