//! `pfh tree prove` and `pfh tree verify`: a part of a file, shown to whoever has the root alone.

use super::guarded;
use super::range;
use crate::exit::{self, Exit};
use crate::shown;
use clap::Args;
use pfh::Output;
use pfh::hex;
use pfh::outboard;
use pfh::outputs::Outputs;
use pfh::tree::range::RangeProof;
use serde_json::json;
use std::io::{self, IsTerminal, Read, Write};
use std::ops::Range;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A proof holds its range in memory: at most 4 GiB.
const LONGEST: u64 = 4 << 30;

/// `pfh tree prove`
#[derive(Args)]
#[command(after_help = super::help::PROVE)]
pub struct Prove {
    /// The file.
    pub file: PathBuf,
    /// Which part of it: OFFSET:LENGTH in bytes (64KiB:4096).
    #[arg(long, value_name = "OFFSET:LENGTH", value_parser = range::parse)]
    pub range: Range<u64>,
    /// Where its tree is [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Where the proof goes [default: standard output].
    #[arg(short, long, value_name = "PROOF")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
}

/// `pfh tree verify`
#[derive(Args)]
#[command(after_help = super::help::VERIFY)]
pub struct Verify {
    /// What `prove` wrote, or - for standard input.
    #[arg(value_name = "PROOF")]
    pub proof: PathBuf,
    /// The root of the whole file, in hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = super::root)]
    pub root: [u8; 32],
    /// Write the bytes of the range, once they are verified (- is standard output).
    #[arg(short, long, value_name = "DATA")]
    pub output: Option<PathBuf>,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// One JSON object.
    #[arg(long)]
    pub json: bool,
}

fn say(exit: Exit, message: String) -> Exit {
    exit::say(message);
    exit
}

fn name(path: &Path) -> String {
    shown(path.as_os_str().as_bytes())
}

/// Writes a file that appears whole or not at all, or standard output.
fn write(path: Option<&PathBuf>, bytes: &[u8]) -> Exit {
    let write = || {
        let mut output = path.map_or_else(|| Ok(Output::standard()), |path| Output::file(path))?;
        output.write_all(bytes)?;
        output.commit()
    };
    match write() {
        Ok(()) => Exit::Good,
        Err(error) => exit::of_output(&error),
    }
}

impl Prove {
    /// Proves the range.
    pub fn run(&self) -> Exit {
        if self.output.is_none() && io::stdout().is_terminal() {
            return say(
                Exit::Usage,
                "a proof is binary and standard output is a terminal: state a file with -o".into(),
            );
        }
        if self.range.end - self.range.start > LONGEST {
            return say(Exit::Usage, "a range has at most 4 GiB: prove several".into());
        }
        let tree = self.outboard.clone().unwrap_or_else(|| outboard::beside(&self.file));
        let mut outputs = Outputs::new(self.force);
        outputs.file("--output", self.output.as_ref()).reads(&self.file).reads(&tree);
        guarded(&outputs, || self.prove(&tree))
    }

    fn prove(&self, tree: &Path) -> Exit {
        let file = match pfh::Ranges::open(self.file.as_os_str().as_bytes()) {
            Ok(file) => file,
            Err(problem) => {
                let why = outboard::reason(&problem);
                return say(Exit::Incomplete, format!("{}: {why}", name(&self.file)));
            }
        };
        let paged = match outboard::open(tree) {
            Ok(paged) => paged,
            Err(failure) => return say(Exit::Incomplete, failure.to_string()),
        };
        let mut read = |range: Range<u64>| {
            let mut bytes = Vec::new();
            file.read(range, &mut bytes).map_err(|problem| io::Error::other(problem.to_string()))?;
            Ok(bytes)
        };
        match RangeProof::new(&paged, self.range.clone(), &mut read) {
            Ok(proof) => write(self.output.as_ref(), &proof.encode()),
            Err(why) => {
                let exit = match why {
                    pfh::tree::range::NoRange::Range => Exit::Usage,
                    pfh::tree::range::NoRange::Differs => Exit::Verdict,
                    _ => Exit::Incomplete,
                };
                say(exit, format!("{}: {why}", name(&self.file)))
            }
        }
    }
}

impl Verify {
    /// Judges the proof, and writes what it shows.
    pub fn run(&self) -> Exit {
        let mut outputs = Outputs::new(self.force);
        let file = self.output.as_ref().filter(|path| *path != Path::new("-"));
        outputs.file("--output", file).reads(&self.proof);
        guarded(&outputs, || self.judge())
    }

    fn judge(&self) -> Exit {
        let read = || -> io::Result<Vec<u8>> {
            let from: Box<dyn Read> = match &self.proof {
                path if path == Path::new("-") => Box::new(io::stdin()),
                path => Box::new(std::fs::File::open(path)?),
            };
            let mut bytes = Vec::new();
            from.take(2 * LONGEST).read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        let bytes = match read() {
            Ok(bytes) => bytes,
            Err(error) => return say(Exit::Incomplete, format!("{}: {error}", name(&self.proof))),
        };
        let proof = match RangeProof::decode(&bytes) {
            Ok(proof) => proof,
            Err(why) => return self.refuse(&format!("not a proof of a range: {why}")),
        };
        let shown = match proof.verify(&self.root) {
            Ok(shown) => shown,
            Err(why) => return self.refuse(&why.to_string()),
        };
        if let Some(path) = &self.output {
            let to = Some(path).filter(|path| *path != Path::new("-"));
            let written = write(to, shown.bytes);
            // Data on standard output is not mixed with a sentence.
            if written != Exit::Good || to.is_none() {
                return written;
            }
        }
        let (start, count) = (shown.range.start, shown.range.end - shown.range.start);
        let algorithm = shown.parameters.function().name();
        let line = if self.json {
            let object = json!({
                "type": "range",
                "proof": name(&self.proof),
                "verdict": "verified",
                "algorithm": algorithm,
                "root": hex::encode(&self.root),
                "offset": start,
                "length": count,
                "length_of_file": shown.length,
            });
            format!("{object}\n")
        } else {
            format!(
                "{}: OK: {start}:{count} of a file of {} bytes gives the {algorithm} root {}\n",
                name(&self.proof),
                shown.length,
                hex::encode(&self.root)
            )
        };
        print(&line, Exit::Good)
    }

    fn refuse(&self, why: &str) -> Exit {
        let line = if self.json {
            let object = json!({
                "type": "range",
                "proof": name(&self.proof),
                "verdict": "differs",
                "reason": why,
                "root": hex::encode(&self.root),
            });
            format!("{object}\n")
        } else {
            format!("{}: DIFFERS: {why}\n", name(&self.proof))
        };
        print(&line, Exit::Verdict)
    }
}

/// Prints a line and ends with `exit`, unless it cannot be printed.
pub fn print(line: &str, exit: Exit) -> Exit {
    match exit::print(line.as_bytes()) {
        Ok(()) => exit,
        Err(error) => exit::of_output(&error),
    }
}
