//! The example `member`, which runs as it is.

#[path = "../../examples/member.rs"]
#[allow(dead_code, reason = "its main function")]
mod member;

use crate::noise::noise;
use pfh_archive::Bytes;
use std::process::Command;
use std::sync::Arc;

#[test]
fn a_member_is_written_and_a_damaged_one_is_not() {
    let room = tempfile::tempdir().unwrap();
    let (first, second) = (noise(1, 300_000), noise(2, 70_000));
    std::fs::write(room.path().join("a"), &first).unwrap();
    std::fs::write(room.path().join("b"), &second).unwrap();
    let made = Command::new("sh").args(["-c", "tar c a b | gzip -c"]).current_dir(room.path()).output().unwrap();
    assert!(made.status.success() && !made.stdout.is_empty(), "{}", String::from_utf8_lossy(&made.stderr));
    let archive = |bytes: &[u8]| -> Arc<dyn Bytes> { Arc::new(bytes.to_vec()) };

    let mut out = Vec::new();
    member::copy(archive(&made.stdout), "a.tar.gz", b"b", &mut out).unwrap();
    assert!(out == second);
    out.clear();
    member::list(member::members(archive(&made.stdout), "a.tar.gz").unwrap(), &mut out).unwrap();
    assert_eq!(String::from_utf8(out).unwrap(), "a\nb\n");

    let cut = &made.stdout[..made.stdout.len() / 2];
    let copy = |bytes: &[u8], name: &[u8]| member::copy(archive(bytes), "a.tar.gz", name, &mut std::io::sink());
    assert!(copy(cut, b"a").is_err() && copy(&made.stdout, b"c").is_err() && copy(b"no archive", b"a").is_err());
}
