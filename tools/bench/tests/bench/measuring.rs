//! `bench/run`: each benchmark that it lists is there and has its help; what the program has with
//! it is enough to run the papers' parts.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    let script: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/run");
    Command::new("python3").arg(script).args(arguments).output().expect("python3 runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn each_benchmark_that_is_listed_has_its_help() {
    let listed = text(&run(&[]).stdout);
    let names: Vec<&str> =
        listed.lines().filter_map(|line| line.strip_prefix("    ")?.split_whitespace().next()).collect();
    assert!(names.len() > 10 && names.contains(&"compare"), "{listed}");
    for name in names.into_iter().filter(|name| *name != "bench/run") {
        let seen = run(&[name, "--help"]);
        let (help, said) = (text(&seen.stdout), text(&seen.stderr));
        assert!(seen.status.success() && help.starts_with(&format!("usage: bench/run {name}")), "{name}: {help}{said}");
    }
    let unknown = run(&["no-such"]);
    assert!(unknown.status.code() == Some(1) && text(&unknown.stderr).contains("there are compare, "));
}

/// Two clocks where the clock can be set, and the reason where not; cores that are not here are
/// simulated from those that are; commands are shown as a user types them.
#[test]
fn parts_of_the_papers_measurements() {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
    let code = r#"
import sys, tempfile
from pathlib import Path
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from measure import imaging, lanes, similarity, tree
from measure.program import execute, xargs
from measure.turns import Contender
with tempfile.TemporaryDirectory() as place:
    with lanes.half_clock(Path(place)) as why:
        assert "cannot be written" in why, why
    for number in range(2):
        cpu = Path(place) / f"cpu{number}/cpufreq"
        cpu.mkdir(parents=True)
        (cpu / "scaling_max_freq").write_text("3300000\n")
    with lanes.half_clock(Path(place)) as why:
        assert why is None and (cpu / "scaling_max_freq").read_text() == "1650000"
    assert (cpu / "scaling_max_freq").read_text() == "3300000\n"
found = tree.simulated({1: 10.0, 2: 5.5})
assert [round(found[count], 2) for count in (6, 12)] == [2.5, 1.75] and tree.simulated({1: 10.0}) == {}, found
for printed in imaging.PRINTED.values():
    for size, (dd, threads) in printed.items():
        read, written = imaging.rates(size, dd, threads)
        bytes = size * 1e6
        assert abs(bytes / read + bytes / written - dd) < 1e-6 and abs(imaging.BLOCK / read + bytes / written - threads) < 1e-6
assert execute(imaging.at_once(["printf a", "sleep .1; printf b"])).output == b"ab"
try:
    execute(imaging.at_once(["false", "true"]))
    sys.exit("a failure is lost")
except SystemExit as end:
    assert "exit status 1" in str(end), end
assert similarity.command_of(Contender("x", xargs("/t5", "ssdeep -s"))) == "find /t5 -type f -print0 | xargs -0 -P 1 ssdeep -s"
assert similarity.command_of(Contender("x", ["/a/pfh", "-d", "t5", "-t", "2"])) == "pfh -d t5 -t 2"
"#;
    let seen = Command::new("python3").args(["-c", code]).arg(bench).output().unwrap();
    assert!(seen.status.success(), "{}", text(&seen.stderr));
}

/// A run that was refused or broken off has no time, even where a negative verdict is an answer.
#[test]
fn a_refused_run_ends_the_benchmark() {
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench");
    let code = r#"
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from measure.program import execute
def taken(status, **words):
    try:
        execute(["sh", "-c", f"exit {status}"], **words)
    except SystemExit:
        return False
    return True
statuses = range(7)
assert [status for status in statuses if taken(status)] == [0]
assert [status for status in statuses if taken(status, may_fail=True)] == [0, 1, 3]
assert [status for status in statuses if taken(status, may_fail=range(3))] == [0, 1, 2]
assert not taken("0 & kill -9 $$", may_fail=True), "a signal"
"#;
    let seen = Command::new("python3").args(["-c", code]).arg(bench).output().unwrap();
    assert!(seen.status.success(), "{}", text(&seen.stderr));
}

/// Answers that differ end a benchmark: its exit status is 1 and no table is printed.
#[test]
fn a_program_that_answers_otherwise_ends_the_benchmark() {
    let room = tempfile::tempdir().unwrap();
    let liar = room.path().join("liar");
    let script = format!("#!/bin/sh\ncase \"$*\" in *uring*) echo '{0}  a';; *) echo '{1}  a';; esac\n", "00", "11");
    pfh_inject::executable(&liar, script.as_bytes());
    let (liar, here) = (liar.to_str().unwrap(), room.path().to_str().unwrap());
    let seen = run(&["io", here, "--pfh", liar, "--rounds", "1", "--room", here]);
    assert_eq!((seen.status.code(), text(&seen.stdout)), (Some(1), String::new()), "{}", text(&seen.stderr));
    assert!(text(&seen.stderr).contains("disagree on 1 files, b'a'"), "{}", text(&seen.stderr));
}
