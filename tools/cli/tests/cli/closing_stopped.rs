//! Each number of each closing sentence of a run that is interrupted: SIGINT comes with a certain
//! call on a certain file, and the rest takes long, so that the run cannot end before.
#![cfg(unix)]

use crate::closing_table::{Stopped, room, shell, wrong};
use pfh_inject::{Need, lacks};

const TABLE: &[Stopped] = &[
    Stopped {
        before: "$0 hash -r d -o list",
        line: "check -t1 --io plain list",
        at: "d/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: {} files have a verdict, the rest has none", &["lines ': OK$' out"])],
        absent: &[],
        is_silent: false,
    },
    Stopped {
        before: "$0 hash -r d -o list",
        line: "check --json --io plain list",
        at: "d/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: {} files have a verdict, the rest has none", &["lines '\"result\":\"ok\"' out"])],
        absent: &[],
        is_silent: false,
    },
    Stopped {
        before: "$0 hash -r d -o list",
        line: "check --audit --io plain list d",
        at: "d/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: the audit is not complete, and says nothing", &[])],
        absent: &[],
        is_silent: true,
    },
    Stopped {
        before: "cp -r d e; echo > e/new",
        line: "diff --io plain d e",
        at: "e/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: the comparison is not complete, and says nothing", &[])],
        absent: &[],
        is_silent: true,
    },
    Stopped {
        before: "mkdir b; mv d b/data",
        line: "bag create --io plain b",
        at: "b/data/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: nothing was written, and nothing is said", &[])],
        absent: &["b/bagit.txt", "b/manifest-sha512.txt", "b/tagmanifest-sha512.txt", "b/bag-info.txt"],
        is_silent: true,
    },
    Stopped {
        before: "mkdir b; mv d b/data; $0 bag create b; echo more >> b/data/1",
        line: "bag validate --io plain b",
        at: "b/data/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: nothing was written, and nothing is said", &[])],
        absent: &[],
        is_silent: true,
    },
    Stopped {
        before: "$0 plan -r d -o plan",
        line: "run --io plain plan --unit 1",
        at: "d/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: the unit has no result", &[])],
        absent: &["plan/parts/000001"],
        is_silent: true,
    },
    Stopped {
        before: "head -c 30000000 /dev/zero | tr '\\0' x > disk",
        line: "acquire --block 64KiB --readers 1 disk --to image",
        at: "disk",
        call: "pread64:when=60",
        sentences: &[("stopped after {} bytes: cancelled; the same command resumes here", &["mapped + image.map"])],
        absent: &[],
        is_silent: true,
    },
    Stopped {
        before: "head -c 30000000 /dev/zero | tr '\\0' x > disk",
        line: "dd if=disk of=image bs=64K --block 64KiB",
        at: "disk",
        call: "pread64:when=60",
        sentences: &[("stopped after {} bytes: cancelled", &["size image"])],
        absent: &[],
        is_silent: true,
    },
    Stopped {
        before: "head -c 30000000 /dev/zero | tr '\\0' x > disk; $0 acquire disk --to image",
        line: "verify image",
        at: "image",
        call: "pread64:when=20",
        sentences: &[],
        absent: &[],
        is_silent: true,
    },
    Stopped {
        before: "true",
        line: "tree build d",
        at: "d/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: no tree beyond those named was changed", &[])],
        absent: &["d.pfhtree", "d.pfhtree-new", "d.pfhtree-lock"],
        is_silent: true,
    },
    Stopped {
        before: "$0 tree build d; echo more >> d/1",
        line: "tree check d",
        at: "d/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: no tree beyond those named was changed", &[])],
        absent: &["d.pfhtree-lock"],
        is_silent: true,
    },
    Stopped {
        before: "true",
        line: "tree build -r d",
        at: "d/7",
        call: "fstat:when=1",
        sentences: &[("interrupted: no tree beyond those named was changed", &[])],
        absent: &["d/7.pfhtree", "d/9.pfhtree"],
        is_silent: false,
    },
    Stopped {
        before: "seq 300000 | while read n; do printf '%064d  %s\\n' $n $n; done > list",
        line: "known build --bad list set",
        at: "list",
        call: "read:when=1",
        sentences: &[("interrupted; the same command goes on from here", &[])],
        absent: &["set"],
        is_silent: true,
    },
    Stopped {
        before: "$0 hash -r d -f jsonl > list; for n in 1 2 3 4 5 6; do cat list list list > more; mv more list; done",
        line: "export list --to bodyfile -o body",
        at: "list",
        call: "read:when=1",
        sentences: &[("interrupted: the export is not whole", &[])],
        absent: &["body"],
        is_silent: true,
    },
    Stopped {
        before: "$0 hash -r d -o list",
        line: "report list --html page",
        at: "list",
        call: "read:when=1",
        sentences: &[("interrupted: no page was written", &[])],
        absent: &["page"],
        is_silent: true,
    },
    Stopped {
        before: "(cd d && zip -qr ../in.zip .)",
        line: "list in.zip",
        at: "in.zip",
        call: "pread64:when=1",
        sentences: &[("interrupted: the list is not whole", &[])],
        absent: &[],
        is_silent: false,
    },
];

#[test]
fn an_interrupted_run_claims_what_it_did() {
    if lacks(&[Need::Program("strace"), Need::Program("zip")]) {
        return;
    }
    let mut all = Vec::new();
    for row in TABLE {
        let room = room();
        shell(&room, &format!("({}) >/dev/null 2>&1", row.before));
        // Each file is read by a thread that does nothing else meanwhile: no ring.
        let (call, at) = (row.call, room.path().join(row.at));
        let calls = "-e inject=io_uring_setup:error=ENOSYS -e inject=lseek,close:delay_enter=400000";
        let trace = format!("strace -f -qq -o t -P {} {calls} -e inject={call}:signal=INT", at.display());
        // The timer that ends a process which notices no signal would race the delays.
        let seen = shell(&room, &format!("{trace} env --block-signal=ALRM \"$0\" {} >out 2>err", row.line));
        let read = |name: &str| std::fs::read_to_string(room.path().join(name)).unwrap_or_default();
        if seen.code != Some(130) {
            all.push(format!("{}: {:?}\n{}", row.line, seen.code, read("err")));
        }
        let is_loud = row.is_silent && !read("out").is_empty();
        let there = row.absent.iter().find(|name| room.path().join(name).exists());
        if is_loud || there.is_some() {
            all.push(format!("{}: {there:?} is there, printed: {}", row.line, read("out")));
        }
        all.extend(wrong(&room, row.sentences).iter().map(|wrong| format!("{}: {wrong}", row.line)));
    }
    assert!(all.is_empty(), "{} are wrong:\n{}", all.len(), all.join("\n"));
}
