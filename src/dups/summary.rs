//! The result of a search for duplicates.

use super::chunks::Store;
use super::event::{Event, Events};
use super::group::Group;
use crate::job::Error;
use pfh_digest::{Algorithm, Standing};
use pfh_report::size_text;
use pfh_source::{Level, Levels, Problem, Skip};

/// The result of a search.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Summary {
    /// The algorithm by which whole files were compared.
    pub algorithm: Algorithm,
    /// Names of files that were met.
    pub files: u64,
    /// Bytes of them, each inode once.
    pub bytes: u64,
    /// Files that are smaller than was asked for.
    pub small: u64,
    /// Links and other things that are not files.
    pub skipped: u64,
    /// Those of them whose level is ignore.
    pub ignored: u64,
    /// Names that could not be read, or changed meanwhile.
    pub failed: u64,
    /// Those of both that count by their levels.
    pub faults: u64,
    /// Bytes that were read.
    pub read: u64,
    /// Groups of files of one content.
    pub groups: u64,
    /// Copies beyond one of each group.
    pub redundant: u64,
    /// Bytes that would be free without them.
    pub reclaimable: u64,
    /// Of these copies the ones that cannot be linked, since they are on another file system.
    pub apart: u64,
    /// Groups of folders that are equal as wholes.
    pub folders: u64,
    /// The saving of a store of chunks, if that was asked for.
    pub store: Option<Store>,
}

fn several(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

impl Summary {
    /// Nothing was found yet.
    pub(super) fn new(algorithm: Algorithm) -> Summary {
        Summary {
            algorithm,
            files: 0,
            bytes: 0,
            small: 0,
            skipped: 0,
            ignored: 0,
            failed: 0,
            faults: 0,
            read: 0,
            groups: 0,
            redundant: 0,
            reclaimable: 0,
            apart: 0,
            folders: 0,
            store: None,
        }
    }

    /// Counts a name that could not be read, and hands it out.
    pub(super) fn unread(
        &mut self,
        name: &[u8],
        mut problem: Problem,
        levels: &Levels,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        problem.level = levels.of(problem.finding());
        self.failed += 1;
        self.faults += u64::from(problem.level == Level::Error);
        events(Event::Unread(name, &problem)).map_err(Error::Sink)
    }

    /// Counts a link or the like, and hands it out.
    pub(super) fn skip(
        &mut self,
        name: &[u8],
        skip: Skip,
        levels: &Levels,
        events: &mut Events<'_>,
    ) -> Result<(), Error> {
        let level = levels.of(skip.finding());
        self.skipped += 1;
        self.ignored += u64::from(level == Level::Ignore);
        self.faults += u64::from(level == Level::Error);
        events(Event::Skipped(name, skip, level)).map_err(Error::Sink)
    }

    pub(super) fn add(&mut self, group: &Group, is_linked: bool) {
        self.apart += if is_linked { group.apart() } else { 0 };
        self.groups += 1;
        self.redundant += group.redundant();
        self.reclaimable += group.reclaimable();
    }

    /// The result, and its cost.
    pub fn sentence(&self) -> String {
        let mut line = if self.groups == 0 {
            "no duplicates".to_owned()
        } else {
            let copies = several(self.redundant, "redundant copy", "redundant copies");
            let groups = several(self.groups, "group", "groups");
            format!("{copies} in {groups}: {} can be reclaimed", size_text(self.reclaimable))
        };
        let (files, read) = (several(self.files, "file", "files"), size_text(self.read));
        line += &format!("; {files}, {}; {read} were read; by {}", size_text(self.bytes), self.algorithm);
        if self.algorithm.standing() == Standing::Broken {
            line += " and sha256";
        }
        let rest = [
            (self.apart, "on other file systems, to which no link leads"),
            (self.small, "smaller than asked for or empty"),
            (self.skipped - self.ignored, "no files (links and others)"),
            (self.failed, "could not be read, see above"),
        ];
        for (count, what) in rest.iter().filter(|(count, _)| *count > 0) {
            line += &format!("; {count} {what}");
        }
        line
    }
}

impl Store {
    /// The saving of such a store.
    pub fn sentence(&self) -> String {
        let share = if self.bytes == 0 { 0.0 } else { self.saving() as f64 * 100.0 / self.bytes as f64 };
        let Store { chunking, chunks, unique, .. } = self;
        let (bytes, kept, saving) = (size_text(self.bytes), size_text(self.unique_bytes), size_text(self.saving()));
        let pairs = several(self.pairs, "pair of different files shares", "pairs of different files share");
        let mut line = format!(
            "chunks {chunking}: {chunks} of {bytes}, {unique} different ones of {kept}: a store that keeps each once saves {saving} ({share:.1} %); {pairs} chunks"
        );
        if self.common > 0 {
            let common = several(self.common, "chunk", "chunks");
            line +=
                &format!("; {common} of {} in more than 100 files each make no pairs", size_text(self.common_bytes));
        }
        line
    }
}
