//! `pfh tree build`

use super::print::Said;
use super::{OWN, follow, guarded};
use crate::exit::{self, Exit};
use crate::{shown, size};
use clap::{Args, ValueEnum};
use pfh::outboard::{self, Exclusive, Failure, Pass};
use pfh::outputs::{Kind, Outputs};
use pfh::tree::outboard::{Function, Outboard, Parameters};
use pfh::{Descend, Item, Operands, Origin, Recurse, Source};
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

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

/// `pfh tree build`
#[derive(Args)]
#[command(after_help = super::help::BUILD)]
pub struct Build {
    /// The file; - for standard input, which needs --outboard; with -r files and directories.
    #[arg(value_name = "FILE", required_unless_present = "join", conflicts_with = "join")]
    pub files: Vec<PathBuf>,
    /// The parts of one file, in order: the tree of the whole is built, the whole itself need not be there. Needs --outboard.
    #[arg(long, value_name = "PART", num_args = 1.., requires = "outboard")]
    pub join: Vec<PathBuf>,
    /// Build the trees of all files below directories; trees (*.pfhtree) are passed over.
    #[arg(short, long, conflicts_with_all = ["outboard", "join"])]
    pub recursive: bool,
    /// Where the tree goes [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// The function.
    #[arg(short, long, value_enum, default_value = "blake3")]
    pub algorithm: Name,
    /// Bytes of a leaf: a power of two from 1KiB to 16MiB.
    #[arg(long, value_name = "SIZE", value_parser = leaf, default_value = "16KiB")]
    pub leaf: usize,
    /// Replace an existing file that is no tree; never one that is read.
    #[arg(long)]
    pub force: bool,
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

pub fn leaf(text: &str) -> Result<usize, String> {
    let bytes = size::parse(text)?;
    usize::try_from(bytes)
        .ok()
        .filter(|bytes| Parameters::new(Function::Blake3, *bytes).is_some())
        .ok_or_else(|| format!("{text:?}: a leaf has a power of two bytes, from 1KiB to 16MiB"))
}

impl Build {
    fn parameters(&self) -> Parameters {
        let function = match self.algorithm {
            Name::Blake3 => Function::Blake3,
            Name::Sha256 => Function::Sha256,
            Name::Sha3_256 => Function::Sha3_256,
        };
        Parameters::new(function, self.leaf).expect("the command line's parser looked at the length")
    }

    /// Builds what is asked for.
    pub fn run(&self) -> Exit {
        let usage = |message: &str| {
            exit::say(message);
            Exit::Usage
        };
        if self.recursive {
            return follow(self.threads, self.no_progress, |pass| self.below(pass));
        }
        if !self.join.is_empty() {
            let outputs = self.outputs(self.outboard.as_deref().unwrap_or(Path::new("")), &self.join);
            return guarded(&outputs, || follow(self.threads, self.no_progress, |pass| self.joined(pass)));
        }
        match &self.files[..] {
            [file] if file == Path::new("-") => match &self.outboard {
                Some(tree) => guarded(&self.outputs(tree, &self.files), || {
                    follow(self.threads, self.no_progress, |pass| self.stream(tree, pass))
                }),
                None => usage("standard input has no name: state where its tree goes with --outboard TREE"),
            },
            [file] if file.is_dir() => usage(&format!(
                "{}: is a directory: `pfh tree build -r` builds the trees of the files below it",
                shown(file.as_os_str().as_bytes())
            )),
            [file] => {
                let tree = self.outboard.clone().unwrap_or_else(|| outboard::beside(file));
                guarded(&self.outputs(&tree, &self.files), || {
                    follow(self.threads, self.no_progress, |pass| Ok(self.one(file, &tree, pass)?.print(self.json)))
                })
            }
            _ => usage("several files: build their trees with -r, or that of the parts of one with --join"),
        }
    }

    /// What is written and read: a tree takes the place of a tree.
    fn outputs(&self, tree: &Path, read: &[PathBuf]) -> Outputs {
        let mut outputs = Outputs::new(self.force);
        outputs.writes("--outboard", tree, Kind::File, OWN).reads_all(read);
        outputs
    }

    fn one(&self, file: &Path, tree: &Path, pass: &mut Pass<'_>) -> Result<Said, Failure> {
        // An update of the tree that is there ends first, and waits for this one.
        let locked = lock(tree, pass)?;
        let built = outboard::build(file, self.parameters(), pass)?;
        outboard::store(&built, tree)?;
        drop(locked);
        Ok(self.root_of(file, &built))
    }

    fn root_of(&self, file: &Path, tree: &Outboard) -> Said {
        Said::new("built", file.as_os_str().as_bytes(), &tree.header())
    }

    /// The tree of standard input.
    fn stream(&self, tree: &Path, pass: &mut Pass<'_>) -> Result<Exit, Failure> {
        let locked = lock(tree, pass)?;
        let built = outboard::build_stream(Path::new("-"), &mut io::stdin().lock(), self.parameters(), pass)?;
        outboard::store(&built, tree)?;
        drop(locked);
        Ok(self.root_of(Path::new("-"), &built).print(self.json))
    }

    /// The tree of parts, one after the other.
    fn joined(&self, pass: &mut Pass<'_>) -> Result<Exit, Failure> {
        let tree = self.outboard.clone().unwrap_or_default();
        let locked = lock(&tree, pass)?;
        let read = |part: &Path| {
            pfh::Ranges::open(part.as_os_str().as_bytes())
                .map_err(|problem| Failure::Read { file: part.to_owned(), problem })
        };
        let mut parts = Vec::new();
        for part in &self.join {
            parts.push((part, read(part)?));
        }
        let mut stream = Parts { parts: &parts, at: (0, 0), failed: None };
        let built = outboard::build_stream(&tree, &mut stream, self.parameters(), pass);
        if let Some(failure) = stream.failed {
            return Err(failure);
        }
        let built = built?;
        for (part, file) in parts {
            file.close().map_err(|problem| Failure::Read { file: part.clone(), problem })?;
        }
        outboard::store(&built, &tree)?;
        drop(locked);
        Ok(self.root_of(&tree, &built).print(self.json))
    }

    /// The trees of all files below the operands. One that fails does not hold up the others.
    fn below(&self, pass: &mut Pass<'_>) -> Result<Exit, Failure> {
        let descend = Descend { recurse: Recurse::Yes, ..Descend::default() };
        let operands = self.files.iter().map(|file| file.as_os_str().as_bytes().to_vec()).collect::<Vec<_>>();
        let mut source = Operands::new(operands, descend);
        let (mut exit, mut built) = (Exit::Good, 0);
        while let Some(item) = source.pull() {
            let entry = match item {
                Item::Entry(entry) => entry,
                Item::Problem { problem, name, .. } => {
                    exit::say(format!("{}: {problem}", shown(&name)));
                    exit = Exit::Incomplete;
                    continue;
                }
                _ => continue,
            };
            let Origin::File { .. } = &entry.origin else { continue };
            let name = entry.name().to_vec();
            let is_tree = [outboard::SUFFIX, outboard::JOURNAL].iter().any(|end| name.ends_with(end.as_bytes()));
            if is_tree {
                continue;
            }
            let file = PathBuf::from(std::ffi::OsString::from_vec(name));
            let tree = outboard::beside(&file);
            if let Err(refused) = self.outputs(&tree, std::slice::from_ref(&file)).check() {
                exit::say(refused);
                exit = Exit::Incomplete;
                continue;
            }
            match self.one(&file, &tree, pass) {
                Ok(said) => match said.print(self.json) {
                    Exit::Good => built += 1,
                    broken => return Ok(broken),
                },
                Err(failure @ (Failure::Cancelled | Failure::Write { .. })) => return Err(failure),
                Err(failure) => {
                    exit::say(&failure);
                    exit = Exit::Incomplete;
                }
            }
        }
        if built == 0 && exit == Exit::Good {
            exit::say("no file below what is named");
            return Ok(Exit::Incomplete);
        }
        Ok(exit)
    }
}

/// Files that are read one after the other.
struct Parts<'a> {
    parts: &'a [(&'a PathBuf, pfh::Ranges)],
    at: (usize, u64),
    failed: Option<Failure>,
}

impl Read for Parts<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some((name, part)) = self.parts.get(self.at.0).filter(|_| !buffer.is_empty()) {
            let length = (part.size() - self.at.1).min(buffer.len() as u64);
            if length == 0 {
                self.at = (self.at.0 + 1, 0);
                continue;
            }
            let mut bytes = Vec::new();
            if let Err(problem) = part.read(self.at.1..self.at.1 + length, &mut bytes) {
                self.failed = Some(Failure::Read { file: name.to_path_buf(), problem });
                return Err(io::ErrorKind::Other.into());
            }
            buffer[..bytes.len()].copy_from_slice(&bytes);
            self.at.1 += length;
            return Ok(bytes.len());
        }
        Ok(0)
    }
}

/// The lock of the tree that is there, if it is a file of ours that can be locked.
pub fn lock(tree: &Path, pass: &Pass<'_>) -> Result<Option<Exclusive>, Failure> {
    match Exclusive::lock(tree, pass.cancel) {
        Err(Failure::Read { .. }) => Ok(None),
        locked => locked,
    }
}
