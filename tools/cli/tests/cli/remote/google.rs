//! Google's protocol, at a small store that an account names.

use super::store::{Answer, Store};
use crate::program::{Room, records, sha256};
use pfh_inject::{Outcome, Trial};
use std::time::Duration;

/// The program with an account of the store at a port, or with none.
fn pfh(room: &Room, port: Option<u16>, words: &[&str]) -> Outcome {
    let account = port.map(|port| {
        let of = r#""disable_oauth": true, "client_email": "", "private_key": "", "private_key_id": """#;
        room.file("account", format!(r#"{{"gcs_base_url": "http://127.0.0.1:{port}", {of}}}"#).as_bytes());
        "GOOGLE_SERVICE_ACCOUNT=account"
    });
    let home = format!("HOME={}", room.path().display());
    let under = ["env", "-u", "GOOGLE_APPLICATION_CREDENTIALS", &home].into_iter().chain(account);
    let trial = Trial::new(env!("CARGO_BIN_EXE_pfh")).args(words).directory(room.path());
    trial.under(under).limit(Duration::from_secs(120)).run().unwrap()
}

#[test]
fn objects_of_google_are_listed_read_and_checked() {
    const KEYS: [&str; 7] = ["a", "b//c", "d/../e", "f g", "h\n", "\u{e9}+", "z"];
    let mut store = Store::of(&KEYS);
    store.objects[0].headers.push(("x-goog-hash", "crc32c=wdBDMA==".into()));
    let (room, store) = (Room::new(), store.serve());
    let seen = pfh(&room, Some(store.port), &["hash", "-q", "-f", "jsonl", "gs://bucket"]);
    let lines = records(&seen);
    assert_eq!((seen.code, lines.len()), (Some(0), KEYS.len()), "{}", seen.stderr);
    for key in KEYS {
        let line = lines.iter().find(|line| line.path() == format!("gs://bucket/{key}")).unwrap();
        assert_eq!(line.digest("sha256"), Some(&*sha256(key.as_bytes())), "{key:?}");
    }
    let seen = pfh(&room, Some(store.port), &["check", "--no-progress", "gs://bucket/a"]);
    assert!(seen.code == Some(0) && seen.stderr.contains("crc32c (x-goog-hash)"), "{:?} {}", seen.code, seen.stderr);
    let web = Store::of(&KEYS).fault(|request| (request.page? > 0).then(|| Answer::new(200, "<html></html>")));
    let seen = pfh(&room, Some(web.serve().port), &["hash", "-q", "gs://bucket"]);
    assert!(seen.code == Some(3) && seen.stderr.contains("listing"), "{:?} {}", seen.code, seen.stderr);
}
