//! Messages that arrive one by one: the example, which runs as it is.

#[path = "../../examples/records.rs"]
#[allow(dead_code, reason = "its main function")]
mod records;

use crate::room::Room;
use pfh::digest::Mac;
use std::path::PathBuf;

#[test]
fn connections_have_the_codes_of_their_own_records() {
    let room = Room::new();
    let connections: Vec<(PathBuf, Vec<u8>, Vec<String>)> = (0..20_usize)
        .map(|number| {
            let lines: Vec<String> = (0..number).map(|line| format!("{line}").repeat(line * number)).collect();
            let name = format!("connection-{number}");
            room.file(&name, lines.join("\n").as_bytes());
            (room.at(&name), vec![number as u8; 7 * number + 1], lines)
        })
        .collect();
    let asked: Vec<_> = connections.iter().map(|(path, key, _)| (&**path, &key[..])).collect();
    let found = records::codes(&asked).unwrap();
    assert_eq!(found.len(), 20);
    for ((_, key, lines), codes) in connections.iter().zip(found) {
        let code = |line: &String| {
            let mut mac = Mac::new("sha256".parse().unwrap(), key);
            mac.update(line.as_bytes());
            mac.finalize().to_string()
        };
        let wanted: Vec<String> = lines.iter().filter(|line| !line.is_empty()).map(code).collect();
        assert_eq!(codes, wanted);
    }
    let missing = room.at("missing");
    assert!(records::codes(&[(&missing, b"key")]).is_err());
    assert!(records::codes(&[(&connections[0].0, b"")]).is_err());
}
