"""Records that arrive one by one, hashed together, beside hashing each as it comes.

    bench/run queue [--example PATH] [--algorithm NAME] [--wait MICROSECONDS]

Runs `cargo run --release -p pfh-engine --example queue` at several PFH_ISA. It compares the codes of both ways first, and takes them in turns.
Processor time is that of all threads, in microseconds a record, least and median of five turns; "time" is the median from a record's arrival to its
code. "loop" is one thread that serves all streams: a record of each has arrived when a round begins. "threads" is a thread for each stream, which
waits for a code before it sends the next record; hashed as it comes, its time is that of the hash alone, without a wait for a processor.
"""

from pathlib import Path

from . import record
from .program import build, execute, target

LEVELS = ("sse4.1", "avx2", "avx512")


def main(words):
    ask = record.arguments("queue", __doc__)
    ask.add_argument("--example", type=Path, help="the example queue (built here)")
    ask.add_argument("--algorithm", default="hmac-sha256", help="of the records (hmac-sha256)")
    ask.add_argument("--wait", type=int, default=100, help="how long a record waits for others, in microseconds (100)")
    said = record.parse(ask, words)
    if not said.example:
        build("-p", "pfh-engine", "--example", "queue")
    tables = []
    for level in LEVELS:
        command = ["env", f"PFH_ISA={level}", said.example or target() / "examples/queue", said.algorithm, str(said.wait)]
        title, *lines = execute(command).output.decode().splitlines()
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|") and "---" not in line]
        tables.append(record.table(f"PFH_ISA={level}: {title}", rows[0], rows[1:]))
    record.finish("queue", said, tables, [])
