//! The jobs of a world.

use crate::script::{Unknown, word};
use std::fmt;
use std::str::FromStr;

/// A job, and how it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The job.
    pub job: Job,
    /// How it reads.
    pub manner: Manner,
}

/// A job over the tree or the medium. Lists are named by their paths in the room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// The tree is hashed into a list, in the place of any that is there.
    Hash {
        /// The list.
        list: String,
        /// Its format.
        form: Form,
        /// Whether it gets a seal.
        sealed: bool,
    },
    /// The listed files are compared.
    Check(String),
    /// The tree is compared with the list.
    Audit(String),
    /// The list is brought up to date.
    Update(String),
    /// The medium is acquired.
    Acquire,
    /// The image is compared with its log.
    Verify,
}

/// The formats of lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// As `sha256sum` writes.
    Sums,
    /// With the algorithm in each line.
    Bsd,
    /// JSON, a record each line.
    Jsonl,
}

/// How a job reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Manner {
    /// Threads that hash.
    pub threads: usize,
    /// Threads that read besides.
    pub readers: usize,
    /// Who reads and who hashes: 0 to 2.
    pub mode: usize,
    /// Whether small files are read through a ring.
    pub ring: bool,
    /// How often a read that fails is made again.
    pub retries: u32,
    /// KiB of the table; 0 for the usual one.
    pub memory: usize,
}

impl Default for Manner {
    fn default() -> Manner {
        Manner { threads: 1, readers: 1, mode: 0, ring: false, retries: 0, memory: 0 }
    }
}

impl Job {
    /// The list that it reads or writes.
    pub fn list(&self) -> Option<&str> {
        match self {
            Job::Hash { list, .. } | Job::Check(list) | Job::Audit(list) | Job::Update(list) => Some(list),
            Job::Acquire | Job::Verify => None,
        }
    }

    /// Whether it writes something beside its result.
    pub fn writes(&self) -> bool {
        matches!(self, Job::Hash { .. } | Job::Update(_) | Job::Acquire)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.job {
            Job::Hash { list, form, sealed } => write!(f, "hash {list} {form:?} {sealed}")?,
            Job::Check(list) => write!(f, "check {list}")?,
            Job::Audit(list) => write!(f, "audit {list}")?,
            Job::Update(list) => write!(f, "update {list}")?,
            Job::Acquire => f.write_str("acquire")?,
            Job::Verify => f.write_str("verify")?,
        }
        let Manner { threads, readers, mode, ring, retries, memory } = self.manner;
        write!(f, " by {threads} {readers} {mode} {ring} {retries} {memory}")
    }
}

impl FromStr for Step {
    type Err = Unknown;

    fn from_str(line: &str) -> Result<Step, Unknown> {
        parsed(line).ok_or_else(|| Unknown(line.to_owned()))
    }
}

fn parsed(line: &str) -> Option<Step> {
    let (job, manner) = line.split_once(" by ")?;
    let words = &mut manner.split(' ');
    let manner = Manner {
        threads: word(words)?,
        readers: word(words)?,
        mode: word(words)?,
        ring: word(words)?,
        retries: word(words)?,
        memory: word(words).unwrap_or(0),
    };
    let words = &mut job.split(' ');
    let job = match words.next()? {
        "hash" => {
            let list = word(words)?;
            let form = match words.next()? {
                "Sums" => Form::Sums,
                "Bsd" => Form::Bsd,
                "Jsonl" => Form::Jsonl,
                _ => return None,
            };
            Job::Hash { list, form, sealed: word(words)? }
        }
        "check" => Job::Check(word(words)?),
        "audit" => Job::Audit(word(words)?),
        "update" => Job::Update(word(words)?),
        "acquire" => Job::Acquire,
        "verify" => Job::Verify,
        _ => return None,
    };
    Some(Step { job, manner })
}
