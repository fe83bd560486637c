//! The result of an update.

use crate::hash::Use;
use crate::verdict::{Tally, Verdict};
use pfh_engine::Summary as Run;
use pfh_source::terminal::shown;
use std::path::Path;

/// How many files of each class.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Listed files that are as they were listed.
    pub unchanged: u64,
    /// Of these the ones that were not read, since their times are as listed.
    pub trusted: u64,
    /// Files that were not listed.
    pub new: u64,
    /// Files with the content of another listed name that has it no more.
    pub moved: u64,
    /// Files of another content.
    pub changed: u64,
    /// Files with the same content and other times.
    pub metadata: u64,
    /// Listed files that are not there any more.
    pub gone: u64,
    /// Files of another content under the times that were listed.
    pub rotten: u64,
    /// Files that could not be read or looked for.
    pub unread: u64,
    /// Listed files outside of the walked trees.
    pub beyond: u64,
    /// Files that the format cannot hold.
    pub unwritten: u64,
    /// Files that were read and have no digest, because they are too short, too plain or too long
    /// for the algorithm.
    pub without: u64,
    /// Lines of the manifest that are not records, and stay as they are.
    pub improper: u64,
}

/// The result of an update.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Summary {
    /// The counts of the run, and where the time went.
    pub run: Run,
    /// How the cache was used, if there is one.
    pub cache: Option<Use>,
    /// How many files of each class.
    pub counts: Counts,
    /// Whether the manifest has changed: the old one is beside it then.
    pub written: bool,
    /// Whether a seal was made.
    pub sealed: bool,
}

impl Summary {
    /// *Verified*: the manifest is up to date. *Differs*: some content changed under its times. Not
    /// verified: some files could not be read, listed or understood.
    pub fn verdict(&self) -> Verdict {
        let Counts { unchanged, new, moved, changed, metadata, gone, .. } = self.counts;
        let Counts { rotten, unread, unwritten, improper, beyond, .. } = self.counts;
        let equal = unchanged + new + moved + changed + metadata + gone + beyond;
        Tally { equal, unequal: rotten, open: unread + unwritten + improper }.verdict()
    }

    /// The changes of the manifest.
    pub fn sentence(&self, manifest: &Path) -> String {
        let Counts { unchanged, new, moved, changed, metadata, gone, rotten, unread, .. } = self.counts;
        let Counts { trusted, beyond, unwritten, improper, .. } = self.counts;
        let parts = [
            (new, "new"),
            (moved, "moved"),
            (changed, "changed"),
            (metadata, "with other times"),
            (gone, "gone"),
            (rotten, "with bit rot, which stay as they were listed"),
            (unread, "not read, which stay as they were listed"),
            (unwritten, "that the format cannot hold"),
            (beyond, "not looked at"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        let mut said: Vec<String> = parts.map(|(count, what)| format!("{count} {what}")).collect();
        let read = if trusted > 0 { format!(" ({trusted} not read, by their times)") } else { String::new() };
        said.push(format!("{unchanged} unchanged{read}"));
        let state = match (self.written, self.verdict()) {
            (true, _) => format!("updated, the list before is {}", shown(&crate::beside::before(manifest))),
            (false, Verdict::Verified) => "up to date".to_owned(),
            (false, _) => "not changed".to_owned(),
        };
        let mut line = format!("{}: {state}: {}", shown(manifest), said.join(", "));
        if improper > 0 {
            let lines = if improper == 1 { "line is not a record" } else { "lines are not records" };
            line += &format!("; {improper} {lines}, and kept");
        }
        line
    }
}
