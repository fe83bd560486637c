//! Work on a deep tree grows with its depth, and not with the square of it.

use crate::program::Room;
use pfh_inject::{Need, Trial, lacks};

/// Calls that open or look at a name, of one run.
fn calls(room: &Room, line: &str) -> usize {
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(line.split_whitespace()).directory(room.path());
    let calls = "trace=openat,openat2,newfstatat,statx,readlink,readlinkat,lstat,stat,open,access";
    let seen = trial.under(["strace", "-f", "--seccomp-bpf", "-o", "trace", "-e", calls]).run().expect("a run");
    assert_eq!(seen.code, Some(0), "{line}: {}", seen.stderr);
    std::fs::read_to_string(room.path().join("trace")).expect("a trace").lines().count()
}

#[test]
fn twice_the_depth_takes_twice_the_calls() {
    if lacks(&[Need::Program("strace")]) {
        return;
    }
    let counts = [300, 600].map(|depth| {
        let room = Room::new();
        // Deeper than one name may be long, so that it is made from within.
        let make =
            "i=0; while [ $i -lt \"$0\" ]; do mkdir d; cd -P d; [ $((i % 30)) = 0 ] && echo $i > f; i=$((i + 1)); done";
        let made = std::process::Command::new("sh")
            .args(["-c", &format!("mkdir t; cd t; {make}"), &depth.to_string()])
            .current_dir(room.path())
            .status();
        assert!(made.expect("a shell").success());
        calls(&room, "hash -r -a md5 t -o list");
        ["check list", "check list t", "check --audit list t", "diff list t", "hash -r t -a md5"]
            .map(|line| (line, calls(&room, line)))
    });
    for ((line, less), (_, more)) in counts[0].iter().zip(counts[1]) {
        assert!(more < less * 2 + 100, "{line}: {less} calls at 300 levels, {more} at 600");
    }
}
