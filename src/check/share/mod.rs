//! A share of the files of a manifest: those that were checked least recently, so that all of them
//! are checked in a number of runs.

mod asked;
mod choice;
mod state;

pub use asked::Share;
pub(super) use state::HEAD;

use super::part::{CheckShare, Part};
use super::place::{self, Place};
use super::problem::Problem;
use super::request::Turn;
use super::{Event, Events, FileOutcome, files};
use crate::beside::LockedFile;
use crate::job::{Error, PathError};
use choice::{Choice, SizedFile};
use pfh_engine::Control;
use pfh_ledger::{Ledger, Listing};
use pfh_source::os::clock;
use pfh_source::os::names::{OsStrExt, is_absolute};
use pfh_source::{Document, Stage};
use state::{Key, State};
use std::collections::HashMap;
use std::ffi::OsStr;
use std::time::{Duration, Instant};

/// A run that is killed loses the checks of this time.
const SAVED: Duration = Duration::from_secs(60);

/// Compares the files of the share, and keeps when that was.
pub(super) fn run(
    turn: Turn<'_>,
    share: &Share,
    mut ledger: Ledger,
    part: &mut Part,
    events: &mut Events<'_>,
    control: &Control<'_>,
) -> Result<(), Error> {
    let manifest = turn.manifest();
    let unread =
        |error: &std::io::Error| Error::input(PathError::new(manifest, pfh_source::Problem::io(Stage::Open, error)));
    let file = Document::file(manifest).map_err(|error| unread(&error))?.into_file();
    let held = LockedFile::of(file).ok_or_else(|| Error::input(PathError::new(manifest, Problem::Busy)))?;
    let begun = Instant::now();
    let place = place::find(turn, &ledger);
    // Absolute names are the same from everywhere.
    let root = if place.absolute.is_some() { &b"/"[..] } else { &place.root };
    let root = std::fs::canonicalize(OsStr::from_bytes(root)).unwrap_or_default();
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut held.file(), &mut bytes).map_err(|error| unread(&error))?;
    let digest = crate::sha256(&bytes).to_string();
    drop(bytes);
    let path = share.state_of(manifest);
    let (mut state, is_lost) = State::open(path, (manifest, digest), root.as_os_str().as_bytes())?;
    let now = clock::now().as_secs();
    state.begin();
    let sized = |entry: &Listing| {
        let is_gone = !place.has(&entry.name);
        SizedFile { key: Key::of(entry), bytes: if is_gone { 0 } else { size_of(&place, entry) }, is_gone }
    };
    let all: Vec<SizedFile> = ledger.entries.iter().map(sized).collect();
    state.retain(&all.iter().map(|one| one.key).collect());
    let choice = Choice::of(&all, &state, share);
    state.grant(choice.granted);
    let mut entries: Vec<Option<Listing>> = std::mem::take(&mut ledger.entries).into_iter().map(Some).collect();
    ledger.entries = choice.chosen.iter().filter_map(|at| entries[*at].take()).collect();
    drop(entries);
    let sizes: HashMap<Key, u64> = choice.chosen.iter().map(|at| (all[*at].key, all[*at].bytes)).collect();
    let (mut read, mut bytes, mut saved) = (0, 0_u64, Instant::now());
    let mut noting = |event: Event<'_>| {
        if let Event::Compared { entry, found, .. } = event {
            let key = Key::of(entry);
            let is_right = matches!(found, FileOutcome::Right | FileOutcome::Ignored);
            // Files that were not as listed are read on top of the share.
            if is_right && share.part.is_some() && !state.is_failed(&key) {
                state.charge(sizes.get(&key).copied().unwrap_or(0));
            }
            state.note(key, now, is_right);
            read += 1;
            bytes = u64::saturating_add(bytes, sizes.get(&key).copied().unwrap_or(0));
            if saved.elapsed() > SAVED {
                state.save().map_err(std::io::Error::other)?;
                saved = Instant::now();
            }
        }
        events(event)
    };
    let until = share.time.map(|time| begun + time);
    let ran = files::run(turn, place, &ledger, until, part, &mut noting, control);
    if choice.is_all && ran.is_ok() && read == choice.chosen.len() as u64 {
        state.settle();
    }
    // Finished checks are kept, also when the run was interrupted.
    state.save()?;
    part.expected = read;
    let oldest = all.iter().filter_map(|one| Some((state.round(&one.key)?, state.time(&one.key)?))).min();
    part.share = Some(CheckShare {
        part: share.part,
        read,
        bytes,
        files: all.len() as u64,
        total: all.iter().fold(0, |sum, one| sum.saturating_add(one.bytes)),
        never: all.iter().filter(|one| state.round(&one.key).is_none()).count() as u64,
        // A check of a time that is still to come says nothing of its age.
        oldest: oldest.and_then(|(_, time)| now.checked_sub(time)).map(Duration::from_secs),
        is_lost,
    });
    ran
}

/// The size of a listed file: the one that is listed, or else the one that it has.
fn size_of(place: &Place, entry: &Listing) -> u64 {
    entry.size.unwrap_or_else(|| {
        let below = place.below(&entry.name);
        let path = if is_absolute(below) { below.to_vec() } else { [&place.root, &b"/"[..], below].concat() };
        std::fs::symlink_metadata(OsStr::from_bytes(&path)).map_or(0, |found| found.len())
    })
}
