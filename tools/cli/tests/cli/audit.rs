//! `pfh audit`: the server as a process, and the environment of the question.
#![cfg(unix)]

use std::time::Duration;

use crate::audited::{Served, committed, pfh, run};
use crate::program::Room;

/// A key that its owner alone can read: others are warned of.
pub fn secret(path: std::path::PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).expect("its owner");
}

#[test]
fn a_server_without_files_or_with_a_signal_ends() {
    if pfh_inject::lacks(&[pfh_inject::Need::SignalMask]) {
        return;
    }
    let room = Room::new();
    room.file("case/file", b"no tree");
    assert_eq!(run(&room, ["audit", "serve", "case"]).code, Some(2));
    assert_eq!(run(&room, ["audit", "serve", "nothing-there"]).code, Some(3));
    let (room, _) = committed("blake3", 1000);
    let seen = pfh(["audit", "serve", "--listen", "127.0.0.1:0", "case"])
        .directory(room.path())
        .signal_once_caught(Duration::from_millis(300), 15)
        .run()
        .unwrap();
    assert_eq!(seen.code, Some(128 + 15));
}

#[test]
fn the_question_goes_to_the_server_that_is_named_and_to_no_proxy() {
    let (room, _) = committed("blake3", 10_000);
    let server = Served::start(&room, &[]);
    let seen = pfh(["audit", "ask", &server.url, "kept"])
        .under(["env", "http_proxy=http://127.0.0.1:9", "ALL_PROXY=http://127.0.0.1:9"])
        .directory(room.path())
        .run()
        .expect("a run");
    assert_eq!(seen.code, Some(0), "{seen:?}");
}
