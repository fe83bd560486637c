//! Members of a zip under a password, as Info-ZIP's zip and 7z encrypt them.

use pfh_archive::Bytes;
use pfh_archive::{Format, Limits, NEEDS_PASSWORD, Passwords, open};
use pfh_inject::{Need, lacks, mutants};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

type Outcomes = BTreeMap<String, Result<Vec<u8>, String>>;

/// The members of a zip, with these passwords.
fn members(zip: Vec<u8>, passwords: &[&[u8]]) -> Outcomes {
    let limits = Limits { bytes: 4 << 20, passwords: passwords.iter().copied().collect(), ..Limits::default() };
    let bytes: Arc<dyn Bytes> = Arc::new(zip);
    let Ok(nodes) = open(Format::Zip, bytes, b"z.zip", &limits) else { return Outcomes::new() };
    let one = |node: pfh_archive::Node| {
        let opened = node.content.as_ref()?.open().map_err(|failure| failure.to_string());
        let read = opened.and_then(|mut reader| {
            let mut all = Vec::new();
            reader.read_to_end(&mut all).map(|_| all).map_err(|error| error.to_string())
        });
        Some((String::from_utf8_lossy(&node.path).into_owned(), read))
    };
    nodes.flatten().filter_map(one).collect()
}

/// Zips of each cipher and method, with their contents.
fn made(room: &Path) -> (Vec<(String, Vec<u8>)>, Outcomes) {
    let long: Vec<u8> = (0..40_000u32).flat_map(|number| format!("{number} ").into_bytes()).collect();
    let contents = [("t/long", &long[..]), ("t/short", b"x"), ("t/seventeen", b"0123456789abcdef!"), ("t/empty", b"")];
    std::fs::create_dir(room.join("t")).unwrap();
    contents.iter().for_each(|(name, content)| std::fs::write(room.join(name), content).unwrap());
    let expected = contents.iter().map(|(name, content)| (name.to_string(), Ok(content.to_vec()))).collect();
    let lines = [
        "zip -q -r -P infected {} t",
        "zip -q -0 -r -P infected {} t",
        "zip -q -r -P infected - t | cat > {}",
        "7z a -bd -pinfected -mem=ZipCrypto {} t",
        "7z a -bd -pinfected -mem=AES128 {} t",
        "7z a -bd -pinfected -mem=AES192 -mx=0 {} t",
        "7z a -bd -pinfected -mem=AES256 {} t",
        "7z a -bd -pinfected -mem=AES256 -mm=BZip2 {} t",
        "7z a -bd -pinfected -mem=AES256 -mm=LZMA {} t",
        "7z a -bd -pinfected -mem=AES256 -mm=Deflate64 {} t",
        "7z a -bd -pinfected -mem=AES256 -mm=PPMd {} t",
    ];
    let zips = lines.iter().enumerate().map(|(number, line)| {
        let name = format!("{number}.zip");
        let line = line.replace("{}", &name);
        let output = Command::new("sh").args(["-c", &line]).current_dir(room).output().expect("sh");
        assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
        (line, std::fs::read(room.join(name)).unwrap())
    });
    (zips.collect(), expected)
}

#[test]
fn the_right_password_gives_the_content_and_no_other_does() {
    if lacks(&[Need::Program("7z"), Need::Program("zip")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let (zips, expected) = made(room.path());
    let wrong: Vec<Vec<u8>> = (0..700).map(|number| format!("wrong {number}").into_bytes()).collect();
    for (line, zip) in zips {
        assert_eq!(members(zip.clone(), &[b"infected"]), expected, "{line}");
        assert_eq!(members(zip.clone(), &[b"Infected", b"", b"infected"]), expected, "{line}");
        let has_cipher = |name: &str| !(name == "t/empty" && members(zip.clone(), &[])[name].is_ok());
        for (name, outcome) in members(zip.clone(), &[]).into_iter().filter(|(name, _)| has_cipher(name)) {
            assert!(outcome.unwrap_err().ends_with(NEEDS_PASSWORD), "{line}: {name}");
        }
        // Some of these fit the one byte that the traditional cipher checks.
        let mut many: Vec<&[u8]> = wrong.iter().map(|word| &word[..]).collect();
        if line.contains("AES") {
            many.truncate(2);
        }
        for (name, outcome) in members(zip.clone(), &many).into_iter().filter(|(name, _)| has_cipher(name)) {
            // One that fits the check of a member without bytes gives what it has: none.
            assert!(outcome.is_err() || outcome == expected[&name], "{line}: {name}");
        }
        many.push(b"infected");
        assert_eq!(members(zip, &many), expected, "{line}");
    }
}

/// A changed byte is an error or changes nothing that is given; AES has a code over all of them.
#[test]
fn changed_bytes_give_no_other_content() {
    if lacks(&[Need::Program("7z"), Need::Program("zip")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let (zips, expected) = made(room.path());
    for (line, zip) in zips {
        for number in 0..mutants().min(60) {
            let mut changed = zip.clone();
            let at = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) as usize % zip.len();
            changed[at] ^= 1 << (number % 8);
            for (name, outcome) in members(changed, &[b"infected"]) {
                if let (Ok(content), Some(Ok(right))) = (outcome, expected.get(&name)) {
                    assert_eq!(&content, right, "{line}: {name}: byte {at}");
                }
            }
        }
    }
}

#[test]
fn passwords_are_not_printed() {
    let passwords: Passwords = [&b"infected"[..], b"other"].into_iter().collect();
    assert_eq!(format!("{passwords:?}"), "Passwords(2)");
    let limits = Limits { passwords, ..Limits::default() };
    assert!(!format!("{limits:?}").contains("infected"));
}
