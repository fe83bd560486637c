//! Where a file lies: its runs, checked while they are collected.

use crate::node::{Failure, Run};

/// The most runs of one file: 64 MiB of memory.
const MOST_RUNS: usize = 2 << 20;

/// Runs of one file in order, each within the volume, together no more than the volume has.
#[derive(Debug, Clone, Default)]
pub struct Layout {
    runs: Vec<Run>,
    /// Where the next run begins in the file.
    end: u64,
    /// Bytes that lie on the medium.
    stored: u64,
    /// The size of the volume.
    volume: u64,
    /// Whether bytes of the medium may be in the file twice.
    is_shared: bool,
}

impl Layout {
    /// A file of a volume of `volume` bytes, so far without runs.
    pub fn new(volume: u64) -> Self {
        Layout { volume, ..Layout::default() }
    }

    /// A file that may hold the same bytes of the volume twice.
    pub fn shared(volume: u64) -> Self {
        Layout { volume, is_shared: true, ..Layout::default() }
    }

    /// Where the next run begins in the file.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// Adds the next `length` bytes: at `medium`, or a hole.
    ///
    /// # Errors
    /// If they are not within the volume, or the file claims more than the volume has.
    pub fn push(&mut self, medium: Option<u64>, length: u64) -> Result<(), Failure> {
        if length == 0 {
            return Ok(());
        }
        let wrong = |cause: &str| Err(Failure { offset: medium, cause: cause.to_owned(), ..Failure::default() });
        if let Some(offset) = medium {
            if offset.checked_add(length).is_none_or(|end| end > self.volume) {
                return wrong("a run leads out of the volume");
            }
            if !self.is_shared && self.stored.saturating_add(length) > self.volume {
                return wrong("the file claims more bytes than the volume has");
            }
        }
        let Some(end) = self.end.checked_add(length) else { return wrong("the file ends beyond 2^64") };
        let merged = match self.runs.last_mut() {
            Some(last) if last.medium_offset.map(|offset| offset + last.length) == medium => {
                last.length += length;
                true
            }
            _ => false,
        };
        if !merged {
            if self.runs.len() >= MOST_RUNS {
                return wrong("the file is in more than two million pieces");
            }
            self.runs.push(Run { file_offset: self.end, medium_offset: medium, length });
        }
        self.end = end;
        self.stored = self.stored.saturating_add(if medium.is_some() { length } else { 0 });
        Ok(())
    }

    /// Adds a run at the place `file_offset` of the file, with a hole before it.
    ///
    /// # Errors
    /// As [`Layout::push`], and if the place belongs to the run before.
    pub fn push_at(&mut self, file_offset: u64, medium: Option<u64>, length: u64) -> Result<(), Failure> {
        let Some(hole) = file_offset.checked_sub(self.end) else {
            let cause = "two runs claim the same place of the file".to_owned();
            return Err(Failure { offset: medium, cause, ..Failure::default() });
        };
        self.push(None, hole)?;
        self.push(medium, length)
    }

    /// The runs of `from .. end` of the file; ranges that are not on the medium are holes.
    pub fn window(&self, from: u64, end: u64) -> Vec<Run> {
        let mut cut = Vec::new();
        let first = self.runs.partition_point(|run| run.file_offset + run.length <= from);
        for run in self.runs[first..].iter().take_while(|run| run.file_offset < end) {
            let (start, stop) = (run.file_offset.max(from), (run.file_offset + run.length).min(end));
            if start < stop {
                let medium_offset = run.medium_offset.map(|offset| offset + (start - run.file_offset));
                cut.push(Run { file_offset: start - from, medium_offset, length: stop - start });
            }
        }
        let covered = self.end.max(from);
        if covered < end {
            cut.push(Run { file_offset: covered - from, medium_offset: None, length: end - covered });
        }
        cut
    }

    /// That no bytes of the medium are in the file twice, unless they may be.
    ///
    /// # Errors
    /// With the first place that is.
    pub fn disjoint(&self) -> Result<(), Failure> {
        if self.is_shared {
            return Ok(());
        }
        let mut ranges: Vec<_> = self.runs.iter().filter_map(|run| Some((run.medium_offset?, run.length))).collect();
        ranges.sort_unstable();
        match ranges.windows(2).find(|pair| pair[0].0 + pair[0].1 > pair[1].0) {
            Some(pair) => {
                let cause = "the same bytes of the volume are in the file twice".to_owned();
                Err(Failure { offset: Some(pair[1].0), cause, ..Failure::default() })
            }
            None => Ok(()),
        }
    }

    /// All runs, as they were added.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_merged_and_cut() {
        let mut layout = Layout::new(1000);
        layout.push(Some(100), 50).unwrap();
        layout.push(Some(150), 50).unwrap();
        layout.push_at(200, Some(10), 10).unwrap();
        assert_eq!((layout.runs().len(), layout.end()), (3, 210));
        let runs = layout.window(90, 215);
        let seen: Vec<_> = runs.iter().map(|run| (run.file_offset, run.medium_offset, run.length)).collect();
        assert_eq!(seen, [(0, Some(190), 10), (10, None, 100), (110, Some(10), 10), (120, None, 5)]);
        assert!(layout.window(210, 210).is_empty());
    }

    #[test]
    fn hostile_runs_are_refused() {
        let mut layout = Layout::new(1000);
        layout.push(Some(990), 11).unwrap_err();
        layout.push(Some(u64::MAX), 2).unwrap_err();
        layout.push(None, u64::MAX).unwrap();
        layout.push(None, 1).unwrap_err();
        let mut layout = Layout::new(1000);
        layout.push(Some(0), 600).unwrap();
        layout.push_at(599, Some(0), 1).unwrap_err();
        layout.push(Some(0), 600).unwrap_err();
        layout.disjoint().unwrap();
        layout.push(Some(599), 1).unwrap();
        assert_eq!(layout.disjoint().unwrap_err().offset, Some(599));
    }

    #[test]
    fn shared_runs_may_repeat() {
        let mut layout = Layout::shared(1000);
        for _ in 0..3 {
            layout.push(Some(0), 600).unwrap();
        }
        layout.disjoint().unwrap();
        assert_eq!((layout.runs().len(), layout.end()), (3, 1800));
        layout.push(Some(900), 101).unwrap_err();
    }
}
