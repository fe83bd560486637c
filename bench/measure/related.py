"""Rows of `pfh compare` that are right, and rows of files that share only what their programs write into each.

    bench/run related TREE

TREE is one of `bench/run corpus`. Files of known origin are made, each of a family of its own: letters, sheets, slides and PDFs by
six programs (from PyPI), each with another text out of TREE; releases of packages of PyPI and of Maven's central repository; pages
of HTML out of TREE, pictures. A family holds a file and changed copies, or releases. Pairs of one family are related; rows of two
families are wrong, but for those of texts that share one phrase of eight words in twenty beyond those that six families have, counted
by this program. Families are shared out into two halves by a checksum of their names: what was chosen by the first is tested by the second.
"""

import csv
import io
import itertools
import random
import re
import shutil
import subprocess
import sys
import zipfile
import zlib
from collections import Counter, defaultdict
from pathlib import Path

from . import record
from .detection import percent, record_table
from .documents import edited, members, packed
from .program import execute, pfh

MAKERS = "python-docx==1.2.0 openpyxl==3.1.5 xlsxwriter==3.2.0 python-pptx==1.0.2 odfpy==1.4.1 reportlab==4.2.5 fpdf2==2.8.1 pillow".split()
WHEELS = {
    "requests": "2.31.0 2.32.3", "flask": "2.3.3 3.0.3", "jinja2": "3.1.2 3.1.4", "click": "8.1.3 8.1.7", "attrs": "22.2.0 23.2.0", "rich": "13.5.3 13.7.1",
    "pygments": "2.16.1 2.18.0", "werkzeug": "2.3.7 3.0.3", "urllib3": "1.26.18 2.2.2", "packaging": "23.2 24.1", "docutils": "0.20.1 0.21.2", "sphinx": "7.2.6 7.4.7",
    "pytest": "7.4.4 8.2.2", "idna": "3.4 3.7", "sqlparse": "0.4.4 0.5.0", "mako": "1.2.4 1.3.5", "babel": "2.13.1 2.15.0", "httpx": "0.25.2 0.27.0",
}  # fmt: skip
JARS = {
    "com.google.code.gson:gson": "2.8.9 2.10.1", "commons-io:commons-io": "2.11.0 2.15.1", "org.apache.commons:commons-lang3": "3.12.0 3.14.0",
    "commons-codec:commons-codec": "1.15 1.16.1", "org.slf4j:slf4j-api": "1.7.36 2.0.13", "junit:junit": "4.12 4.13.2", "com.google.guava:guava": "31.1-jre 33.2.0-jre",
    "org.apache.commons:commons-collections4": "4.3 4.4", "commons-cli:commons-cli": "1.4 1.5.0", "org.ow2.asm:asm": "9.3 9.7",
    "com.fasterxml.jackson.core:jackson-core": "2.15.4 2.17.1", "org.apache.commons:commons-compress": "1.21 1.24.0",
}  # fmt: skip
MAKE = r'''
import io, pathlib, random, sys
room, texts = pathlib.Path(sys.argv[1]), [path.read_text() for path in sorted(pathlib.Path(sys.argv[2]).iterdir())]
def paragraphs(text): return [part for part in text.split("\n\n") if part.strip()]
def docx(to, parts):
    import docx
    made = docx.Document()
    made.add_heading(parts[0][:60])
    for part in parts: made.add_paragraph(part)
    made.save(to)
def xlsx(to, parts):
    import openpyxl
    book = openpyxl.Workbook()
    for row, part in enumerate(parts, 1):
        for column, word in enumerate(part.split()[:12], 1): book.active.cell(row, column, word)
    book.save(to)
def writer(to, parts):
    import xlsxwriter
    book = xlsxwriter.Workbook(to)
    sheet = book.add_worksheet()
    for row, part in enumerate(parts):
        for column, word in enumerate(part.split()[:12]): sheet.write(row, column, word)
    book.close()
def pptx(to, parts):
    import pptx
    show = pptx.Presentation()
    for part in parts[:12]:
        page = show.slides.add_slide(show.slide_layouts[1])
        page.shapes.title.text, page.placeholders[1].text = part[:40], part
    show.save(to)
def odt(to, parts):
    from odf.opendocument import OpenDocumentText
    from odf.text import P
    made = OpenDocumentText()
    for part in parts: made.text.addElement(P(text=part))
    made.save(to)
def reportlab(to, parts):
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate
    from xml.sax.saxutils import escape
    SimpleDocTemplate(to).build([Paragraph(escape(part), getSampleStyleSheet()["Normal"]) for part in parts])
def fpdf(to, parts):
    import fpdf
    made = fpdf.FPDF()
    made.add_page(); made.set_font("Helvetica", size=11)
    for part in parts: made.multi_cell(0, 5, part.encode("latin-1", "replace").decode("latin-1"), new_x="LMARGIN", new_y="NEXT")
    made.output(to)
for name, make, end in [("docx", docx, "docx"), ("openpyxl", xlsx, "xlsx"), ("xlsxwriter", writer, "xlsx"), ("pptx", pptx, "pptx"), ("odt", odt, "odt"), ("reportlab", reportlab, "pdf"), ("fpdf", fpdf, "pdf")]:
    for number, text in enumerate(texts):
        parts = paragraphs(text)
        for kind, own in [("made", parts), ("changed", [part.replace(" the ", " that ") if at % 9 == 4 else part for at, part in enumerate(parts)]), ("half", parts[: len(parts) // 2 + 1])]:
            make(str(room / f"{name}{number:02d}@{kind}.{end}"), own)
'''


def texts(tree, number):
    """Texts of 4 to 12 kB of the tree: the words of its pages, in paragraphs."""
    found = []
    for path in sorted((tree / "html").rglob("*")):
        if path.is_file() and path.stat().st_size > 20_000:
            text = re.sub(r"<(script|style).*?</\1>|<[^>]*>|&\w+;", " ", path.read_text(errors="replace"), flags=re.S)
            lines = [" ".join(line.split()) for line in text.split("\n")]
            lines = [re.sub(r"[^\x20-\x7e]", "", line) for line in lines if len(line) > 60]
            if sum(map(len, lines)) > 12_000:
                at = len(lines) // 3
                found.append("\n\n".join(lines[at : at + 60])[:9_000])
    random.Random(4).shuffle(found)
    return found[:number]


def documents(room, tree, number):
    """Documents of six programs, and copies packed otherwise."""
    venv, sources = room.parent / "related-venv", room.parent / "related-texts"
    if not (venv / "bin/python").exists():
        subprocess.run([sys.executable, "-m", "venv", venv], check=True)
        subprocess.run([venv / "bin/pip", "install", "--quiet", *MAKERS], check=True)
    shutil.rmtree(sources, ignore_errors=True)
    sources.mkdir()
    for at, text in enumerate(texts(tree, number)):
        (sources / f"{at:02d}").write_text(text)
    subprocess.run([venv / "bin/python", "-c", MAKE, room, sources], check=True)
    rng = random.Random(6)
    for path in sorted(room.glob("*@made.*")):
        files = members(path.read_bytes())
        if files:
            to = lambda kind, path=path: path.with_name(path.name.replace("@made", f"@{kind}"))
            to("packed").write_bytes(packed(files, compression=zipfile.ZIP_DEFLATED, compresslevel=9))
            to("stored").write_bytes(packed(files, compression=zipfile.ZIP_STORED))
            changed = edited(files, rng)
            if changed:
                to("word").write_bytes(packed(changed, compression=zipfile.ZIP_DEFLATED))


def releases(room):
    """Wheels, jars, and modules out of them."""
    for name, versions in WHEELS.items():
        for at, version in enumerate(versions.split()):
            got = room.parent / "related-got"
            shutil.rmtree(got, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "-d", got, f"{name}=={version}"], check=True)
            wheel = next(got.glob("*.whl"))
            (room / f"wheel-{name}@{at}.whl").write_bytes(wheel.read_bytes())
            with zipfile.ZipFile(wheel) as archive:
                sources = sorted((info for info in archive.infolist() if info.filename.endswith(".py") and 8_000 < info.file_size < 90_000), key=lambda info: info.filename)
                for info in sources[:6]:
                    (room / f"py-{info.filename.replace('/', '-')}@{at}.py").write_bytes(archive.read(info))
    for name, versions in JARS.items():
        group, artifact = name.split(":")
        for at, version in enumerate(versions.split()):
            subprocess.run(["mvn", "--quiet", "dependency:copy", f"-Dartifact={name}:{version}", f"-DoutputDirectory={room}"], check=True)
            (room / f"{artifact}-{version}.jar").rename(room / f"jar-{artifact}@{at}.jar")


def pages(room, tree, number):
    """Pages of HTML, PDFs in two other forms, pictures in another quality and their thumbnails."""
    rng = random.Random(7)
    for kind in ("html", "pdf", "jpg", "png", "txt"):
        files = sorted(path for path in (tree / kind).rglob("*") if path.is_file() and path.stat().st_size < 2 << 20)
        rng.shuffle(files)
        for at, path in enumerate(files[: number if kind == "html" else number // 5]):
            to = room / f"{kind}{at:03d}@made.{kind}"
            to.write_bytes(path.read_bytes())
            if kind == "pdf":
                for form, words in [("gs", ["gs", "-q", "-sDEVICE=pdfwrite", "-o", None, to]), ("plain", ["qpdf", "--qdf", to, None])]:
                    other = to.with_name(f"pdf{at:03d}@{form}.pdf")
                    subprocess.run([other if word is None else word for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if kind in ("html", "txt") and at % 4 == 0:
                data = path.read_bytes()
                (room / f"{kind}{at:03d}@part.{kind}").write_bytes(data[len(data) // 3 : len(data) * 2 // 3])


def phrases_of(path):
    """Eight words in a row, of a text without its marks; of a document, those that it was made of."""
    text = path.read_text(errors="replace") if path.suffix in (".html", ".py", ".txt") else ""
    if path.suffix == ".odt":
        text = dict(members(path.read_bytes()) or [])["content.xml"].decode(errors="replace")
    words = re.sub(r"<(script|style).*?</\1>|<[^>]*>|&\w+;", " ", text, flags=re.S).split()
    return {hash(tuple(words[at : at + 8])) for at in range(len(words) - 7)}


def kin_of(paths):
    """Pairs of families whose texts share one of twenty phrases, beyond those that six families have."""
    phrases = defaultdict(set)
    for path in paths:
        # A document of each program has the text of the same number.
        if path.suffix in (".html", ".py", ".txt", ".odt"):
            phrases[family(path.name)] |= phrases_of(path)
    holders = Counter(phrase for own in phrases.values() for phrase in own)
    own = {name: {phrase for phrase in found if holders[phrase] <= 6} for name, found in phrases.items()}
    shares = lambda a, b: 20 * len(own[a] & own[b]) >= max(1, min(len(own[a]), len(own[b])))
    return {frozenset(pair) for pair in itertools.combinations(own, 2) if shares(*pair)}


def family(name):
    return Path(name).name.split("@")[0]


def text_of(name):
    """The family of a document whose text can be read here: that of the same text."""
    return re.sub("^(docx|openpyxl|xlsxwriter|pptx|reportlab|fpdf)(?=[0-9])", "odt", family(name))


def half_of(name):
    return zlib.crc32(family(name).encode()) & 1


def listed(program, folder, options):
    """The rows: two names of files, the word, the score; and the processor's seconds."""
    run = execute([program, "compare", "-f", "csv", "--no-lists", "--no-progress", *options, folder], may_fail=True)
    rows = []
    for row in csv.DictReader(io.StringIO(run.output.decode(errors="surrogateescape"))):
        names = [Path(row[side].split("!/")[0]).name for side in "ab"]
        rows.append((names, row.get("relation", ""), int(row["score"])))
    return rows, run.cpu


def main(words):
    ask = record.arguments("related", __doc__, rounds=1)
    ask.add_argument("tree", type=Path)
    ask.add_argument("--number", type=int, default=24, help="documents of each program (%(default)s)")
    ask.add_argument("--keep", action="store_true", help="use the files of the last run")
    said = record.parse(ask, words)
    program, room = pfh(said), said.room / "related"
    if not said.keep or not room.exists():
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(parents=True)
        documents(room, said.tree, said.number)
        releases(room)
        pages(room, said.tree, 8 * said.number)
    paths = sorted(room.iterdir())
    kin, tables = kin_of(paths), []
    for half, title in enumerate(("the half to choose by", "the half to test by")):
        own = room.parent / f"related-{half}"
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir()
        files = [path for path in paths if half_of(path.name) == half]
        for path in files:
            (own / path.name).hardlink_to(path)
        families = defaultdict(list)
        for path in files:
            families[family(path.name)].append(path.name)
        related = {frozenset(pair) for names in families.values() for pair in itertools.combinations(names, 2)}
        kinds = sorted({re.sub(r"[-\d].*", "", name) for name in families})
        found = {way: listed(program, own, options) for way, options in (("default", []), ("--inside", ["--inside=lenient"]))}
        notes = [f"{len(files)} files of {len(families)} families, {len(related)} related pairs"]
        table = record_table(f"Related files, {title}", ["", *found], notes)
        of_kind = lambda pair, kind: re.sub(r"[-\d].*", "", family(min(pair))) == kind
        pairs = {way: {frozenset(names) for names, _, _ in rows if names[0] != names[1]} for way, (rows, _) in found.items()}
        for kind in kinds:
            own_pairs = {pair for pair in related if of_kind(pair, kind)}
            if own_pairs:
                table["rows"].append([f"found of {kind}, %", *(percent(len(own_pairs & pairs[way]), len(own_pairs)) for way in found)])
        table["rows"].append(["found of all, %", *(percent(len(related & pairs[way]), len(related)) for way in found)])
        right = lambda names: frozenset(names) in related or frozenset(map(text_of, names)) in kin or text_of(names[0]) == text_of(names[1])
        for word in ("nearly-equal", "a-in-b", "b-in-a", "shares", "alike"):
            cells = []
            for rows, _ in found.values():
                own_rows = [names for names, relation, _ in rows if relation == word and names[0] != names[1]]
                cells.append(f"{sum(not right(names) for names in own_rows)} of {len(own_rows)}")
            table["rows"].append([f"wrong among {word}", *cells])
        for most in (300, 1000):
            cells = []
            for rows, _ in found.values():
                own_rows = [names for names, _, _ in rows if names[0] != names[1]][:most]
                cells.append(percent(sum(map(right, own_rows)), len(own_rows)))
            table["rows"].append([f"right among the first {most}, %", *cells])
        table["rows"].append(["rows", *(len(rows) for rows, _ in found.values())])
        table["rows"].append(["CPU s", *(round(cpu, 2) for _, cpu in found.values())])
        wrong = Counter(" ".join(sorted(re.sub(r"[-\d].*", "", name) for name in names)) for names, _, _ in found["default"][0] if names[0] != names[1] and not right(names))
        table["notes"].append("wrong rows: " + ", ".join(f"{kind} {count}" for kind, count in wrong.most_common(9)))
        missed = Counter(re.sub(r"[-\d].*", "", family(min(pair))) + ":" + "+".join(sorted(name.split("@")[1].split(".")[0] for name in pair)) for pair in related - pairs["default"])
        table["notes"].append("missed pairs: " + ", ".join(f"{kind} {count}" for kind, count in missed.most_common(12)))
        tables.append(table)
    record.finish("related", said, tables, [[program, "--version"]])
