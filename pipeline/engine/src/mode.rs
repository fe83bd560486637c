//! Who reads and who hashes: a row for each mode.

use std::fmt;

/// Who reads and who hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Threads change role: a reader that faces a full table hashes, a worker that faces an empty
    /// one reads.
    #[default]
    Adaptive,
    /// Fixed roles: P prefetchers fill the table, T workers empty it (the paper's multi-threaded
    /// prefetching).
    Mtp,
    /// No prefetchers: every thread reads and hashes for itself (the paper's simultaneous
    /// multi-threading).
    Smt,
    /// One of a user's own.
    Own(&'static Division),
}

/// When a thread that hashes reads for its own lanes, a piece of each of several files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Laps {
    /// It hashes what stands in the table.
    Never,
    /// While reads do not wait for the device, and where it brings more though they do.
    WhileItBringsMore,
    /// It reads in no other way.
    Always,
}

/// A mode by its parts. Any of them gives the same digests. Two are equal when their names are.
#[derive(Clone, Copy)]
pub struct Division {
    /// Its name on the command line.
    pub name: &'static str,
    /// Its work, in a sentence without a full stop.
    pub about: &'static str,
    /// When threads read for their own lanes.
    pub laps: Laps,
    /// Whether threads that read do not hash, and threads that hash do not read.
    pub is_apart: bool,
    /// Threads that read ahead, for that many that hash, where no number is asked for.
    pub prefetchers: fn(usize) -> usize,
    /// Threads that read, of that many that hash and that many that read ahead; 1 at least.
    pub readers: fn(usize, usize) -> usize,
}

const ADAPTIVE: Division = Division {
    name: "adaptive",
    about: "Threads change role: a full table is emptied, an empty one filled",
    laps: Laps::WhileItBringsMore,
    is_apart: false,
    prefetchers: |threads| 3 * threads,
    readers: |threads, prefetchers| threads + prefetchers,
};

const MTP: Division = Division {
    name: "mtp",
    about: "Fixed roles: prefetchers read, workers hash",
    laps: Laps::Never,
    is_apart: true,
    prefetchers: |_| 1,
    readers: |_, prefetchers| prefetchers.max(1),
};

const SMT: Division = Division {
    name: "smt",
    about: "Every thread reads and hashes; no prefetchers",
    laps: Laps::Always,
    is_apart: false,
    prefetchers: |_| 0,
    readers: |threads, _| threads,
};

impl PartialEq for Division {
    fn eq(&self, other: &Division) -> bool {
        self.name == other.name
    }
}

impl Eq for Division {}

impl fmt::Debug for Division {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The role of a thread.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Role {
    pub reads: bool,
    pub hashes: bool,
    /// Only while reads wait for the device.
    pub held_back: bool,
}

impl Mode {
    /// Those of the project, the default first.
    pub const ALL: [Mode; 3] = [Mode::Adaptive, Mode::Mtp, Mode::Smt];

    /// Its parts.
    pub const fn division(self) -> &'static Division {
        match self {
            Mode::Adaptive => &ADAPTIVE,
            Mode::Mtp => &MTP,
            Mode::Smt => &SMT,
            Mode::Own(division) => division,
        }
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        self.division().name
    }

    /// Its work, in a sentence without a full stop.
    pub const fn about(self) -> &'static str {
        self.division().about
    }

    /// Threads that read ahead beside `threads` that hash, where no number is asked for.
    pub fn prefetchers(self, threads: usize) -> usize {
        (self.division().prefetchers)(threads)
    }

    /// Threads that are to read, beside or among `threads` that hash.
    pub(crate) fn readers(self, threads: usize, prefetchers: usize) -> usize {
        (self.division().readers)(threads.max(1), prefetchers).max(1)
    }

    /// Whether some of that many readers only read ahead, while reads wait.
    pub(crate) fn is_ahead(self, threads: usize, readers: usize) -> bool {
        self.division().laps == Laps::WhileItBringsMore && readers > threads.max(1)
    }

    /// The role of another reader in the place of a lost one.
    pub(crate) fn reader(self, held_back: bool) -> Role {
        Role { reads: true, hashes: !self.division().is_apart, held_back }
    }

    /// The roles of all threads: those that begin, which may be all that a small input needs, and
    /// the others. A machine that allows few threads has one of each role.
    pub(crate) fn roles(self, threads: usize, readers: usize) -> (Vec<Role>, Vec<Role>) {
        let mut roles: Vec<Role> = if self.division().is_apart {
            let (reads, hashes) = (self.reader(false), Role { hashes: true, ..Role::default() });
            let more = std::iter::repeat_n(hashes, threads - 1).chain(std::iter::repeat_n(reads, readers - 1));
            [reads, hashes].into_iter().chain(more).collect()
        } else {
            let role = |at| Role { reads: at < readers, hashes: true, held_back: at >= threads };
            (0..readers.max(threads)).map(role).collect()
        };
        // The only one that reads ahead is the only one that reads.
        if self.is_ahead(threads, readers) && readers == threads + 1 {
            roles.rotate_right(1);
        }
        let others = roles.split_off(if self.division().is_apart { 2 } else { 1 });
        (roles, others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_mode_has_the_threads_that_it_is_asked_for() {
        for mode in Mode::ALL {
            for threads in 1..5 {
                for prefetchers in 0..5 {
                    let readers = mode.readers(threads, prefetchers);
                    let (first, others) = mode.roles(threads, readers);
                    let all: Vec<Role> = first.iter().chain(&others).copied().collect();
                    let named = format!("{} {threads} {prefetchers}", mode.name());
                    assert_eq!(all.iter().filter(|role| role.reads).count(), readers, "{named}");
                    assert!(all.iter().filter(|role| role.hashes).count() >= threads, "{named}");
                    assert_eq!(all.iter().any(|role| role.reads && role.hashes), !mode.division().is_apart, "{named}");
                    // Those that begin can do all work.
                    assert!(first.iter().any(|role| role.reads), "{named}");
                    assert!(first.iter().any(|role| role.hashes), "{named}");
                }
            }
        }
    }
}
