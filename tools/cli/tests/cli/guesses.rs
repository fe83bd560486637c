//! 110 commands for ten goals, as somebody types them who knows sha256sum, hashdeep, rhash, ssdeep,
//! dc3dd, ewfacquire, rclone, fclones, bagit.py, hfind or restic. Most reach the goal; the others
//! end with 2 and lines to type, and those lines are run too.
#![cfg(unix)]

use crate::program::{Room, random};
use std::path::Path;
use std::process::Command;

/// A goal, words that its result has, and the lines typed for it. Where other words show the
/// result, they stand behind the line.
type Goal = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

const GOALS: &[Goal] = &[
    (
        "the SHA-256 of a file",
        ABC,
        &[
            ("hash f", ""),
            ("sum f", ""),
            ("sha256 f", ""),
            ("sha256sum f", ""),
            ("f", ""),
            ("-a sha256 f", ""),
            ("hash --sha256 f", ""),
            ("hash -a sha265 f", ""),
            ("hash sha256 f", ""),
            ("hashsum sha256 f", ""),
            ("hash --algo sha256 f", ""),
            ("hash --tag f", "SHA256 (f) = ba7816bf"),
            ("hash -a md5+sha256 f", "900150983cd24fb0d6963f7d28e17f72"),
        ],
    ),
    (
        "a list is checked",
        "d/1: OK",
        &[
            ("check list", ""),
            ("hash -c list", ""),
            ("-c list", ""),
            ("sha256sum -c list", ""),
            ("sum --check list", ""),
            ("check -c list", ""),
            ("check -v list", ""),
            ("check list -r d", ""),
            ("validate list", ""),
            ("verify list", ""),
            ("audit list d", "3 matched"),
            ("hash -r -a -k list d", "3 matched"),
            ("check -k list d", "3 matched"),
            ("audit -k list d", "3 matched"),
        ],
    ),
    (
        "duplicates",
        "2 copies of 3 B",
        &[
            ("dups d", ""),
            ("dups -r d", ""),
            ("group d", ""),
            ("dupes d", ""),
            ("duplicates d", ""),
            ("fdupes -r d", ""),
            ("dups d -j 2", ""),
            ("dups --min 1 d", ""),
            ("dups -d d", ""),
        ],
    ),
    (
        "similar files",
        "samples/b.exe",
        &[
            ("compare -a ssdeep samples", ""),
            ("similar samples", ""),
            ("compare -r -a ssdeep --threshold 50 samples", ""),
            ("compare -a ssdeep -t 50 samples", ""),
            ("compare -a ssdeep -g samples", ""),
            ("compare -a ssdeep -p samples", ""),
            ("compare --min-score 50 -a ssdeep samples", ""),
            ("ssdeep -r samples", ""),
            ("ssdeep -d -r samples", ""),
            ("ssdeep -m list.ssdeep samples -r", ""),
            ("match --similar list.ssdeep -t 50 -r samples", ""),
        ],
    ),
    (
        "an image of a disk",
        "9621c1347097933886cb602a5813f4e546d822b7fe8dd2874a4632d84672042c",
        &[
            ("acquire disk --to x.E01", ""),
            ("acquire disk x.E01", ""),
            ("image disk --to x.E01", ""),
            ("clone disk x.img", ""),
            ("acquire disk -o x.E01", ""),
            ("acquire -t x -C 12 -e Ada disk", ""),
            ("ewfacquire -t x -f encase6 -c fast disk", ""),
            ("acquire disk", ""),
            ("dc3dd if=disk of=x hash=sha256 log=x.log", "102400 bytes copied"),
            ("acquire if=disk of=x hash=sha256", ""),
            ("list-devices", "NAME"),
            ("acquire --list", "NAME"),
        ],
    ),
    (
        "known files",
        "d/1",
        &[
            ("match -r -k malware d", ""),
            ("match malware d", ""),
            ("match -r -m malware d", ""),
            ("match -r -x malware d", ""),
            ("known build k malware", "1 set"),
            ("known add k malware", "1 set"),
            ("known k.pfhknown", "listed"),
            ("lookup malware 900150983cd24fb0d6963f7d28e17f72", "known"),
            ("hfind malware 900150983cd24fb0d6963f7d28e17f72", "known"),
            ("hash -r -m -k malware d", ""),
            ("hash -r -m malware d", ""),
        ],
    ),
    (
        "two directories",
        "d/s/3",
        &[
            ("diff d e", "s/3"),
            ("diff -r d e", "s/3"),
            ("diff -rq d e", "s/3"),
            ("diff --brief d e", "s/3"),
            ("cmp d e", "s/3"),
            ("check d e", "s/3"),
            ("diff -urN d e", "s/3"),
        ],
    ),
    (
        "a bag",
        "valid",
        &[
            ("bag validate bag", ""),
            ("bag bag", ""),
            ("bag --validate bag", ""),
            ("bag check bag", ""),
            ("bagit.py --validate bag", ""),
            ("bag validate --fast bag", ""),
            ("bag create --sha512 deposit", "a bag of 1 file"),
            ("bag make deposit --contact-name Ada", "a bag of 1 file"),
            ("bag deposit", "a bag of 1 file"),
            ("bag create plain", "a bag of 1 file"),
        ],
    ),
    (
        "inside of an archive",
        "z.tar!/d/1",
        &[
            ("list z.tar", ""),
            ("ls z.tar", ""),
            ("ls -l z.tar", ""),
            ("contents z.tar", ""),
            ("hash --inside z.tar", ""),
            ("extract z.tar", ""),
            ("tree z.tar", ""),
        ],
    ),
    (
        "flags and help",
        "",
        &[
            ("--help", "Usage"),
            ("help hash", "Usage"),
            ("-h hash", "Usage"),
            ("version", "pfh 0."),
            ("-v", "pfh 0."),
            ("hash -j 2 f", ABC),
            ("hash -R d", "d/s/3"),
            ("hash -rj2 d", "d/s/3"),
            ("hash -r -x *.bin d", "d/s/3"),
            ("hash -o out f -s", ""),
            ("hash --progress f", ABC),
            ("check list -o out", ""),
            ("--list", "sha256"),
            ("hash --list-algorithms", "sha256"),
            ("man hash", "Usage"),
            ("completion bash", "complete"),
        ],
    ),
];

/// The files of the goals.
fn prepared() -> Room {
    let room = Room::new();
    room.file("f", b"abc");
    for (name, bytes) in [("d/1", "abc"), ("d/2", "abc"), ("d/s/3", "other")] {
        room.file(name, bytes.as_bytes());
        room.file(format!("e/{name}").replace("e/d/", "e/"), bytes.as_bytes());
    }
    room.file("e/s/3", b"changed");
    room.file("disk", &random(1, 100 << 10));
    let sample = random(2, 20_000);
    room.file("samples/a.exe", &sample);
    room.file("samples/b.exe", &[&sample[..], b"more"].concat());
    room.file("malware", b"900150983cd24fb0d6963f7d28e17f72  1\n");
    for place in ["deposit/data", "bag/data", "plain"] {
        room.file(format!("{place}/minutes"), b"we met");
    }
    for line in [
        "pfh hash -r d -o list",
        "pfh hash -r -a ssdeep -f ssdeep samples -o list.ssdeep",
        "pfh bag create bag",
        "pfh known build k.pfhknown --class listed=malware",
        "tar cf z.tar d",
    ] {
        let (code, said) = shell(room.path(), line);
        assert_eq!(code, Some(0), "{line}: {said}");
    }
    room
}

fn shell(directory: &Path, line: &str) -> (Option<i32>, String) {
    let program = std::env::var("PFH_GUESSED").unwrap_or_else(|_| env!("CARGO_BIN_EXE_pfh").to_owned());
    let folder = Path::new(&program).parent().expect("a folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let seen = Command::new("timeout")
        .args(["60", "bash", "-f", "-c", line])
        .env("PATH", path)
        .current_dir(directory)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("bash");
    (seen.status.code(), String::from_utf8_lossy(&[seen.stdout, seen.stderr].concat()).into_owned())
}

/// The same where nothing has been done before.
fn in_new_room(room: &Room, line: &str) -> (Option<i32>, String) {
    let copy = Room::new();
    let from = format!("{}/.", room.path().display());
    let copied = Command::new("cp").args(["-a", &from]).arg(copy.path()).status().expect("cp");
    assert!(copied.success());
    shell(copy.path(), line)
}

/// The lines that an answer offers.
fn offered(said: &str) -> impl Iterator<Item = &str> {
    let lines = said.lines().filter_map(|line| line.strip_prefix("  "));
    lines.filter(|line| ["pfh ", "lsblk ", "mkdir "].iter().any(|front| line.starts_with(front)))
}

#[test]
fn no_guess_is_lost_and_most_work() {
    let room = prepared();
    let (mut all, mut at_once, mut lost) = (0, 0, Vec::new());
    for (goal, usual, guesses) in GOALS {
        let (mut here, mut after) = (0, 0);
        for (typed, own) in *guesses {
            let says = if own.is_empty() { usual } else { own };
            let (code, said) = in_new_room(&room, &format!("pfh {typed}"));
            if matches!(code, Some(0 | 1 | 3)) && said.contains(says) {
                here += 1;
                continue;
            }
            let lines: Vec<&str> = offered(&said).collect();
            let ran: Vec<(&str, (Option<i32>, String))> =
                lines.iter().map(|line| (*line, in_new_room(&room, line))).collect();
            let works = ran.iter().all(|(_, (code, _))| matches!(code, Some(0 | 1 | 3)));
            let misled = said.contains("use '-- ");
            if code == Some(2) && works && !misled && ran.iter().any(|(_, (_, said))| said.contains(says)) {
                after += 1;
            } else {
                lost.push(format!("{goal}: pfh {typed}: {code:?} {said}{ran:?}"));
            }
        }
        println!("{goal}: {} typed, {here} at once, {after} after the answer", guesses.len());
        (all, at_once) = (all + guesses.len(), at_once + here);
    }
    println!("{all} typed, {at_once} at once, {} lost", lost.len());
    assert!(lost.is_empty(), "{} lost:\n{}", lost.len(), lost.join("\n"));
    assert!(all >= 102 && at_once >= 80, "{all} typed, {at_once} at once");
}
