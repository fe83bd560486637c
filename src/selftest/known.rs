//! Images, lists and a seal that are part of the program: each is read as it is, and with one
//! change, which must be found.

use super::room::{Room, cause};
use super::row::{Group, Row, Standing};
use crate::verdict::Verdict;
use crate::{check, verify};
use pfh_engine::Control;
use std::io;
use std::path::Path;

/// Images of dfVFS (Apache-2.0): an ext2 in an E01 of ewfacquire, and an archive of zip.
const E01: &[u8] = include_bytes!("../../tools/cli/tests/images/dfvfs/ext2.E01");
/// A byte of one of its chunks: others are padding, which nothing states.
const IN_A_CHUNK: usize = 2000;
const ZIP: &[u8] = include_bytes!("../../tools/cli/tests/images/dfvfs/syslog.zip");
/// Digests of files in them, by fls, icat, unzip and sha256sum.
const INSIDE: &str = "\
SHA256 (i.zip!/syslog) = 0420b023f8dc1b71ff25191ce4ce88d10028f99f99f7c21532611f4c273aeae9
SHA256 (i.zip!/wtmp.1) = 29e7489c71c8df699f9b34a70f7ee1e649cea2df00598f78793fcdf0fc3bb6be
SHA256 (i.E01!/passwords.txt) = 02a2a6af2f1ecf4720d7d49d640f0d0a269a7ec733e41973bdd34f09dad0e252
SHA256 (i.E01!/a_directory/a_file) = 4a49638d0e1055fd9e4c17fef7fdf4d6ccf892b6d9c2f64164203c4bfb0ec92d
";
/// Lists of other programs on two files.
const LISTS: &[(&str, &str)] = &[
    (
        "sha256sum",
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc
911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2 *lines
",
    ),
    (
        "md5 of BSD",
        "MD5 (abc) = 900150983cd24fb0d6963f7d28e17f72
MD5 (lines) = dd8c6a395b5dd36c56d23275028f526c
",
    ),
    (
        "hashdeep",
        "%%%% HASHDEEP-1.0
%%%% size,md5,sha256,filename
3,900150983cd24fb0d6963f7d28e17f72,ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad,abc
4,dd8c6a395b5dd36c56d23275028f526c,911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2,lines
",
    ),
];
/// A list that was sealed by an earlier version, and the public key for it.
const SEALED: [(&str, &[u8]); 3] = [
    ("list", include_bytes!("../../vectors/selftest/sealed/list")),
    ("list.seal", include_bytes!("../../vectors/selftest/sealed/list.seal")),
    ("k.pub", include_bytes!("../../vectors/selftest/sealed/k.pub")),
];
const CONSEQUENCE: &str = "verdicts of pfh on this machine cannot be relied on";
const REMEDY: &str = "take another machine or build, and report it";

/// How a known thing is judged: written, judged as it is, and judged with a change.
type Judge = fn(&Path, bool, &Control<'_>) -> io::Result<Verdict>;

pub(super) fn rows<'a>(room: &'a Room, control: &'a Control<'a>) -> impl Iterator<Item = Row> + 'a {
    const JUDGES: [(&str, Judge); 4] =
        [("image", image), ("files in images", inside), ("lists", lists), ("seal", seal)];
    JUDGES.into_iter().map(|(name, judge)| {
        let found = room.part(&format!("known-{}", name.replace(' ', "-")));
        let found = found.and_then(|path| {
            let (right, changed) = (path.join("right"), path.join("changed"));
            std::fs::create_dir(&right)?;
            std::fs::create_dir(&changed)?;
            Ok([judge(&right, false, control)?, judge(&changed, true, control)?])
        });
        let row = |standing, detail: String| Row::new(Group::Known, name, standing, detail);
        match found {
            Ok([Verdict::Verified, Verdict::Differs]) => {
                row(Standing::Holds, "verified as it is, and each change is found".into())
            }
            Ok([right, changed]) => {
                row(Standing::Wrong, format!("as it is: {right}; changed: {changed}")).but(CONSEQUENCE, REMEDY)
            }
            Err(error) => {
                let detail = format!("it could not be tried: {}", cause(&error));
                row(Standing::Untried, detail).but("verdicts were not tested here", "see the questions on files below")
            }
        }
    })
}

/// Writes a file, and reads it: where the file system gives other bytes the verdict is on those.
fn write(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
    std::fs::write(&path, &bytes)?;
    match std::fs::read(&path)? == bytes.as_ref() {
        true => Ok(()),
        false => Err(io::Error::other("the file system gives other bytes than were written")),
    }
}

fn failed(error: crate::job::Error) -> io::Error {
    io::Error::other(error.to_string())
}

/// The E01, by the digest and the checksums that it holds.
fn image(room: &Path, is_changed: bool, control: &Control<'_>) -> io::Result<Verdict> {
    let path = room.join("i.E01");
    let mut bytes = E01.to_vec();
    if is_changed {
        bytes[IN_A_CHUNK] ^= 1;
    }
    write(&path, bytes)?;
    let mut request = verify::Request::image(&path);
    request.once = true;
    Ok(verify::run(&request, &mut |_| Ok(()), control).map_err(failed)?.verdict())
}

/// The verdict of a check of a list in its own directory.
fn checked(request: check::Request, control: &Control<'_>) -> io::Result<Verdict> {
    Ok(check::run(&request.once(true), &mut |_| Ok(()), control).map_err(failed)?.conclusion())
}

/// The list with another digit in its first digest, if it is to be changed.
fn changed(list: &str, is_changed: bool) -> String {
    let digest = list.split(|letter: char| !letter.is_ascii_hexdigit()).find(|word| word.len() >= 32);
    match digest.filter(|_| is_changed) {
        Some(digest) => list.replacen(digest, &turned(digest), 1),
        None => list.to_owned(),
    }
}

fn turned(digest: &str) -> String {
    let (first, rest) = digest.split_at(1);
    format!("{}{rest}", if first == "0" { "1" } else { "0" })
}

fn inside(room: &Path, is_changed: bool, control: &Control<'_>) -> io::Result<Verdict> {
    write(room.join("i.E01"), E01)?;
    write(room.join("i.zip"), ZIP)?;
    write(room.join("list"), changed(INSIDE, is_changed))?;
    checked(check::Request::new(room.join("list")).root(room), control)
}

fn lists(room: &Path, is_changed: bool, control: &Control<'_>) -> io::Result<Verdict> {
    write(room.join("abc"), b"abc")?;
    write(room.join("lines"), b"a\nb\n")?;
    let mut verdicts = Vec::new();
    for (name, list) in LISTS {
        let path = room.join(format!("{name}.list"));
        write(&path, changed(list, is_changed))?;
        verdicts.push(checked(check::Request::new(path).root(room), control)?);
    }
    let expected = if is_changed { Verdict::Differs } else { Verdict::Verified };
    let other = verdicts.into_iter().find(|verdict| *verdict != expected);
    Ok(other.unwrap_or(expected))
}

/// The seal of a list, signed with a key; a list of other digests has not its seal.
fn seal(room: &Path, is_changed: bool, control: &Control<'_>) -> io::Result<Verdict> {
    write(room.join("abc"), b"abc")?;
    write(room.join("lines"), b"a\nb\n")?;
    for (name, bytes) in SEALED {
        write(room.join(name), bytes)?;
    }
    let request = check::Request::new(room.join("list")).root(room).key(Some(room.join("k.pub")));
    if !is_changed {
        return checked(request, control);
    }
    let list = String::from_utf8_lossy(SEALED[0].1).into_owned();
    write(room.join("list"), changed(&list, true))?;
    match check::run(&request, &mut |_| Ok(()), control) {
        Err(error) if error.kind() == crate::job::Kind::Negative => Ok(Verdict::Differs),
        Err(error) => Err(failed(error)),
        Ok(summary) => Ok(summary.conclusion()),
    }
}
