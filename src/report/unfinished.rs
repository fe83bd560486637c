//! Jobs that have not ended, by their visible files: logs without an end, with their maps and
//! images; maps with parts to read; plans. Results without their last line are found where they are
//! read.

use super::found::{MapShare, OpenLog, PageFindings};
use super::members::{number, text, texts};
use pfh_report::case::{OpenJob, Standing, Tone};
use pfh_report::size_text;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::{kernel_text, stat_path};
use pfh_source::terminal::many;
use pfh_source::{Stat, Time};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

impl MapShare {
    fn share(&self) -> (u64, u64) {
        (self.read + self.bad, self.read + self.bad + self.open)
    }

    fn fact(&self) -> String {
        let all = size_text(self.share().1);
        format!("{} of {all} were read, {} were unreadable", size_text(self.read), size_text(self.bad))
    }
}

/// Enters the jobs that have not ended.
pub(super) fn enter(found: &mut PageFindings) {
    let mut maps = std::mem::take(&mut found.maps);
    for log in std::mem::take(&mut found.open_logs) {
        let map = map_of(&log.path).and_then(|name| maps.iter().position(|map| map.path == name));
        let one = acquisition(&log, map.map(|at| maps.swap_remove(at)));
        found.images.extend(images_of(&log));
        found.case.unfinished.push(one);
    }
    maps.sort_by_key(|map| map.source);
    for map in maps.iter().filter(|map| map.open > 0) {
        let facts = [map.fact()].into_iter().chain(last_written([map.path.as_path()])).collect();
        found.case.unfinished.push(OpenJob {
            source: map.source,
            what: "acquisition, by its map".to_owned(),
            tone: Tone::Open,
            state: "not read to its end".to_owned(),
            share: Some(map.share()),
            facts,
        });
    }
    for (source, path) in std::mem::take(&mut found.plans) {
        plan(found, source, &path);
    }
}

/// The usual name of the map beside a log.
fn map_of(log: &Path) -> Option<PathBuf> {
    let image = log.as_os_str().as_bytes().strip_suffix(b".log.jsonl")?;
    Some(PathBuf::from(OsStr::from_bytes(&[image, b".map"].concat())))
}

/// The images of a log, so far. They are looked for beside it: names in it may be of another
/// working directory.
fn images_of(log: &OpenLog) -> Vec<PathBuf> {
    let targets = texts(&log.first, "targets");
    let image = |target: &String| log.path.with_file_name(target.rsplit('/').next().unwrap_or_default());
    targets.iter().map(image).filter(|image| image.is_file()).collect()
}

fn acquisition(log: &OpenLog, map: Option<MapShare>) -> OpenJob {
    let targets = texts(&log.first, "targets");
    let (tone, state) = state(&log.path);
    let images = images_of(log);
    let mut facts: Vec<String> = map.iter().map(MapShare::fact).collect();
    if map.is_none() {
        let of = Some(number(&log.first, "bytes")).filter(|bytes| *bytes > 0);
        let of = of.map_or_else(String::new, |bytes| format!(", of a source with {}", size_text(bytes)));
        let size = |image: &PathBuf| image.metadata().map_or(0, |stat| stat.len());
        facts.extend(images.iter().map(|image| {
            let name = image.file_name().unwrap_or_default().as_bytes();
            format!("{} has {}{of}", pfh_source::terminal::render(name), size_text(size(image)))
        }));
    }
    let paths = images.iter().chain([&log.path]).chain(map.iter().map(|map| &map.path));
    facts.extend(last_written(paths.map(PathBuf::as_path)));
    OpenJob {
        source: log.source,
        what: format!("acquisition of {} into {}", text(&log.first, "source"), targets.join(", ")),
        tone,
        state,
        share: map.as_ref().map(MapShare::share),
        facts,
    }
}

/// When the youngest of these files was written, as a sentence.
fn last_written<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Option<String> {
    let times = paths.into_iter().filter_map(|path| stat_path(path).ok());
    let seconds = times.map(|(stat, _)| stat.mtime.0).max()?;
    Some(format!("last written at {}", Time { seconds, nanoseconds: 0 }))
}

/// Whether a process of this machine has the log: `pfh acquire` locks it as long as it runs. The
/// lock is looked at and never tried: that would keep a run from it that begins at that moment.
pub(super) fn state(log: &Path) -> (Tone, String) {
    let open = |state: &str| (Tone::Open, state.to_owned());
    let (Some(locks), Ok((stat, _))) = (kernel_text("/proc/locks"), stat_path(log)) else {
        return open("running, or cut off");
    };
    match holders(&locks, &stat).find(|(pid, is_device)| *is_device || has_open(*pid, &stat)) {
        Some((pid, _)) if pid > 0 => (Tone::Good, format!("running: process {pid}")),
        Some(_) => (Tone::Good, "running".to_owned()),
        None => open("no process here has it: cut off, or running elsewhere"),
    }
}

/// The processes with a lock on a file of this number: `1: FLOCK ADVISORY WRITE PID
/// MAJOR:MINOR:INODE 0 EOF`, and whether the device is that of the file. Of some file systems the
/// kernel names another one here.
fn holders(locks: &str, stat: &Stat) -> impl Iterator<Item = (i64, bool)> {
    let (device, inode) = stat.identity();
    let device =
        ((device >> 8 & 0xfff) | (device >> 32 & !0xfff), (device & 0xff) | (device >> 12 & !0xff & 0xffff_ffff));
    locks.lines().filter_map(move |line| {
        let words: Vec<&str> = line.split_whitespace().skip_while(|word| *word != "FLOCK").collect();
        let (pid, file) = (words.get(3)?.parse().ok()?, words.get(4)?);
        let mut parts = file.split(':');
        let mut hex = || u64::from_str_radix(parts.next()?, 16).ok();
        let at = (hex()?, hex()?);
        (parts.next()?.parse() == Ok(inode)).then_some((pid, at == device))
    })
}

/// Whether a process has this file open, as far as this user may see.
fn has_open(pid: i64, stat: &Stat) -> bool {
    let Ok(open) = std::fs::read_dir(format!("/proc/{pid}/fd")) else { return false };
    open.flatten().any(|fd| stat_path(&fd.path()).is_ok_and(|(other, _)| other.identity() == stat.identity()))
}

/// Enters a plan. The files of its units in its directory need no reading.
fn plan(found: &mut PageFindings, source: usize, path: &Path) {
    let directory = path.parent().unwrap_or(Path::new(""));
    let Ok(progress) = crate::plan::progress(directory) else { return };
    let own = ["units", "parts"].map(|name| directory.join(name));
    for other in &mut found.case.sources {
        let path = Path::new(OsStr::from_bytes(&other.name));
        if matches!(other.standing, Standing::Unknown(_))
            && path.parent().is_some_and(|above| own.iter().any(|own| own == above))
        {
            other.kind = "unit of a plan".to_owned();
            other.standing = Standing::Beside("`pfh run` and `pfh merge` read it".to_owned());
        }
    }
    let crate::plan::Progress { done, units } = progress;
    let (tone, state) = match done == units {
        true => (Tone::Good, "all units are done"),
        false => (Tone::Open, "units are left"),
    };
    let parts = directory.join("parts");
    let facts = [format!("{done} of {} done", many(units, "unit is", "units are"))]
        .into_iter()
        .chain(last_written([parts.as_path()]))
        .collect();
    let name = pfh_source::terminal::shown(directory);
    found.case.unfinished.push(OpenJob {
        source,
        what: format!("run in units: {name}"),
        tone,
        state: state.to_owned(),
        share: Some((done, units)),
        facts,
    });
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    /// The lines of the kernel, also of a waiting lock and of ranges.
    #[test]
    fn a_lock_is_found_by_its_file() {
        let (stat, _) = stat_path(Path::new("/proc/self/exe")).expect("this program");
        let (device, inode) = stat.identity();
        let (major, minor) = (device >> 8 & 0xfff, device & 0xff);
        let lines = format!(
            "1: FLOCK  ADVISORY  WRITE 4711 {major:02x}:{minor:02x}:{inode} 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 5 00:00:{inode} 0 EOF\n\
             2: POSIX  ADVISORY  READ 9 {major:02x}:{minor:02x}:{inode} 0 9\n3: FLOCK  ADVISORY  WRITE 6 00:00:1 0 EOF\nnoise\n"
        );
        let found: Vec<_> = holders(&lines, &stat).collect();
        assert_eq!(found, [(4711, true), (5, false)]);
        let file = std::fs::File::open("/proc/self/exe").expect("this program");
        let (own, stat) = (i64::from(std::process::id()), pfh_source::os::stat(&file).expect("its facts"));
        assert!(has_open(own, &stat));
        drop(file);
        assert!(!has_open(own, &stat_path(Path::new("/etc/passwd")).expect("a file").0));
    }
}
