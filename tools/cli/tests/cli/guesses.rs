//! 200 commands for seventeen goals, as somebody types them who knows sha256sum, hashdeep, rhash,
//! ssdeep, dc3dd, ewfacquire, rclone, fclones, bagit.py, hfind or restic. Most reach the goal; the
//! others end with 2 and lines to type, and those lines are run too.
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
            ("b3sum -l 16 f", "6437b3ac38465133ffb63b75273a8db5  f"),
            ("b3sum --raw f", "blake3"),
            ("b2sum -l 256 f", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319  f"),
            ("cksum -a blake2b -l 256 f", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319  f"),
            ("cksum -a sha3 -l 256 f", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532  f"),
            ("hashdeep -c sha256 f", "%%%% size,sha256,filename"),
            ("rhash --sfv f", "f 352441C2"),
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
            ("hashdeep -ak list -r d", "Audit passed"),
            ("hashdeep -rlak list d", "Audit passed"),
            ("hashdeep -vvak list -r d", "Audit passed"),
            ("hashdeep -c sha256 -rlak list d", "Audit passed"),
            ("hashdeep -a -vv -k list -rl d", "Audit passed"),
            ("shasum -c list", ""),
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
            ("ssdeep -pr samples", ""),
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
            ("hashdeep -m -k malware -r d", ""),
            ("hashdeep -rmk malware d", ""),
            ("hashdeep -xk malware -r d", "d/s/3"),
            ("hashdeep -rxk malware d", "d/s/3"),
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
        "files out of an archive",
        "read back",
        &[
            ("extract z.tar --to out", ""),
            ("extract z.tar", ""),
            ("extract z.tar d/1 -o out", ""),
            ("7z x z.tar -oout", ""),
            ("7z x z.tar", ""),
            ("unzip z.tar -d out", ""),
            ("tar xf z.tar -C out", ""),
            ("restore z.tar out", ""),
            ("tsk_recover z.tar out", ""),
            ("unpack z.tar", ""),
            ("tar -xvf z.tar -C out", ""),
            ("tar -tvf z.tar", "z.tar!/d/1"),
            ("7z l z.tar", "z.tar!/d/1"),
            ("tar tf z.tar", "z.tar!/d/1"),
            ("fls -r z.tar", "z.tar!/d/1"),
            ("mmls z.tar", "z.tar!/d/1"),
            ("mount z.tar", "z.tar!/d/1"),
            ("7z t z.tar", "z.tar!/d/1"),
        ],
    ),
    (
        "one file by its digest",
        "verified",
        &[
            ("verify f --digest sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", ""),
            ("check f ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", ""),
            ("verify f --sha256 ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", ""),
            ("check f --md5 900150983cd24fb0d6963f7d28e17f72", ""),
            ("verify f 900150983cd24fb0d6963f7d28e17f72", ""),
            ("check f --expect 900150983cd24fb0d6963f7d28e17f72", ""),
        ],
    ),
    (
        "what an image says of itself",
        "C-4711",
        &[
            ("info u.E01", ""),
            ("ewfinfo u.E01", ""),
            ("img_stat u.E01", ""),
            ("describe u.E01", ""),
            ("check u.E01", ""),
            ("identify u.E01", ""),
            ("convert u.E01 u.dd", "102400 bytes"),
            ("ewfexport -t new u.E01", "102400 bytes"),
            ("ewfexport -f raw -t new u.E01", "102400 bytes"),
            ("if=disk of=new.img", "102400 bytes"),
            ("acquire if=disk of=new.E01", "102400 bytes"),
            ("dd if=disk of=new.E01", "102400 bytes"),
            ("ddrescue -d -r3 disk new.img", "102400 bytes"),
            ("acquire disk old.img", "102400 bytes"),
            ("acquire disk old.img --resume", "102400 bytes"),
        ],
    ),
    (
        "copies of files, for scripts",
        "",
        &[
            ("dups d --hardlink", "redundant copy"),
            ("dups d --delete --dry-run", "2 copies of 3 B"),
            ("jdupes -r d", "2 copies of 3 B"),
            ("jdupes -L d", "redundant copy"),
            ("jdupes -j d", "\"type\":\"summary\""),
            ("rmlint d", "2 copies of 3 B"),
            ("fclones link d", "redundant copy"),
            ("remove d", "2 copies of 3 B"),
        ],
    ),
    (
        "two folders, as copies",
        "d/s/3",
        &[
            ("rsync d e", "s/3"),
            ("sync d e", "s/3"),
            ("compare d e --checksum", "s/3"),
            ("diff d e --checksum", "s/3"),
            ("diff d more --one-way", "are the same"),
            ("diff d e --size-only", "s/3"),
            ("diff d e --combined out", "differ"),
        ],
    ),
    (
        "slips of fingers",
        ABC,
        &[
            ("hash --algorihtm sha256 f", ""),
            ("hsah f", ""),
            ("hash --threds 2 f", ""),
            ("chek list", "d/1: OK"),
            ("--verison", "pfh 0."),
            ("veryfy u.E01", "verified"),
            ("imagee disk --to new.E01", "102400 bytes"),
            ("extarct z.tar --to out", "read back"),
            ("duups d", "2 copies of 3 B"),
        ],
    ),
    (
        "digests, in words of other programs",
        ABC,
        &[
            ("shasum -a 256 f", ""),
            ("hash -a 256 f", ""),
            ("dgst -sha256 f", ""),
            ("openssl dgst -sha256 f", ""),
            ("certutil -hashfile f SHA256", ""),
            ("Get-FileHash f -Algorithm SHA256", ""),
            ("7z h f", ""),
            ("hash f --output-format jsonl", ""),
            ("hash f -o json", ""),
            ("hash -r d --ignore s", "d/1"),
            ("hash -r d --exclude-dir s", "d/1"),
            ("hash -r d -x d/s", "d/1"),
            ("hash f --workers 2", ""),
            ("hash f --bwlimit 10M", ""),
            ("hash --recurse-archives z.tar", "z.tar!/d/1"),
            ("hash f --password infected", ABC),
            ("find d -name 1", "d/1"),
            ("du d", "would be read"),
            ("search 900150983cd24fb0d6963f7d28e17f72 d", "d/1"),
            ("rehash list -a sha256", "d/1"),
            ("convert list --to json", "d/1"),
            ("update list d", "up to date"),
            ("scrub list", "d/1: OK"),
            ("scrub d", "3 files"),
            ("backup d", "d/1"),
            ("snapshot d", "d/1"),
            ("identify ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", "sha256"),
            ("benchmark", "sha256"),
            ("estimate 2TB", "forecast"),
            ("rclone md5sum d", "900150983cd24fb0d6963f7d28e17f72"),
            ("git fsck", "Usage"),
            ("match d malware", "d/1"),
            ("cat z.tar d/1", "abc"),
            ("rhash -u list d", "up to date"),
            ("report d", "page"),
            ("export list --to csv", "list.csv"),
            ("cmp f d/1", ABC),
            ("b3sum --base64 f", "blake3"),
            ("check list --missing-ok", "d/1: OK"),
            ("scan d", ABC),
            ("audit d", "3 files"),
            ("stats d", "would be read"),
            ("hlep", "Usage"),
            ("algos", "sha256"),
            ("help exit-codes", "128 + n"),
            ("help hash --inside", "--inside"),
            ("git status", "Usage"),
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
    for (name, bytes) in [("more/1", "abc"), ("more/2", "abc"), ("more/s/3", "other"), ("more/new", "new")] {
        room.file(name, bytes.as_bytes());
    }
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
        "pfh acquire disk --to u.E01 --case C-4711",
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
    lines.filter(|line| ["pfh ", "lsblk ", "mkdir ", "nice "].iter().any(|front| line.starts_with(front)))
}

/// The start of an output.
fn short(said: &str) -> String {
    said.chars().take(300).collect()
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
                let ran: Vec<_> = ran.iter().map(|(line, (code, said))| (line, code, short(said))).collect();
                lost.push(format!("{goal}: pfh {typed}: {code:?} {}{ran:?}", short(&said)));
            }
        }
        println!("{goal}: {} typed, {here} at once, {after} after the answer", guesses.len());
        (all, at_once) = (all + guesses.len(), at_once + here);
    }
    println!("{all} typed, {at_once} at once, {} lost", lost.len());
    assert!(lost.is_empty(), "{} lost:\n{}", lost.len(), lost.join("\n"));
    assert!(all >= 190 && at_once >= 125, "{all} typed, {at_once} at once");
}
