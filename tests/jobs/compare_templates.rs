//! Bytes that many files hold relate no two of them: templates of programs, blocks, licences.

use crate::compare_all::{asked, names, rows};
use crate::room::Room;
use pfh::compare::Relation;
use pfh_inject::content;

/// A text that very many files of strangers hold.
const LICENCE: &[u8] = include_bytes!("../../LICENSE-APACHE");

/// Files that are a licence for the most part share no more than what each has for itself.
#[test]
fn a_licence_makes_no_relatives() {
    let room = Room::new();
    for number in 0..3u64 {
        room.file(format!("s/{number}"), &[LICENCE, &content(20 + number, 3_000)].concat());
    }
    // One more with the content of the first.
    room.file("s/3", &[&content(20, 3_000)[..], &LICENCE[..6_000]].concat());
    let (found, ..) = rows(&asked(&room));
    assert_eq!(names(&found), [("0", "3")], "{found:#?}");
    // All that both hold is said: not only what counts.
    let (relation, shared) = (found[0].2, found[0].4.unwrap());
    assert!(relation == Relation::NearlyEqual && shared[0] < 75 && shared[1] > 90, "{relation:?} {shared:?}");
}

/// Two files that hold nothing else are compared by it.
#[test]
fn templates_themselves_are_compared() {
    let room = Room::new();
    let mut edited = LICENCE.to_vec();
    edited[5_000] ^= 1;
    room.file("s/licence", LICENCE);
    room.file("s/edited", &edited);
    room.file("s/program", &[LICENCE, &content(7, 9_000)].concat());
    let (found, ..) = rows(&asked(&room));
    assert_eq!(names(&found), [("edited", "licence")], "{found:#?}");
    assert_eq!(found[0].2, Relation::NearlyEqual);
}

/// A block that many strangers hold counts little; copies of one file are one holder.
#[test]
fn copies_make_nothing_common() {
    let room = Room::new();
    let (block, whole) = (content(1, 4_000), content(2, 40_000));
    for number in 0..40u64 {
        room.file(format!("s/strange-{number:02}"), &[&block[..], &content(100 + number, 30_000)].concat());
    }
    for number in 0..40usize {
        let mut copy = whole.clone();
        copy[1_000 * (number % 39) + 7] ^= 1;
        room.file(format!("s/copy-{number:02}"), &copy);
    }
    room.file("s/part", &[&whole[..4_000], &content(3, 30_000)].concat());
    let (found, ..) = rows(&asked(&room));
    let strange = names(&found).iter().filter(|(a, b)| a.starts_with("strange") && b.starts_with("strange")).count();
    let parts = names(&found).iter().filter(|(a, b)| a.starts_with("copy") && *b == "part").count();
    let copies = found
        .iter()
        .filter(|row| row.1.starts_with("copy") && row.2 >= Relation::Equal && row.2 <= Relation::NearlyEqual)
        .count();
    assert_eq!((strange, parts, copies), (0, 40, 40 * 39 / 2));
}
