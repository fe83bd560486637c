//! A minimal RDSv3 with changed bytes, and a script run in it: digests, a typed error, or fewer
//! digests; never a crash, never a hang, and the database itself stays as it is. The first byte
//! says how many changes come before the script. Fast with TMPDIR in memory.
#![no_main]

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::OnceLock;

use libfuzzer_sys::fuzz_target;
use pfh_known::{Build, Class, Input, Packages};

fn place(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("pfh-fuzz-database-{}-{name}", std::process::id()))
}

/// Two tables over several pages of 512 bytes each.
fn whole() -> &'static [u8] {
    static WHOLE: OnceLock<Vec<u8>> = OnceLock::new();
    WHOLE.get_or_init(|| {
        let path = place("whole");
        let connection = rusqlite::Connection::open(&path).expect("a database");
        let rows: String = (0..40).map(|n| format!("({n}, '{n:032X}', '{n:040X}', '{n:064X}'),")).collect();
        let sql = format!(
            "PRAGMA page_size = 512; CREATE TABLE METADATA (object_id INTEGER, md5 TEXT, sha1 TEXT, sha256 TEXT);
             CREATE TABLE PACKAGE_OBJECT (package_id INTEGER, object_id INTEGER); CREATE TABLE VERSION (version TEXT);
             CREATE TABLE APPLICATION (package_id INTEGER, name TEXT, version TEXT); CREATE INDEX i ON PACKAGE_OBJECT (object_id);
             INSERT INTO VERSION VALUES ('1'); INSERT INTO APPLICATION VALUES (1, 'a', '2'), (2, 'b', '');
             INSERT INTO METADATA VALUES {}; INSERT INTO PACKAGE_OBJECT SELECT 1 + object_id % 2, object_id FROM METADATA;",
            rows.trim_end_matches(',')
        );
        connection.execute_batch(&sql).expect("made");
        connection.close().expect("closed");
        std::fs::read(&path).expect("read")
    })
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&count, rest)) = bytes.split_first() else { return };
    let (changes, script) = rest.split_at(rest.len().min(3 * usize::from(count % 32)));
    let mut database = whole().to_vec();
    for change in changes.chunks_exact(3) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % database.len();
        database[at] ^= change[2];
    }
    std::fs::write(place("changed"), &database).expect("written");
    std::fs::write(place("script"), script).expect("written");
    let deltas = if script.is_empty() { Vec::new() } else { vec![place("script")] };
    let build = Build {
        inputs: vec![Input { deltas, packages: Packages::Remember, ..Input::new(place("changed"), Class::Good) }],
        output: place("known"),
        work: Some(place("work")),
        memory: 0,
        fault: &mut |_, _, _| ControlFlow::Continue(()),
        progress: &mut |_| {},
        cancel: Default::default(),
    };
    let built = build.run();
    if changes.is_empty() && script.is_empty() {
        let digests = built.expect("whole").digests;
        assert_eq!(digests, ["md5", "sha1", "sha256"].map(|name| (name.to_owned(), 40)));
    }
    assert!(std::fs::read(place("changed")).expect("read") == database, "the database was written to");
});
