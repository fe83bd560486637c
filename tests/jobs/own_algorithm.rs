//! An algorithm of a foreign row: the example, which runs as it is.

#[path = "../../examples/own_algorithm.rs"]
#[allow(dead_code, reason = "its main function")]
mod example;

use crate::room::Room;

#[test]
fn a_foreign_row_hashes_files_beside_ours() {
    let room = Room::new();
    // By hand: (5381 * 33 + 'a') * 33 + 'b' and so on, modulo 2^32.
    for (name, bytes, djb2) in [("empty", &b""[..], "00001505"), ("a", b"a", "0002b606"), ("abc", b"abc", "0b885c8b")] {
        room.file(name, bytes);
        let found = example::digests(vec![room.at(name)]).unwrap();
        assert_eq!(found, [(format!("{djb2} {}", pfh::sha256(bytes)), room.at(name).display().to_string())]);
    }
    // More than one chunk.
    let long: Vec<u8> = (0..3_000_000_u64).map(|at| ((at * at) >> 7) as u8).collect();
    room.file("long", &long);
    let wanted = long.iter().fold(5381_u32, |hash, byte| hash.wrapping_mul(33).wrapping_add((*byte).into()));
    let found = example::digests(vec![room.at("long")]).unwrap();
    assert!(found[0].0.starts_with(&format!("{wanted:08x} ")), "{found:?}");
    assert!(example::digests(vec![room.at("missing")]).is_err());
}
