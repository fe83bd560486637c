//! Digests, pieces and matches beside md5deep, hashdeep and RHash: the cases of their own tests.
//!
//! | hashdeep's tests.sh | there | here |
//! |---|---|---|
//! | 1, 3, 22, 24, 26, 32 | `md5deep -r`, `-z`, sha1deep, sha256deep, hashdeep | [`whole_files`] |
//! | 2, 16, 23, 25, 27, 33 | `-p512` | [`pieces`] |
//! | 5 to 8 | `-m -x -M -X` | `match_peers.rs` |
//! | 9, 11, 12 | `-w`, `-a DIGEST`, `-A DIGEST` | `match_peers.rs`, without known names |
//! | 14, 15 | `-i`, `-I`: size limits | [`size_limits`] |
//! | 17 | `-Z`: triage | [`triage`]: the first piece and the whole from one read |
//! | 28 to 31, 46 | tiger, whirlpool | [`tiger_and_whirlpool`] |
//! | 34 to 38 | `hashdeep -m -M -x -w -k` | `match_peers.rs` |
//! | 47 | `-vvvbak known1 -k known2` of two algorithms | `match_peers.rs` |
//! | 48 to 52 | BSD, iLook and NSRL lists, by MD5 and by SHA-1 | `match_peers.rs` |
//! | its tree | links, cycles, names beyond ASCII, empty files | [`tree`], [`links`] |

use crate::check::of;
use crate::room::Room;
use crate::rows::{algorithms, below, input, printed};
use pfh::check::{FileOutcome, Verdict};
use pfh::hash::{Event, Request, run};
use pfh::{Control, Links, Outcome, Record, Selection};
use pfh_inject::{Need, digest_by, lacks};
#[cfg(unix)]
use std::os::unix::fs::symlink;

pub fn missing() -> bool {
    lacks(&["md5deep", "sha1deep", "sha256deep", "hashdeep"].map(Need::Program))
}

/// The output of one of the deep programs: its lines in order, its comments aside.
pub fn deep(room: &Room, command: &str) -> Vec<String> {
    let said = String::from_utf8(printed(room, &format!("{command} 2>/dev/null || true"))).unwrap();
    let mut lines: Vec<String> = said.lines().filter(|line| !line.starts_with(['%', '#'])).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Files of every kind in `d`, but for links.
pub fn tree() -> Room {
    let room = Room::new();
    // Its MD5 begins with deadbeef.
    room.file("d/deadbeef.txt", "10259750338\n");
    room.file("d/foo.txt", "foo\n");
    room.file("d/one-byte-file.txt", "1");
    room.file("d/zero-byte-file.txt", "");
    room.file("d/dir_a/web2", &"aardvark\n".repeat(3000));
    room.file("d/dir_a/dir_b/web2a", &"zymurgy\n".repeat(64));
    room.file("d/dir_c/words1", &"word\n".repeat(201));
    room.file("d/unicode_snowman_\u{2603}.txt", "snow");
    room.file("d/comma,name", "comma");
    room
}

fn asked(room: &Room, by: &str, names: &[&str]) -> Request {
    Request::new(input(room, names), algorithms(by))
}

/// A line for each file that was hashed, in order, and how many were skipped and failed.
fn rows(
    room: &Room,
    request: &Request,
    line: impl Fn(&str, &Record, &pfh::HashedFile) -> Vec<String>,
) -> (Vec<String>, [u64; 2]) {
    let mut lines = Vec::new();
    let mut take = |event: Event<'_>| {
        if let Event::Record(record) = event
            && let Outcome::Hashed(hashed) = &record.outcome
        {
            lines.extend(line(&below(room, &record.name), record, hashed));
        }
        Ok(())
    };
    let run = run(request, &mut take, &Control::new()).unwrap().run;
    lines.sort();
    (lines, [run.skipped, run.failed])
}

/// `DIGEST  NAME` of each file.
fn sums(room: &Room, request: &Request) -> Vec<String> {
    let (lines, counts) = rows(room, request, |name, _, hashed| vec![format!("{}  {name}", hashed.digests[0])]);
    assert_eq!(counts, [0, 0]);
    lines
}

/// `SIZE,DIGEST,...,NAME` of each file.
fn sized(room: &Room, request: &Request) -> Vec<String> {
    let line = |name: &str, _: &Record, hashed: &pfh::HashedFile| {
        let digests: String = hashed.digests.iter().map(|digest| format!("{digest},")).collect();
        vec![format!("{},{digests}{name}", hashed.closed.size)]
    };
    rows(room, request, line).0
}

#[test]
fn whole_files() {
    if missing() {
        return;
    }
    let room = tree();
    for (program, by) in [("md5deep", "md5"), ("sha1deep", "sha1"), ("sha256deep", "sha256")] {
        let ours = sums(&room, &asked(&room, by, &["d"]));
        assert_eq!((ours.len(), ours), (9, deep(&room, &format!("{program} -l -r d"))), "{program}");
    }
    assert_eq!(sized(&room, &asked(&room, "md5,sha256", &["d"])), deep(&room, "hashdeep -l -r d"));
    // Sizes in front.
    let theirs = deep(&room, "md5deep -l -zr d");
    let mut theirs: Vec<String> = theirs.iter().map(|line| line.trim_start().replacen("  ", ",", 2)).collect();
    theirs.sort();
    assert_eq!(sized(&room, &asked(&room, "md5", &["d"])), theirs);
}

#[test]
fn pieces() {
    if missing() {
        return;
    }
    let room = tree();
    for (program, by) in
        [("md5deep", "md5"), ("sha1deep", "sha1"), ("sha256deep", "sha256"), ("hashdeep", "md5,sha256")]
    {
        let mut request = asked(&room, by, &["d"]);
        request.plan.piecewise = Some(512);
        let line = |name: &str, _: &Record, hashed: &pfh::HashedFile| {
            let piece = |piece: &pfh::Piece| {
                let digests: Vec<String> = piece.digests.iter().map(ToString::to_string).collect();
                let range = format!("{name} offset {}-{}", piece.offset, piece.offset + piece.length - 1);
                match program {
                    "hashdeep" => format!("{},{},{range}", piece.length, digests.join(",")),
                    _ => format!("{}  {range}", digests[0]),
                }
            };
            if hashed.closed.size > 0 {
                return hashed.pieces.iter().map(piece).collect();
            }
            // An empty file has no pieces here, and one from 0 to 0 there.
            assert!(hashed.pieces.is_empty());
            let digests: Vec<String> = hashed.digests.iter().map(ToString::to_string).collect();
            vec![match program {
                "hashdeep" => format!("0,{},{name}", digests.join(",")),
                _ => format!("{}  {name}", digests[0]),
            }]
        };
        let (ours, _) = rows(&room, &request, line);
        let theirs = deep(&room, &format!("{program} -l -p512 -r d"));
        let same = |line: &String| line.replace("zero-byte-file.txt offset 0-0", "zero-byte-file.txt");
        let mut theirs: Vec<String> = theirs.iter().map(same).collect();
        theirs.sort();
        assert!(ours.len() > 60, "{program}");
        assert_eq!(ours, theirs, "{program}");
    }
}

#[test]
fn size_limits() {
    if missing() {
        return;
    }
    let room = tree();
    let mut request = asked(&room, "md5", &["d"]);
    request.input.descend.selection = Selection::new(&[], &[], None, Some(999)).unwrap();
    let ours = sums(&room, &request);
    assert_eq!(ours, deep(&room, "md5deep -l -i1000 -r d"));
    // -I lists the others as well, with asterisks for a digest; here they are left out and reported
    // by nobody.
    let theirs = deep(&room, "md5deep -l -I1000 -r d");
    assert_eq!(theirs.len(), 9);
    assert_eq!(ours, theirs.into_iter().filter(|line| !line.starts_with('*')).collect::<Vec<_>>());
}

#[test]
fn triage() {
    if missing() {
        return;
    }
    let room = tree();
    let mut request = asked(&room, "md5", &["d/dir_a/web2"]);
    request.plan.piecewise = Some(512);
    let line = |name: &str, _: &Record, hashed: &pfh::HashedFile| {
        let first = &hashed.pieces[0].digests[0];
        vec![format!("{}\t{first}\t{}\t{name}", hashed.closed.size, hashed.digests[0])]
    };
    assert_eq!(rows(&room, &request, line).0, deep(&room, "md5deep -l -Z d/dir_a/web2"));
}

#[test]
fn tiger_and_whirlpool() {
    if missing() {
        return;
    }
    let room = tree();
    for (by, program) in [("tiger", "tigerdeep"), ("whirlpool", "whirlpooldeep")] {
        assert_eq!(sums(&room, &asked(&room, by, &["d"])), deep(&room, &format!("{program} -l -r d")), "{by}");
        let both = format!("md5,{by}");
        let command = format!("hashdeep -l -r -c {both} d");
        assert_eq!(sized(&room, &asked(&room, &both, &["d"])), deep(&room, &command), "{by}");
        room.file("list", &printed(&room, &command));
        let ended = of(&room, "list");
        assert_eq!((ended.conclusion(), ended.algorithms()), (Verdict::Verified, vec!["md5".into(), by.into()]));
    }
}

#[cfg(unix)]
#[test]
fn links() {
    if missing() {
        return;
    }
    let room = tree();
    let d = room.at("d");
    for (to, name) in [("web2", "dir_a/link"), ("..", "dir_a/up"), ("../dir_c", "dir_a/across"), ("nowhere", "badlink")]
    {
        symlink(to, d.join(name)).unwrap();
    }
    // There links are always followed, here when asked; a cycle and a link to nowhere are errors on
    // both sides.
    let mut request = asked(&room, "md5", &["d"]);
    let line = |name: &str, _: &Record, hashed: &pfh::HashedFile| vec![format!("{}  {name}", hashed.digests[0])];
    let (kept, counts) = rows(&room, &request, line);
    assert_eq!((kept.len(), counts), (9, [4, 0]));
    request.input.descend.links = Links::Follow;
    let (followed, counts) = rows(&room, &request, line);
    assert_eq!((followed, counts), (deep(&room, "md5deep -l -r d"), [0, 2]));
}

#[test]
fn digests_of_every_algorithm_of_rhash() {
    if lacks(&[Need::Program("rhash")]) {
        return;
    }
    let room = Room::new();
    room.file("data", &(0..=255).cycle().take(1024).collect::<Vec<u8>>());
    room.file("empty", "");
    for (ours, theirs) in [
        ("crc32", "crc32"),
        ("crc32c", "crc32c"),
        ("md4", "md4"),
        ("md5", "md5"),
        ("sha1", "sha1"),
        ("tiger", "tiger"),
        ("tth", "tth"),
        ("ed2k", "ed2k"),
        ("aich", "aich"),
        ("whirlpool", "whirlpool"),
        ("ripemd160", "ripemd160"),
        ("gost94", "gost94"),
        ("gost94-cryptopro", "gost94-cryptopro"),
        ("streebog-256", "gost12-256"),
        ("streebog-512", "gost12-512"),
        ("sha512", "sha512"),
        ("sha3-256", "sha3-256"),
    ] {
        // In hexadecimal, also where the algorithm has another habit.
        let theirs = printed(&room, &format!("rhash --{theirs} --hex --simple data empty"));
        let line = |name: &str, _: &Record, hashed: &pfh::HashedFile| {
            vec![format!("{}  {name}", pfh::hex::encode(hashed.digests[0].bytes()))]
        };
        let (found, _) = rows(&room, &asked(&room, ours, &["data", "empty"]), line);
        let mut theirs: Vec<String> = String::from_utf8(theirs).unwrap().lines().map(str::to_owned).collect();
        theirs.sort();
        assert_eq!(found, theirs, "{ours}");
    }
}

/// Lists of hashdeep are verified, and a column that nobody here can compute is left out.
#[test]
fn a_list_with_columns_that_are_not_here() {
    let room = tree();
    let md5 = digest_by("md5sum", b"foo\n");
    room.file("list", &format!("%%%% HASHDEEP-1.0\n%%%% size,snefru,md5,has160,filename\n4,x,{md5},y,d/foo.txt\n"));
    let ended = of(&room, "list");
    assert_eq!((ended.conclusion(), ended.names(FileOutcome::Right)), (Verdict::Incomplete, vec!["d/foo.txt"]));
    assert!(ended.not_compared().contains("snefru"), "{}", ended.not_compared());
}
