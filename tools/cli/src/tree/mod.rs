//! `pfh tree`: trees beside files, for finding what changed and hashing only that again.

mod print;
mod range;

use crate::exit::{self, Exit};
use crate::progress::Bytes;
use crate::signals::Signals;
use crate::size;
use clap::{Args, Subcommand, ValueEnum};
use pfh::outboard::{self, Failure, Pass};
use pfh::outputs;
use pfh::tree::outboard::{Function, Outboard, Parameters};
use print::Said;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A tree that is brought up to date is recognized by its first bytes; one that is missing is reported when it is read.
const OWN: outputs::Existing = outputs::Existing::Own(0, b"pfh tree");

/// What to do with trees.
#[derive(Subcommand)]
pub enum Tree {
    /// Hash a file and keep its tree beside it.
    Build(Build),
    /// Hash again what changed inside of a file of the same length.
    Update(Update),
    /// Take in what was appended to a file.
    Append(Existing),
    /// Find out which ranges of a file are not what they were.
    Check(Existing),
}

/// The function of a tree.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Name {
    /// The root is the file's BLAKE3 digest.
    Blake3,
    /// SHA-256, leaves, nodes and root told apart.
    Sha256,
    /// SHA3-256, likewise.
    #[value(name = "sha3-256")]
    Sha3_256,
}

/// The file and its tree, threads, output.
#[derive(Args)]
pub struct Existing {
    /// The file.
    pub file: PathBuf,
    /// Where its tree is [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Threads that hash [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// One JSON object per line.
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
}

/// `pfh tree build`
#[derive(Args)]
pub struct Build {
    /// File and tree.
    #[command(flatten)]
    pub on: Existing,
    /// The function.
    #[arg(short, long, value_enum, default_value = "blake3")]
    pub algorithm: Name,
    /// Bytes of a leaf: a power of two from 1KiB to 16MiB.
    #[arg(long, value_name = "SIZE", value_parser = leaf, default_value = "16KiB")]
    pub leaf: usize,
    /// Replace an existing tree; never the file.
    #[arg(long)]
    pub force: bool,
}

/// `pfh tree update`
#[derive(Args)]
pub struct Update {
    /// File and tree.
    #[command(flatten)]
    pub on: Existing,
    /// What has changed: OFFSET:LENGTH in bytes (64KiB:4096), several with commas or the option repeated. That nothing else has is taken on trust; `check` finds out.
    #[arg(long = "range", value_name = "OFFSET:LENGTH", value_parser = range::parse, value_delimiter = ',')]
    pub ranges: Vec<std::ops::Range<u64>>,
    /// A copy of the file as it was when its tree was made: blocks that differ are hashed again.
    #[arg(long, value_name = "COPY", conflicts_with = "ranges", required_unless_present = "ranges")]
    pub changed_since: Option<PathBuf>,
}

fn leaf(text: &str) -> Result<usize, String> {
    let bytes = size::parse(text)?;
    usize::try_from(bytes)
        .ok()
        .filter(|bytes| Parameters::new(Function::Blake3, *bytes).is_some())
        .ok_or_else(|| format!("{text:?}: a leaf has a power of two bytes, from 1KiB to 16MiB"))
}

/// Runs one of the commands.
pub fn run(tree: &Tree) -> Exit {
    match tree {
        Tree::Build(build) => build
            .on
            .guarded(build.force, outputs::Existing::Refused, None, |on| on.follow(|on, pass| on.build(build, pass))),
        Tree::Update(update) => update
            .on
            .guarded(false, OWN, update.changed_since.as_deref(), |on| on.follow(|on, pass| on.update(update, pass))),
        Tree::Append(on) => on.guarded(false, OWN, None, |on| on.follow(Existing::append)),
        Tree::Check(on) => on.follow(Existing::check),
    }
}

impl Existing {
    fn tree(&self) -> PathBuf {
        self.outboard.clone().unwrap_or_else(|| outboard::beside(&self.file))
    }

    /// Does the work if the tree may be written.
    fn guarded(
        &self,
        replace: bool,
        existing: outputs::Existing,
        copy: Option<&Path>,
        work: impl FnOnce(&Existing) -> Exit,
    ) -> Exit {
        let mut guard = outputs::Outputs::new(replace);
        guard.writes("--outboard", self.tree(), outputs::Kind::File, existing).reads(&self.file).reads_all(copy);
        match guard.check() {
            Ok(()) => work(self),
            Err(refused) => {
                exit::say(refused);
                Exit::Usage
            }
        }
    }

    /// Runs a pass with progress and signals, and prints what came of it.
    fn follow(&self, work: impl FnOnce(&Existing, &mut Pass<'_>) -> Result<Said, Failure>) -> Exit {
        let signals = match Signals::catch() {
            Ok(signals) => signals,
            Err(error) => {
                exit::say(format!("signals cannot be caught: {error}"));
                return Exit::Aborted;
            }
        };
        let cancel = signals.flag();
        let bar = Bytes::open(!self.no_progress);
        let threads = self.threads.map_or_else(|| pfh::processors(), usize::from);
        let mut progress = |done, all| bar.show(done, all);
        let result = work(self, &mut Pass { threads, cancel: &cancel, progress: &mut progress });
        drop(bar);
        match result {
            Ok(said) => said.print(self.json),
            Err(failure) => {
                exit::say(&failure);
                exit_of(&failure, signals.number())
            }
        }
    }

    fn build(&self, build: &Build, pass: &mut Pass<'_>) -> Result<Said, Failure> {
        let function = match build.algorithm {
            Name::Blake3 => Function::Blake3,
            Name::Sha256 => Function::Sha256,
            Name::Sha3_256 => Function::Sha3_256,
        };
        let parameters = Parameters::new(function, build.leaf).expect("the command line's parser looked at the length");
        let tree = outboard::build(&self.file, parameters, pass)?;
        outboard::store(&tree, &self.tree())?;
        Ok(self.root_of(&tree, "built"))
    }

    fn update(&self, update: &Update, pass: &mut Pass<'_>) -> Result<Said, Failure> {
        let mut tree = outboard::load(&self.tree())?;
        let (ranges, computed) = match &update.changed_since {
            Some(copy) => outboard::update_since(&self.file, copy, &mut tree, pass)?,
            None => (update.ranges.clone(), outboard::update(&self.file, &mut tree, &update.ranges, pass)?),
        };
        outboard::store(&tree, &self.tree())?;
        Ok(self.root_of(&tree, "updated").changed(ranges, computed))
    }

    fn append(&self, pass: &mut Pass<'_>) -> Result<Said, Failure> {
        let mut tree = outboard::load(&self.tree())?;
        let before = tree.length();
        let bytes = outboard::append(&self.file, &mut tree, pass)?;
        outboard::store(&tree, &self.tree())?;
        Ok(self.root_of(&tree, "appended").appended(before..before + bytes))
    }

    fn check(&self, pass: &mut Pass<'_>) -> Result<Said, Failure> {
        let tree = outboard::load(&self.tree())?;
        let verdict = outboard::check(&self.file, &tree, pass)?;
        Ok(self.root_of(&tree, "checked").judged(verdict))
    }

    fn root_of(&self, tree: &Outboard, what: &'static str) -> Said {
        Said::new(what, self.file.as_os_str().as_bytes(), tree)
    }
}

/// 2: what was asked for makes no sense for this file; 3: something cannot be read, so nothing was found out; 4: nothing was written.
fn exit_of(failure: &Failure, signal: i32) -> Exit {
    match failure {
        Failure::Length { .. } | Failure::Range { .. } | Failure::Change(_) => Exit::Usage,
        Failure::Read { .. } | Failure::Tree { .. } => Exit::Incomplete,
        Failure::Write { .. } => Exit::Aborted,
        Failure::Cancelled => Exit::Signal(signal),
    }
}
