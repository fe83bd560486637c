"""The command of the wheel beside the native one: the same bytes, exits, files and signals."""

import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sysconfig
import time

import pytest

NATIVE = os.environ.get("PFH_NATIVE")
WHEEL = os.path.join(sysconfig.get_path("scripts"), "pfh")

# Kernels are chosen by their cost in the table, not by the times of a busy machine.
os.environ["PFH_COSTS"] = "table"

pytestmark = pytest.mark.skipif(NATIVE is None, reason="PFH_NATIVE names no native program: `make python` does")

#: Commands in order; they read files of earlier ones. Each is run in a room of its own kind.
COMMANDS = """
--version
--help
--help-all
-h
help

no-such-command
hash
hash -h
hash --no-progress -a md5,sha256 a b
hash --no-progress -r -a md5,sha1,sha256,blake3 -f jsonl .
hash --no-progress -r -f dfxml -a sha256 d
hash --no-progress -r -f hashdeep -a md5,sha256 d
hash --no-progress -r -a ssdeep,tlsh d
hash --no-progress -a nonsense a
hash --no-progress missing a
hash --no-progress -a sha256 -
hash --no-progress -r -a sha256 -o list a b d
hash --no-progress -a sha256 -o a b
-c hash -d t1 -r d
-h
check list
check --json list
check missing
algorithms
algorithms --json
compare --no-progress -a ssdeep,sdhash,mrsh-v2,tlsh d/1 d/2 d/3
compare --no-progress -a sha256 -f jsonl a b a
known build --no-progress --bad list sets.pfhknown
known info sets.pfhknown
known info --verify sets.pfhknown
match --no-progress -k sets.pfhknown a b d/1
match --no-progress -k sets.pfhknown -f csv a b d/1
lookup -k sets.pfhknown --digest 00000000000000000000000000000000
lookup -k sets.pfhknown --digest cb8379ac2098aa165029e3938a51da0bcecfc008fd6795f401178647f96c5b34
tree build --no-progress d/3
tree check --no-progress d/3
tree receive --no-progress -o received 100=d/2 0+100=d/1
tree receive --no-progress -o received 0=d/2
tree root --no-progress --as fs-verity d/3
tree export d/3 --obao d3.obao
tree prove d/3 --range 0:4096 -o part
tree verify part --root 0000000000000000000000000000000000000000000000000000000000000000
tree diff d/3 d/3
audit commit d/3 -o kept
audit challenge kept --find 1% --confidence .99 -o c
audit prove c d/3 -o p
audit verify kept c p
audit demo --size 64KiB --all
acquire --no-progress d/3 --to image.img
acquire --no-progress --json d/3 --to image.E01 --case 7
verify --no-progress image.img
verify --no-progress image.E01
info image.E01
info --json d/3
extract --no-progress a --to taken
dd if=d/3 of=copy hash=sha256
dd if=missing of=copy2
plan -r d --unit 100KiB -o PLAN
run --no-progress PLAN --unit 1
run --no-progress PLAN --unit 2
merge PLAN -o merged
diff d d
diff d bagged
dups d
disks --system missing
report list --html report.html
hash --no-progress -r -f jsonl -o timed d
export timed --to timesketch -o timed.csv
export list --to bodyfile
schema
schema hash
schema none
known export sets.pfhknown bad.kdb --to kdb
bag create -a sha256 bagged
bag validate bagged
bag update bagged
list a
list --json missing
cat a
cat a!/b
hash --no-progress --inside -r d
completions bash
completions zsh
man pages
bench papers --list
bench languages --list
bench sizes d
bench fit missing
""".splitlines()[1:]

#: Parts of the output that differ from run to run of any program: times, rates, random numbers.
VOLATILE = [
    (rb"[0-9.]+ s, [0-9.]+ [kMG]?B/s", b"S s, R B/s"),
    (rb'"seconds":[0-9.e+-]+', b'"seconds":0'),
    (rb"[0-9.]+ (ms|s)\b", b"T s"),
    (rb"20\d\d-\d\d-\d\d[T ][0-9:.]+(Z|[+-][0-9:]+)?", b"DATE"),
    (rb",1[0-9]{15},", b",MICROSECONDS,"),
    (rb'"(ctime|atime)":"[^"]*"', b'"time":""'),
    (rb"<(ctime|atime)>[^<]*<", b"<time><"),
    (rb"the chain holds: [0-9a-f]{64}", b"the chain holds"),
    (rb"\bpid [0-9]+", b"pid 0"),
    (rb"made by pfh [^<]*", b"made by pfh"),
]

#: Files that hold times, random numbers or the words of the call.
APART = re.compile(r"(\.log|\.log\.jsonl|\.E01|\.map|^c|^p|^kept)$")


def calm(text):
    for pattern, instead in VOLATILE:
        text = re.sub(pattern, instead, text)
    return text


def furnish(room):
    shutil.rmtree(room, ignore_errors=True)
    (room / "d").mkdir(parents=True)
    (room / "a").write_bytes(b"a")
    (room / "b").write_bytes(b"b" * 70_000)
    lines = b"".join(b"line %d of a text that is long enough\n" % number for number in range(3000))
    (room / "d" / "1").write_bytes(lines)
    (room / "d" / "2").write_bytes(lines[:60_000])
    (room / "d" / "3").write_bytes(bytes(range(256)) * 700)
    (room / "bagged").mkdir()
    (room / "bagged" / "1").write_bytes(lines)
    for path in [room, *room.rglob("*")]:
        os.utime(path, ns=(10**18, 10**18))


def content(room):
    found = {}
    for path in sorted(room.rglob("*")):
        name = str(path.relative_to(room))
        found[name] = None if path.is_dir() or APART.search(name) else calm(path.read_bytes())
    return found


def both(room, work):
    seen = []
    for program in (NATIVE, WHEEL):
        furnish(room)
        # The place and the name of the program show in nothing but its own name.
        seen.append(work(program))
        seen[-1].append(content(room))
    return seen


def test_the_whole_command_set(tmp_path):
    room = tmp_path / "room"

    def work(program):
        found = []
        for line in COMMANDS:
            done = subprocess.run(
                [program, *line.split()], cwd=room, input=b"abc", capture_output=True, timeout=600
            )
            found.append([line, done.returncode, calm(done.stdout), calm(done.stderr)])
        return found

    native, wheel = both(room, work)
    for one, other in zip(native[:-1], wheel[:-1]):
        assert other == one
    assert wheel[-1] == native[-1]
    codes = {line: code for line, code, *_ in native[:-1]}
    assert {0, 1, 2, 3} <= set(codes.values()), codes
    assert codes["hash --no-progress -r -a sha256 -o list a b d"] == codes["check list"] == 0, codes
    assert codes["verify --no-progress image.E01"] == codes["audit verify kept c p"] == 0, codes


def commands(*words):
    """The commands that the program's own help lists."""
    text = subprocess.run([NATIVE, *words, "--help"], capture_output=True, text=True, check=True).stdout
    part = text.split("Commands:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\S+)", part, re.MULTILINE)


def test_no_command_is_left_out():
    run = {" ".join(line.split()[:2]) for line in COMMANDS} | {line.split()[0] for line in COMMANDS if line}
    missing = [name for name in commands() if name not in run]
    for group in ("known", "tree", "audit", "bag", "bench"):
        missing += [f"{group} {name}" for name in commands(group) if f"{group} {name}" not in run]
    # These wait for others, measure for minutes, or need the files of another run.
    apart = {"tree update", "tree watch", "tree append", "tree import", "audit tokens", "audit renew", "audit serve", "audit ask"}
    # Speeds and free bytes are others each time: test_jobs.py calls it.
    apart |= {"selftest"}
    apart |= {"bench report", "bench forecast", "bench self"}
    assert set(missing) <= apart


def is_caught(pid, number):
    """Whether a process catches a signal."""
    with open(f"/proc/{pid}/status") as status:
        (caught,) = (line.split()[1] for line in status if line.startswith("SigCgt:"))
    return int(caught, 16) >> (number - 1) & 1 == 1


def is_pfh(pid, program):
    """Whether a process has come so far that pfh decides what SIGINT does, and not the interpreter."""
    with open(f"/proc/{pid}/maps") as maps:
        return (program == NATIVE or "/_pfh." in maps.read()) and not is_caught(pid, signal.SIGINT)


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (signal.SIGINT, "hash --no-progress -"),
        (signal.SIGTERM, "hash --no-progress -"),
        (signal.SIGHUP, "tree build --no-progress large"),
        (signal.SIGINT, "bench self"),
    ],
)
def test_signals(number, words, tmp_path):
    with open(tmp_path / "large", "wb") as large:
        large.truncate(200 << 30)
    ends = []
    for program in (NATIVE, WHEEL):
        child = subprocess.Popen(
            [program, *words.split()],
            cwd=tmp_path,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            # Under nohup, tests are started with SIGHUP ignored, and so would be programs that
            # they start.
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
        )
        # The interpreter itself catches SIGINT, so the next signal that pfh catches is waited for.
        sign = signal.SIGTERM if number == signal.SIGINT else number
        end = time.monotonic() + 60
        while not (is_pfh(child.pid, program) if words == "bench self" else is_caught(child.pid, sign)) and time.monotonic() < end:
            time.sleep(0.01)
        child.send_signal(number)
        # Its standard input stays open: an end would be an answer.
        child.wait(timeout=60)
        ends.append((child.returncode, calm(child.stderr.read())))
    assert ends[0] == ends[1]
    assert ends[0][0] in (128 + number, -number)


def test_a_reader_that_goes_away():
    ends = []
    for program in (NATIVE, WHEEL):
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([program, "algorithms"], stdout=writing, stderr=subprocess.PIPE)
        os.close(writing)
        ends.append((done.returncode, done.stderr))
    assert ends[0] == ends[1] == (141, b"")


def test_closed_streams(tmp_path):
    (tmp_path / "a").write_bytes(b"a")
    for closed in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
        ends = []
        for program in (NATIVE, WHEEL):
            done = subprocess.run(
                ["sh", "-c", f'"$0" hash --no-progress -a sha256 -o list --force a {closed}', program],
                cwd=tmp_path,
                capture_output=True,
            )
            ends.append((done.returncode, done.stdout, calm(done.stderr), (tmp_path / "list").read_bytes()))
        assert ends[0] == ends[1] and ends[0][0] == 0, closed


def test_a_stream_that_is_used_and_closed_is_an_error(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    for line, code in (("hash a >&-", 4), ("hash - <&-", 3), ("hash --files-from - <&-", 3), ("hash - - <a", 2)):
        for program in (NATIVE, WHEEL):
            done = subprocess.run(["sh", "-c", f'"$0" {line}', program], cwd=tmp_path, capture_output=True)
            assert (done.returncode, done.stdout) == (code, b""), (program, line, done.stderr)



def on_a_terminal(words, cwd, interrupt=None):
    """The output on a terminal, and the exit. Ctrl-C is typed once it has shown ``interrupt``."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.environ["COLUMNS"] = "80"
        os.execv(words[0], words)
    shown = b""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if interrupt and interrupt in shown:
            os.write(terminal, b"\x03")
            interrupt = None
        if not select.select([terminal], [], [], 0.1)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    return shown, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_a_terminal(tmp_path):
    for words in (["--help"], ["hash", "--no-progress", "a\nb"], ["algorithms"], ["nonsense"]):
        one, other = (on_a_terminal([program, *words], tmp_path) for program in (NATIVE, WHEEL))
        assert one == other and one[0]


def test_ctrl_c_at_a_terminal_and_its_progress(tmp_path):
    with open(tmp_path / "large", "wb") as large:
        large.truncate(200 << 30)
    for program in (NATIVE, WHEEL):
        shown, code = on_a_terminal([program, "hash", "-a", "sha3-512", "large"], tmp_path, interrupt=b"B/s")
        assert code == 130 and b"interrupted" in shown, shown
