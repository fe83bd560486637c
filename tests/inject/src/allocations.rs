//! Memory that cannot be had at a chosen allocation: a library in front of glibc's allocator, which
//! the program is run with unchanged.

use std::io;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

use crate::Trial;

/// The library, compiled by `cc`.
#[derive(Debug)]
pub struct Allocations(TempDir);

impl Allocations {
    /// Compiles it.
    ///
    /// # Errors
    /// Where there is no `cc`, or another C library than glibc.
    pub fn new() -> io::Result<Allocations> {
        let made = Allocations(TempDir::new()?);
        let source = made.0.path().join("allocations.c");
        std::fs::write(&source, include_str!("allocations.c"))?;
        let words = ["-shared", "-fPIC", "-O1", "-fno-builtin", "-o", "allocations.so", "allocations.c"];
        let seen = Command::new("cc").args(words).current_dir(made.0.path()).output()?;
        match seen.status.success() {
            true => Ok(made),
            false => Err(io::Error::other(String::from_utf8_lossy(&seen.stderr).into_owned())),
        }
    }

    /// How many allocations a run makes that is refused none.
    ///
    /// # Errors
    /// When the run does not end as it should.
    pub fn count(&self, trial: Trial) -> io::Result<u64> {
        let place = self.0.path().join("count");
        let seen = self.within(trial, &format!("PFH_ALLOCATIONS={}", place.display())).run()?;
        let text = std::fs::read_to_string(place)?;
        let count = text.trim().parse().ok().filter(|_| seen.code == Some(0));
        count.ok_or_else(|| io::Error::other(format!("{:?}: {}", seen.code, seen.stderr)))
    }

    /// A run that is refused the allocation of this number, from 1, and the `times - 1` after it.
    pub fn refuse(&self, trial: Trial, number: u64, times: u64) -> Trial {
        self.within(trial, &format!("PFH_ALLOCATION={number} PFH_ALLOCATION_TIMES={times}"))
    }

    fn within(&self, trial: Trial, settings: &str) -> Trial {
        let library: &Path = &self.0.path().join("allocations.so");
        let preload = format!("LD_PRELOAD={}", library.display());
        trial.under(["env"].into_iter().chain(settings.split(' ')).chain([preload.as_str()]))
    }
}
