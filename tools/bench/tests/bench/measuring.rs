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

/// Answers that differ end a benchmark: its exit status is 1 and no table is printed.
#[test]
fn a_program_that_answers_otherwise_ends_the_benchmark() {
    let room = tempfile::tempdir().unwrap();
    let liar = room.path().join("liar");
    let script = format!("#!/bin/sh\ncase \"$*\" in *uring*) echo '{0}  a';; *) echo '{1}  a';; esac\n", "00", "11");
    std::fs::write(&liar, script).unwrap();
    std::fs::set_permissions(&liar, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (liar, here) = (liar.to_str().unwrap(), room.path().to_str().unwrap());
    let seen = run(&["io", here, "--pfh", liar, "--rounds", "1", "--room", here]);
    assert_eq!((seen.status.code(), text(&seen.stdout)), (Some(1), String::new()), "{}", text(&seen.stderr));
    assert!(text(&seen.stderr).contains("disagree on 1 files, b'a'"), "{}", text(&seen.stderr));
}
