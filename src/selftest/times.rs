//! Questions on times: whether a write can be seen by them.

use super::ask::{Answer, Question};
use super::vectors::random;
use pfh_engine::Control;
use pfh_source::{Stat, os};
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub(super) const QUESTIONS: &[Question] = &[
    Question {
        name: "times after a write",
        try_it: moves,
        but: Some((
            "a file that is written to while it is read looks unchanged: its digest may be of a mixture",
            "hash here only what nobody writes to",
        )),
    },
    Question {
        name: "change times",
        try_it: kept,
        but: Some((
            "a write that puts the old time back looks like no write: --cache and --trust-times are refused here, or prove less",
            "read everything (no --trust-times); pfh marks such files no-change-time",
        )),
    },
    Question { name: "steps of times", try_it: steps, but: None },
];

/// How long a time may take to move: FAT keeps times in steps of 2 s.
const LONGEST: Duration = Duration::from_millis(3500);
const TICK: Duration = Duration::from_millis(20);

fn stat(path: &Path) -> io::Result<Stat> {
    os::stat_path(path).map(|(stat, _)| stat).map_err(Into::into)
}

/// Writes to a file again and again until this is seen in its metadata; how long that took.
fn until(
    path: &Path,
    control: &Control<'_>,
    mut write: impl FnMut(u64) -> io::Result<()>,
    is_seen: impl Fn(&Stat, &Stat) -> bool,
) -> io::Result<Option<Duration>> {
    let (before, begun) = (stat(path)?, Instant::now());
    let mut round = 0;
    while begun.elapsed() < LONGEST && !control.is_cancelled() {
        std::thread::sleep(TICK);
        write(round)?;
        if is_seen(&before, &stat(path)?) {
            return Ok(Some(begun.elapsed()));
        }
        round += 1;
    }
    Ok(None)
}

fn moves(room: &Path, control: &Control<'_>) -> io::Result<Answer> {
    let path = room.join("file");
    fs::write(&path, random(60, 3000))?;
    let write = |round| fs::write(&path, random(61 + round, 3000));
    let seen = until(&path, control, write, |before, after| before.mtime != after.mtime)?;
    Ok(match seen {
        Some(after) => Answer::Holds(format!("a write moves the modification time within {} ms", after.as_millis())),
        None => Answer::Not("writes of other bytes moved no modification time for 3.5 s".into()),
    })
}

fn kept(room: &Path, control: &Control<'_>) -> io::Result<Answer> {
    let path = room.join("file");
    fs::write(&path, random(70, 3000))?;
    let time = fs::metadata(&path)?.modified()?;
    let write = |round| {
        fs::write(&path, random(71 + round, 3000))?;
        File::options().write(true).open(&path)?.set_modified(time)
    };
    let seen = until(&path, control, write, |before, after| before.ctime != after.ctime)?;
    Ok(match seen {
        Some(after) => Answer::Holds(format!(
            "a write that puts the modification time back moves the change time within {} ms",
            after.as_millis()
        )),
        None => Answer::Not("writes that put the modification time back moved no change time for 3.5 s".into()),
    })
}

fn steps(room: &Path, _: &Control<'_>) -> io::Result<Answer> {
    let path = room.join("file");
    fs::write(&path, b"")?;
    let set = UNIX_EPOCH + Duration::new(1_700_000_001, 123_456_789);
    File::options().write(true).open(&path)?.set_modified(set)?;
    let found = fs::metadata(&path)?.modified()?;
    if found == set {
        return Ok(Answer::Holds("times are kept to the nanosecond".into()));
    }
    let nanoseconds = |time: SystemTime| time.duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    let other = nanoseconds(set).abs_diff(nanoseconds(found));
    Ok(Answer::Not(format!("a time comes back {other} ns off: pfh compares times in such steps")))
}
