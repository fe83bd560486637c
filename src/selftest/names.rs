//! Questions on names and links: whether two names are two files, and come back as they were made.

use super::ask::{Answer, Question};
use pfh_engine::Control;
use pfh_source::os;
use pfh_source::os::names::{OsStrExt, OsStringExt};
use pfh_source::terminal::render;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        name: "upper and lower case",
        try_it: case,
        but: Some((
            "names that differ in case alone are one file: of two such files that are copied here one is lost, and a list of both verifies one of them twice",
            "extract and copy evidence with such names to another file system",
        )),
    },
    Question {
        name: "Unicode forms",
        try_it: forms,
        but: Some((
            "names that look alike and differ in bytes are one file, or come back in other bytes",
            "pfh check --names as-found compares them; keep lists beside the originals",
        )),
    },
    Question {
        name: "names of any bytes",
        try_it: bytes,
        but: Some((
            "files with such names cannot be copied here, or come back under another name",
            "keep them in an image or an archive",
        )),
    },
    Question {
        name: "identities",
        try_it: identities,
        but: Some((
            "two files count as one, or one as two: hard links, pfh dups and caches go by device and inode",
            "mount it so that inodes stay (mergerfs, sshfs: use_ino or noforget), and give no --cache here",
        )),
    },
    Question { name: "hard links", try_it: hard, but: None },
    Question { name: "symbolic links", try_it: symbolic, but: None },
];

fn listed(room: &Path) -> io::Result<Vec<Vec<u8>>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(room)? {
        names.push(entry?.file_name().into_vec());
    }
    names.sort();
    Ok(names)
}

/// Makes a file of each name. They must be as many, with their own bytes, under their own names.
fn apart(room: &Path, names: &[&[u8]]) -> io::Result<Result<(), String>> {
    for name in names {
        if let Err(error) = fs::write(room.join(OsString::from_vec(name.to_vec())), name) {
            return Ok(Err(format!("{} cannot be made: {}", render(name), super::room::cause(&error))));
        }
    }
    for name in names {
        let found = fs::read(room.join(OsString::from_vec(name.to_vec())))?;
        if found != *name {
            return Ok(Err(format!("{} and {} are one file", render(name), render(&found))));
        }
    }
    let mut made: Vec<Vec<u8>> = names.iter().map(|name| name.to_vec()).collect();
    made.sort();
    let found = listed(room)?;
    Ok(match found.iter().find(|name| !made.contains(name)) {
        Some(other) => Err(format!("a name is listed as {}", render(other))),
        None if found.len() != made.len() => Err(format!("{} names are listed of {}", found.len(), made.len())),
        None => Ok(()),
    })
}

fn answer(found: Result<(), String>, holds: &str) -> io::Result<Answer> {
    Ok(match found {
        Ok(()) => Answer::Holds(holds.to_owned()),
        Err(why) => Answer::Not(why),
    })
}

fn case(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let found = apart(room, &[b"Name", b"name", b"NAME", "Ä".as_bytes(), "ä".as_bytes()])?;
    answer(found, "names that differ in case are different files")
}

/// The composed and the decomposed form of one letter.
fn forms(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let found = apart(room, &["caf\u{e9}".as_bytes(), "cafe\u{301}".as_bytes()])?;
    answer(found, "names in different normal forms are different files, and come back as they were made")
}

fn bytes(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let long = [b'x'; 255];
    let mut names: Vec<&[u8]> = vec![b" blanks ", b"dot.", b"a:b", b"a*?", b"CON", &long];
    if cfg!(unix) {
        names.extend([&b"not\xffUTF-8"[..], b"line\nfeed", b"back\\slash"]);
    }
    answer(apart(room, &names)?, "names of 255 bytes, blanks, control characters and bytes that are not UTF-8")
}

fn identities(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let stat = |name: &str| os::stat_path(&room.join(name)).map(|(stat, _)| stat.identity());
    for name in ["a", "b", "c"] {
        fs::write(room.join(name), name)?;
    }
    let of = || -> io::Result<Vec<_>> { ["a", "b", "c"].iter().map(|name| Ok(stat(name)?)).collect() };
    let (first, second) = (of()?, of()?);
    fs::rename(room.join("a"), room.join("d"))?;
    if first[0] == first[1] || first[1] == first[2] || first[0] == first[2] {
        return Ok(Answer::Not("different files have one inode".into()));
    }
    if first != second {
        return Ok(Answer::Not("a file has another inode each time".into()));
    }
    match stat("d")? == first[0] {
        true => Ok(Answer::Holds("each file has an inode of its own, which stays when it is renamed".into())),
        false => Ok(Answer::Not("a file that is renamed has another inode".into())),
    }
}

fn hard(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    fs::write(room.join("one"), b"bytes")?;
    fs::hard_link(room.join("one"), room.join("other"))?;
    let of = |name: &str| os::stat_path(&room.join(name)).map(|(stat, _)| stat.identity());
    Ok(match of("one")? == of("other")? && fs::read(room.join("other"))? == b"bytes" {
        true => Answer::Holds("a file may have several names".into()),
        false => Answer::Not("hard links look like different files: pfh dups counts them as such".into()),
    })
}

fn symbolic(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    fs::write(room.join("file"), b"bytes")?;
    os::link_to_file("file".as_ref(), &room.join("link"))?;
    let target = fs::read_link(room.join("link"))?;
    Ok(match target.as_os_str().as_bytes() == b"file" && fs::read(room.join("link"))? == b"bytes" {
        true => Answer::Holds("symbolic links are kept".into()),
        false => Answer::Not("symbolic links come back otherwise".into()),
    })
}
