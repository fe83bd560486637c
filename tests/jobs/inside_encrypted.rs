//! Encrypted volumes: with a key they have the names, digests and places of the volume inside;
//! without one, an error that says which keys they have.

use crate::inside::{Row, asked, ran};
use crate::room::Room;
use pfh::Summary;
use pfh::inside::{Keys, Options};
use pfh_inject::{Need, digest_by, lacks, random};
use std::collections::BTreeMap;
use std::sync::Arc;

const NEEDS: &[Need] = &[Need::Program("cryptsetup"), Need::Program("mke2fs"), Need::Program("sfdisk")];

/// A volume of ext4 that was encrypted where it lies, alone and as a partition.
fn volumes(room: &Room) {
    room.file("t/one", &random(1, 5000));
    room.file("t/sub/two", &random(2, 300_001));
    room.file("pass", "correct horse");
    room.sh("truncate -s 48M luks && mke2fs -q -F -t ext4 -d t luks 16M");
    room.sh("cryptsetup reencrypt --encrypt --type luks2 --reduce-device-size 32M --batch-mode --pbkdf pbkdf2 \
         --pbkdf-force-iterations 1000 --key-file pass luks");
    room.sh("truncate -s 64M disk && printf '2048,100000,83\n' | sfdisk -q disk");
    room.sh("dd if=luks of=disk bs=1M seek=1 conv=notrunc status=none");
}

/// A run with these passwords.
fn opened(room: &Room, name: &str, lines: &str) -> (Vec<Row>, Summary) {
    let mut keys = Keys::new();
    keys.push_lines(lines.as_bytes());
    let change = |options: &mut Options| {
        (options.members, options.runs, options.keys) = (true, true, Arc::new(keys));
    };
    ran(room, &asked(room, &[name], change))
}

#[test]
fn a_volume_with_a_key_has_the_files_of_the_plain_one() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    volumes(&room);
    for (image, part) in [("luks", ""), ("disk", "p1/")] {
        let (rows, summary) = opened(&room, image, "wrong\ncorrect horse");
        let found: BTreeMap<&str, &str> = rows.iter().map(|row| (&*row.name, row.digest())).collect();
        for (name, seed, length) in [("one", 1, 5000), ("sub/two", 2, 300_001)] {
            let name = format!("{image}!/{part}{name}");
            assert_eq!(found.get(&*name), Some(&&*digest_by("sha256sum", &random(seed, length))), "{found:?}");
        }
        // The encrypted volume keeps a record of its own.
        let own = usize::from(part.is_empty());
        assert_eq!((found.len(), summary.failed, summary.unopened), (2 + own, 0, 0));
        // Their places count from the start of the volume inside.
        let inside = rows[own].inside.as_ref().unwrap();
        assert!(inside.volume_offset.is_none() && !inside.runs.is_empty() && inside.kind == "ext4", "{inside:?}");
    }
}

#[test]
fn without_a_key_the_error_says_which_keys_there_are() {
    if lacks(NEEDS) {
        return;
    }
    let room = Room::new();
    volumes(&room);
    for (keys, end) in [("", "no such key was given"), ("wrong", "the one key that was given does not fit")] {
        let (rows, summary) = opened(&room, "disk", keys);
        let [row] = &rows[..] else { panic!("{rows:?}") };
        let (code, cause) = row.found.clone().unwrap_err();
        assert_eq!((code, summary.unopened), ("inside", 1));
        let expected = format!("is encrypted (LUKS): opens with a passphrase or a key file; {end}");
        assert!(row.name == "disk!/p1/" && cause.contains(&expected), "{} {cause}", row.name);
    }
}
