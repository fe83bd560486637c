//! Questions on writes: syncs, renames, new names, locks, lengths, holes.

use super::ask::{Answer, Question};
use super::room::cause;
use super::vectors::random;
use pfh_engine::Control;
use pfh_source::os;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        name: "fsync",
        try_it: fsync,
        but: Some((
            "nobody knows when written bytes are on the medium: images and lists may be lost in a power cut after pfh has ended",
            "write images elsewhere, or unmount it before you rely on them",
        )),
    },
    Question {
        name: "atomic rename",
        try_it: rename,
        but: Some((
            "a list that is updated is missing for a moment, or half",
            "let nothing read lists here while they are updated",
        )),
    },
    Question {
        name: "exclusive create",
        try_it: exclusive,
        but: Some((
            "two runs may write one file at once, and a file that somebody else made may be replaced",
            "let one program at a time write here",
        )),
    },
    Question {
        name: "locks",
        try_it: locks,
        but: Some((
            "two runs at once do not see one another",
            "start no two runs of pfh that update the same list here",
        )),
    },
    Question {
        name: "lengths",
        try_it: lengths,
        but: Some(("files here are not as long as they were made", "write nothing here")),
    },
    Question { name: "files without a name", try_it: unnamed, but: None },
    Question { name: "holes", try_it: holes, but: None },
];

fn fsync(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let mut file = File::create(room.join("synced"))?;
    file.write_all(&random(30, 10_000))?;
    let directory = os::open_to_sync(room).and_then(os::sync);
    match (file.sync_all(), directory) {
        (Ok(()), Ok(())) => Ok(Answer::Holds("files and directories are synced".into())),
        (Err(error), _) => Ok(Answer::Not(format!("a file cannot be synced: {}", cause(&error)))),
        // Windows and some network file systems have none of directories.
        (Ok(()), Err(errno)) => {
            let why = cause(&io::Error::from(errno));
            Ok(Answer::Absent(format!("files are synced, and directories cannot be: {why}")))
        }
    }
}

/// A reader that looks all the time meets the old bytes or the new ones.
fn rename(room: &Path, control: &Control<'_>) -> io::Result<Answer> {
    let (name, next) = (room.join("name"), room.join("next"));
    let states: Vec<Vec<u8>> = (0..2).map(|state| random(40 + state, 5000)).collect();
    fs::write(&name, &states[0])?;
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut looks = 0_u64;
            while !is_done.load(Ordering::Relaxed) {
                match fs::read(&name) {
                    Ok(bytes) if states.contains(&bytes) => looks += 1,
                    Ok(bytes) => return Err(format!("{} bytes of neither file were read", bytes.len())),
                    Err(error) => return Err(format!("the name was gone for a moment: {}", cause(&error))),
                }
            }
            Ok(looks)
        });
        let renamed = (0..60).filter(|_| !control.is_cancelled()).try_for_each(|round| {
            fs::write(&next, &states[(round + 1) % 2])?;
            fs::rename(&next, &name)
        });
        is_done.store(true, Ordering::Relaxed);
        let read = reader.join().map_err(|_| io::Error::other("a thread panicked"))?;
        renamed?;
        Ok(match read {
            Ok(looks) => Answer::Holds(format!("{looks} reads during 60 renames met one of the two files")),
            Err(why) => Answer::Not(why),
        })
    })
}

fn exclusive(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let make = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
    let taken = room.join("taken");
    fs::write(&taken, b"mine")?;
    match make(&taken) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(error) => return Ok(Answer::Not(format!("a name that is taken is refused otherwise: {}", cause(&error)))),
        Ok(_) => return Ok(Answer::Not("a file was made in the place of another".into())),
    }
    for round in 0..30 {
        let path = room.join(round.to_string());
        let made = std::thread::scope(|scope| {
            let tries: Vec<_> = (0..2).map(|_| scope.spawn(|| make(&path).is_ok())).collect();
            tries.into_iter().filter_map(|one| one.join().ok()).filter(|made| *made).count()
        });
        if made != 1 {
            return Ok(Answer::Not(format!("{made} of 2 that made one name at once were let")));
        }
    }
    Ok(Answer::Holds("of two that make one name at once, one is let".into()))
}

fn locks(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let path = room.join("locked");
    fs::write(&path, b"")?;
    let open = || OpenOptions::new().read(true).write(true).open(&path);
    let (one, other) = (open()?, open()?);
    if !os::try_lock(&one) {
        return Ok(Answer::Not("a file that nobody has locked counts as locked".into()));
    }
    if os::try_lock(&other) {
        return Ok(Answer::Not("two have the lock of one file at once".into()));
    }
    drop(one);
    match os::try_lock(&other) {
        true => Ok(Answer::Holds("one at a time has the lock of a file".into())),
        false => Ok(Answer::Not("a lock outlives the file that had it".into())),
    }
}

fn lengths(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let (path, bytes) = (room.join("length"), random(50, 10_000));
    fs::write(&path, &bytes)?;
    let file = OpenOptions::new().write(true).open(&path)?;
    for (length, kept) in [(5000_usize, 5000_usize), (9000, 5000)] {
        file.set_len(length as u64)?;
        let expected = [&bytes[..kept], &vec![0; length - kept]].concat();
        if fs::metadata(&path)?.len() != length as u64 || fs::read(&path)? != expected {
            return Ok(Answer::Not(format!("a file that was set to {length} bytes holds others")));
        }
    }
    OpenOptions::new().append(true).open(&path)?.write_all(b"end")?;
    match fs::read(&path)?.ends_with(b"\0end") && fs::metadata(&path)?.len() == 9003 {
        true => Ok(Answer::Holds("files are cut, lengthened and appended to".into())),
        false => Ok(Answer::Not("bytes that were appended are not at the end".into())),
    }
}

fn unnamed(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    Ok(match os::open_unnamed(room)? {
        Some(_) => Answer::Holds("a file gets its name when it is whole (O_TMPFILE)".into()),
        None => Answer::Absent("files without a name are not to be had: unfinished ones have a hidden name".into()),
    })
}

fn holes(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let path = room.join("hole");
    let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)?;
    let size = 8 << 20;
    file.set_len(size)?;
    os::write_at(&file, b"data", size / 2)?;
    if fs::read(&path)?.iter().filter(|byte| **byte != 0).count() != 4 {
        return Ok(Answer::Not("a hole does not read as zeros".into()));
    }
    Ok(match os::data_from(&file, 0) {
        Ok(data) if data > 0 => Answer::Holds(format!("a hole of {data} bytes is known")),
        _ => Answer::Absent("holes look like zeros: sparse images take more time".into()),
    })
}
