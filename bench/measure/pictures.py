"""Pictures saved in another form that `pfh compare` finds.

    bench/run pictures DIR

DIR is a tree of PACKAGE/PICTURE: if it is not there, it is made of packages of Debian (DIR.apt keeps them). Pillow makes the
copies. Unrelated are two pictures of two packages, but for those that were looked at and are copies (COPIES). A threshold is
chosen in one half of the pictures, by their paths, and tested in the other.
"""

import csv
import hashlib
import io
import os
import random
import shutil
import subprocess
import tempfile
import zlib
from collections import Counter, defaultdict
from pathlib import Path

from . import record
from .detection import compared, percent, record_table
from .program import execute, pfh

PACKAGES = (
    "plasma-workspace-wallpapers gnome-backgrounds mate-backgrounds lomiri-wallpapers-16.04 lomiri-wallpapers-20.04 "
    "ukui-wallpapers sway-backgrounds desktop-base tuxpaint-stamps-default gcompris-qt-data kstars-data stellarium-data "
    "openclipart-png gimp-help-en khangman kgeography-data pysiogame pokerth-data endless-sky-data wesnoth-1.16-data "
    "python3-skimage marble-data xplanet-images kodi-data"
).split()
ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp")
LARGEST, SMALLEST, LEAST_SIDE = 4_000_000, 4_000, 100
# Pictures of two packages that show the same, looked at one by one: drawings of openclipart and flags.
COPIES = {
    frozenset(pair.split())
    for pair in (
        "home13.png tent.png", "pinkhome.png", "pinkhome-simple.png pinkhome.png", "home0.png swisshome.png", "dominica.png",
        "manitoba.png canada_manitoba.png",
    )
}  # fmt: skip
THRESHOLDS = {"pdq": (10, 20, 25, 31, 36, 40, 50, 60, 70), "phash": (2, 4, 6, 8, 10, 12), "crops": (3, 4, 5, 6, 8, 10, 12)}
# Methods whose score is the better the higher it is.
COUNTS = ("crops",)
OTHERS = "shingles mrsh-v2 sdhash ssdeep tlsh".split()


def fetch(packages, room):
    room.mkdir(parents=True, exist_ok=True)
    subprocess.run(["apt-get", "--quiet", "--option", "APT::Sandbox::User=root", "download", *packages], cwd=room, check=True, stdout=subprocess.DEVNULL)


def suitable(file, image):
    if file.suffix.lower() not in ENDINGS or file.is_symlink() or not file.is_file() or file.stat().st_size < SMALLEST:
        return False
    try:
        with image.open(file) as picture:
            return min(picture.size) >= LEAST_SIDE and picture.size[0] * picture.size[1] <= LARGEST
    except (OSError, ValueError, SyntaxError):
        return False


def gather(tree, most, image):
    """Unpacks each package, and keeps its pictures: `most`, by a digest of their paths; none twice."""
    room = tree.with_suffix(".apt").resolve()
    if not list(room.glob("*.deb")):
        fetch(PACKAGES, room)
    part, seen = tree.with_suffix(".part"), set()
    shutil.rmtree(part, ignore_errors=True)
    for package in sorted(room.glob("*.deb")):
        name = package.name.split("_")[0]
        (part / name).mkdir(parents=True)
        with tempfile.TemporaryDirectory(dir=part) as unpacked:
            subprocess.run(["dpkg-deb", "--extract", package, unpacked], check=True)
            files = sorted(Path(unpacked).rglob("*"), key=lambda file: hashlib.sha256(str(file.relative_to(unpacked)).encode()).digest())
            kept = 0
            for file in files:
                if kept == most or not suitable(file, image):
                    continue
                digest = hashlib.sha256(file.read_bytes()).digest()
                target = part / name / file.name
                if digest not in seen and not target.exists():
                    seen.add(digest)
                    shutil.copyfile(file, target)
                    kept += 1
    part.rename(tree)


def with_metadata(data):
    """The same picture with a comment more."""
    comment = b"a comment of the benchmark"
    if data[:2] == b"\xff\xd8":
        return data[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + data[2:]
    if data[:4] == b"\x89PNG":
        chunk = b"tEXtComment\0" + comment
        return data[:33] + (len(chunk) - 4).to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big") + data[33:]
    return data + comment


def kinds(image, ops, enhance):
    """A writer of each kind of copy."""
    jpeg = lambda change, quality=90: (lambda picture, data, file: change(picture).save(file, "JPEG", quality=quality))
    same = lambda picture: picture

    def cropped(picture):
        width, height = picture.size
        return picture.crop((width // 20, height // 20, width - width // 20, height - height // 20))

    def part(share, left, top):
        """A part of the picture, with that share of its area, at a place from 0 to 1 in both directions."""

        def make(picture):
            side = share**0.5
            width, height = int(picture.width * side), int(picture.height * side)
            x, y = int((picture.width - width) * left), int((picture.height - height) * top)
            return picture.crop((x, y, x + width, y + height))

        return make

    def scaled(picture, by):
        return picture.resize((int(picture.width * by), int(picture.height * by)))

    turn = image.Transpose
    orientations = {
        "turned by 90 degrees": turn.ROTATE_90,
        "turned by 180 degrees": turn.ROTATE_180,
        "turned by 270 degrees": turn.ROTATE_270,
        "mirrored top and bottom": turn.FLIP_TOP_BOTTOM,
        "mirrored at a diagonal": turn.TRANSPOSE,
        "mirrored at the other one": turn.TRANSVERSE,
    }
    return {
        "three quarters of it": jpeg(part(0.75, 0.9, 0.2), 80),
        "half of it": jpeg(part(0.5, 0.3, 0.8), 80),
        "a third of it": jpeg(part(0.33, 0.6, 0.5), 80),
        "a quarter of it": jpeg(part(0.25, 0.5, 0.4), 80),
        "half of it, smaller": jpeg(lambda picture: scaled(part(0.5, 0.7, 0.3)(picture), 0.7), 80),
        "half of it, larger": jpeg(lambda picture: scaled(part(0.5, 0.1, 0.6)(picture), 1.5), 80),
        "half of it, mirrored": jpeg(lambda picture: ops.mirror(part(0.5, 0.4, 0.4)(picture)), 80),
        "half of it, turned": jpeg(lambda picture: part(0.5, 0.4, 0.4)(picture).transpose(turn.ROTATE_90), 80),
        **{name: jpeg(lambda picture, way=way: picture.transpose(way), 80) for name, way in orientations.items()},
        "JPEG, quality 85": jpeg(same, 85),
        "JPEG, quality 50": jpeg(same, 50),
        "half size": jpeg(lambda picture: picture.resize((picture.width // 2, picture.height // 2))),
        "as PNG": lambda picture, data, file: picture.save(file, "PNG", compress_level=6),
        "as PNG, compressed less": lambda picture, data, file: picture.save(file, "PNG", compress_level=1),
        "as WebP, quality 80": lambda picture, data, file: picture.save(file, "WEBP", quality=80),
        "as GIF": lambda picture, data, file: picture.save(file, "GIF"),
        "as BMP": lambda picture, data, file: picture.save(file, "BMP"),
        "metadata changed": lambda picture, data, file: file.write_bytes(with_metadata(data)),
        "grey": jpeg(lambda picture: picture.convert("L")),
        "more contrast": jpeg(lambda picture: enhance.Contrast(picture).enhance(1.3)),
        "brighter": jpeg(lambda picture: enhance.Brightness(picture).enhance(1.2)),
        "cropped by a tenth": jpeg(cropped),
        "turned by 2 degrees": jpeg(lambda picture: picture.rotate(2, fillcolor=(255, 255, 255))),
        "mirrored": jpeg(ops.mirror),
    }


def flat(picture, image):
    """On white, as pfh sees it."""
    if picture.mode in ("RGBA", "LA", "PA") or "transparency" in picture.info:
        ground = image.new("RGBA", picture.size, (255, 255, 255, 255))
        ground.alpha_composite(picture.convert("RGBA"))
        picture = ground
    return picture.convert("RGB")


def half_of(file):
    return zlib.crc32(str(file).encode()) & 1


def lay_out(tree, room, copies, modules):
    """For each half the folder of its pictures, and that of some with their copies."""
    image, makers = modules[0], kinds(*modules)
    halves = []
    for half in (0, 1):
        own = [file for file in sorted(tree.rglob("*")) if file.is_file() and half_of(file.relative_to(tree)) == half]
        alone, beside = room / f"alone{half}", room / f"copies{half}"
        for file in own:
            target = alone / file.relative_to(tree)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(file, target)
        chosen, classes = random.Random(half).sample(own, min(copies, len(own))), {}
        for number, file in enumerate(chosen):
            folder = beside / f"{number:03d}"
            folder.mkdir(parents=True)
            first = folder / f"original{file.suffix}"
            os.link(file, first)
            picture = flat(image.open(file), image)
            for place, (name, make) in enumerate(makers.items()):
                copy = folder / f"copy{place:02d}"
                make(picture, file.read_bytes(), copy)
                classes[frozenset((str(first), str(copy)))] = name
        halves.append((alone, beside, classes, own))
    return halves


def distances(program, method, folder, most):
    """The distance of each pair up to this one."""
    run = execute([program, "compare", "-a", method, "--threshold", f"{method}={most}", "-f", "csv", "--no-lists", "--no-progress", folder], may_fail=True)
    rows = csv.DictReader(io.StringIO(run.output.decode(errors="surrogateescape")))
    return {frozenset((row["a"], row["b"])): int(row["score"]) for row in rows if row["algorithm"] == method}


def is_strange(pair, alone):
    """Whether two pictures are of two packages and no copies."""
    packages = {Path(name).relative_to(alone).parts[0] for name in pair}
    return len(packages) == 2 and frozenset(Path(name).name for name in pair) not in COPIES


def strange_pairs(tree, own, without):
    """How many pairs are of two packages, of pictures with a digest."""
    counts = Counter(file.relative_to(tree).parts[0] for file in own if str(file.relative_to(tree)) not in without)
    total = sum(counts.values())
    return (total * total - sum(count * count for count in counts.values())) // 2


def without_digest(program, method, folder):
    run = execute([program, "hash", "-r", "-a", method, "-f", "csv", "--no-progress", folder], may_fail=True)
    rows = csv.DictReader(line for line in io.StringIO(run.output.decode(errors="surrogateescape")) if not line.startswith("#"))
    return {str(Path(row["path"]).relative_to(folder)) for row in rows if row[method] == "none"}


def thresholds(program, tree, method, halves):
    found = record_table(f"{method}: thresholds", ["score", "found, chosen in, %", "false alarms", "of 100,000", "found, tested, %", "false alarms", "of 100,000"], [])
    # The worst score that is looked at; worse scores are larger.
    sign = -1 if method in COUNTS else 1
    most, columns, least = max(sign * at for at in THRESHOLDS[method]), [], []
    for alone, beside, classes, own in halves:
        without = without_digest(program, method, alone)
        strange = strange_pairs(tree, own, without)
        alarms = sorted(sign * score for pair, score in distances(program, method, alone, sign * most).items() if is_strange(pair, alone))
        near = {pair: sign * score for pair, score in distances(program, method, beside, sign * most).items()}
        found["notes"].append(f"{len(own)} pictures, {len(without)} without a digest, {strange} unrelated pairs; {len(classes)} copies")
        columns.append(
            lambda at, near=near, classes=classes, alarms=alarms, strange=strange: (
                percent(sum(near.get(pair, most + 1) <= at for pair in classes), len(classes)),
                sum(distance <= at for distance in alarms),
                round(1e5 * sum(distance <= at for distance in alarms) / strange, 3),
            )
        )
        least.append(sign * alarms[0] if alarms else f"beyond {sign * most}")
    found["notes"].append(f"the nearest unrelated pair has a score of {least[0]} in the first half, of {least[1]} in the second")
    found["rows"] = [[at, *columns[0](sign * at), *columns[1](sign * at)] for at in THRESHOLDS[method]]
    return found


def by_method(program, halves):
    """The copies that each method finds in the half that tests."""
    _, beside, classes, _ = halves[1]
    methods = ["auto", "pdq", "phash", "crops", *OTHERS]
    found = record_table("copies found by all methods, the tested half, %", ["", *methods], ["auto: without -a"])
    listed = {method: compared(program, method, beside) for method in methods}
    by_class = defaultdict(set)
    for pair, name in classes.items():
        by_class[name].add(pair)
    for name, pairs in by_class.items():
        found["rows"].append([name, *(percent(len(listed[method][0] & pairs), len(pairs)) for method in methods)])
    found["rows"].append(["all", *(percent(len(listed[method][0] & set(classes)), len(classes)) for method in methods)])
    found["rows"].append(["CPU s", *(round(listed[method][1], 1) for method in methods)])
    return found


def main(words):
    ask = record.arguments("pictures", __doc__, rounds=1)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--most", type=int, default=150, help="pictures of a package (%(default)s)")
    ask.add_argument("--copies", type=int, default=40, help="pictures of a half that are copied (%(default)s)")
    said = record.parse(ask, words)
    from PIL import Image, ImageEnhance, ImageOps

    program, room = pfh(said), said.room / "pictures-copies"
    shutil.rmtree(room, ignore_errors=True)
    if not said.tree.exists():
        gather(said.tree, said.most, Image)
    halves = lay_out(said.tree, room, said.copies, (Image, ImageOps, ImageEnhance))
    tables = [thresholds(program, said.tree, method, halves) for method in THRESHOLDS]
    tables.append(by_method(program, halves))
    record.finish("pictures", said, tables, [[program, "--version"]])
