//! `pfh tree root`, `export`, `import`: roots and trees of other programs.

use super::print::Said;
use super::proof::print;
use super::{Existing, follow, guarded};
use crate::exit::{self, Exit};
use crate::{shown, size};
use clap::{Args, ValueEnum};
use pfh::Output;
use pfh::hex;
use pfh::outboard::{self, Failure, Pass};
use pfh::outputs::Outputs;
use pfh::tree::foreign::{Foreign, Hash, Part, obao};
use serde_json::json;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Whose root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// Linux's fs-verity: what `fsverity digest` prints.
    FsVerity,
    /// Amazon S3's ETag of a multipart upload (of files shorter than --part: of a single one).
    S3Etag,
    /// Amazon S3's composite SHA-256 checksum of a multipart upload.
    S3Sha256,
    /// Amazon S3's composite SHA-1 checksum of a multipart upload.
    S3Sha1,
    /// Amazon S3 Glacier's SHA-256 tree hash.
    Glacier,
}

/// `pfh tree root`
#[derive(Args)]
#[command(after_help = super::help::ROOT)]
pub struct Root {
    /// The files; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Whose root.
    #[arg(long = "as", value_name = "FORM", value_enum)]
    pub form: Form,
    /// S3: bytes of a part, as the upload had them (8MiB is the AWS command line's).
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "8MiB")]
    pub part: u64,
    /// fs-verity: bytes of a block.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "4096")]
    pub block: u64,
    /// fs-verity: SHA-512 instead of SHA-256.
    #[arg(long)]
    pub sha512: bool,
    /// fs-verity: the salt, in hexadecimal, at most 32 bytes.
    #[arg(long, value_name = "HEX", default_value = "")]
    pub salt: String,
    /// The value that the file must have.
    #[arg(long, value_name = "VALUE")]
    pub expect: Option<String>,
    /// One JSON object per line.
    #[arg(long)]
    pub json: bool,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
}

impl Root {
    fn begin(&self) -> Result<Foreign, String> {
        let part =
            |which| Foreign::s3(which, self.part).ok_or_else(|| "--part: a part has at least one byte".to_owned());
        match self.form {
            Form::FsVerity => {
                let salt = pfh::hex::decode(self.salt.to_ascii_lowercase().as_bytes());
                let hash = if self.sha512 { Hash::Sha512 } else { Hash::Sha256 };
                let block = usize::try_from(self.block).unwrap_or(usize::MAX);
                salt.and_then(|salt| Foreign::fs_verity(hash, block, &salt)).ok_or_else(|| {
                    "a block has a power of two bytes from 1KiB to 64KiB, a salt at most 64 hexadecimal digits".into()
                })
            }
            Form::S3Etag => part(Part::ETag),
            Form::S3Sha256 => part(Part::Sha256),
            Form::S3Sha1 => part(Part::Sha1),
            Form::Glacier => Ok(Foreign::glacier()),
        }
    }

    /// Computes the roots and prints them.
    pub fn run(&self) -> Exit {
        if let Err(message) = self.begin() {
            exit::say(message);
            return Exit::Usage;
        }
        follow(None, self.no_progress, |pass| {
            let mut worst = Exit::Good;
            for file in &self.files {
                let mut root = self.begin().expect("it was begun before");
                let read = if file == Path::new("-") {
                    outboard::read_stream(file, &mut std::io::stdin().lock(), pass, |bytes| root.update(bytes))
                } else {
                    outboard::read_file(file, pass, |bytes| root.update(bytes))
                };
                match read {
                    Ok(()) => match self.print(file, &root.finish()) {
                        Exit::Good => {}
                        Exit::Verdict => worst = Exit::Verdict,
                        broken => return Ok(broken),
                    },
                    Err(failure @ Failure::Cancelled) => return Err(failure),
                    Err(failure) => {
                        exit::say(failure);
                        worst = if worst == Exit::Verdict { worst } else { Exit::Incomplete };
                    }
                }
            }
            Ok(worst)
        })
    }

    fn print(&self, file: &Path, value: &str) -> Exit {
        let name = file.as_os_str().as_bytes();
        let same = self.expect.as_ref().map(|expected| expected.trim_matches('"') == value);
        let exit = if same == Some(false) { Exit::Verdict } else { Exit::Good };
        let form = self.form.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
        if self.json {
            let mut more = json!({ "form": form, "root": value });
            if let (Some(same), Some(expected)) = (same, &self.expect) {
                more["verdict"] = json!(if same { "verified" } else { "differs" });
                more["expected"] = json!(expected);
            }
            let mut line = b"{\"type\":\"root\"".to_vec();
            pfh::manifest::jsonl::path(&mut line, name);
            let line = format!("{},{}\n", String::from_utf8_lossy(&line), &more.to_string()[1..]);
            return print(&line, exit);
        }
        let name = shown(name);
        let line = match same {
            None => format!("{value}  {name}\n"),
            Some(true) => format!("{name}: OK: has the {form} value {value}, the one expected\n"),
            Some(false) => format!("{name}: DIFFERS: has the {form} value {value}, not the one expected\n"),
        };
        print(&line, exit)
    }
}

/// `pfh tree export`
#[derive(Args)]
#[command(after_help = super::help::EXPORT)]
pub struct Export {
    /// The file, which is read.
    pub file: PathBuf,
    /// Where bao's outboard goes.
    #[arg(long, value_name = "OBAO")]
    pub obao: PathBuf,
    /// Replace existing files; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// The root that the file must give, in hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = super::root)]
    pub root: Option<[u8; 32]>,
    /// Threads that hash [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
}

/// Writes a file that appears whole or not at all.
fn save(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let write = || {
        let mut output = Output::file(path)?;
        output.write_all(bytes)?;
        output.commit()
    };
    write().map_err(|error| Failure::Write { file: path.to_owned(), error })
}

fn differs(file: &Path, found: &[u8; 32], root: &[u8; 32]) -> Exit {
    exit::say(format!(
        "{}: gives the blake3 root {}, not {}: nothing was written",
        shown(file.as_os_str().as_bytes()),
        hex::encode(found),
        hex::encode(root)
    ));
    Exit::Verdict
}

impl Export {
    /// Hashes the file and writes its tree in bao's form.
    pub fn run(&self) -> Exit {
        let mut outputs = Outputs::new(self.force);
        outputs.file("--obao", Some(&self.obao)).reads(&self.file);
        guarded(&outputs, || self.write())
    }

    fn write(&self) -> Exit {
        follow(self.threads, self.no_progress, |pass| {
            let tree = outboard::build(&self.file, obao::parameters(), pass)?;
            if let Some(root) = self.root.filter(|root| root != tree.root()) {
                return Ok(differs(&self.file, tree.root(), &root));
            }
            let bytes = obao::encode(&tree).expect("built with its parameters");
            save(&self.obao, &bytes)?;
            Ok(Said::new("exported", self.file.as_os_str().as_bytes(), &tree.header()).print(false))
        })
    }
}

/// `pfh tree import`
#[derive(Args)]
#[command(after_help = super::help::IMPORT)]
pub struct Import {
    /// File and tree.
    #[command(flatten)]
    pub on: Existing,
    /// bao's outboard, of which the tree is made; the file itself is not read.
    #[arg(long, value_name = "OBAO")]
    pub obao: PathBuf,
    /// Replace an existing file that is no tree; never one that is read.
    #[arg(long)]
    pub force: bool,
    /// The root that it must give, in hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = super::root)]
    pub root: Option<[u8; 32]>,
    /// Bytes of a leaf: a power of two from 1KiB to 16MiB.
    #[arg(long, value_name = "SIZE", value_parser = super::build::leaf, default_value = "16KiB")]
    pub leaf: usize,
}

impl Import {
    /// Makes the tree.
    pub fn run(&self) -> Exit {
        let mut outputs = Outputs::new(self.force);
        outputs.reads(&self.obao);
        self.on.guarded(outputs, || self.on.end(|on, pass| self.make(on, pass)))
    }

    fn make(&self, on: &Existing, pass: &mut Pass<'_>) -> Result<Exit, Failure> {
        let name = self.obao.as_os_str().as_bytes();
        let read = |problem| Failure::Read { file: self.obao.clone(), problem };
        let file = pfh::Ranges::open(name).map_err(read)?;
        let bytes = file.read_all(outboard::LONGEST).map_err(read)?;
        file.close().map_err(read)?;
        let tree = obao::decode(&bytes, self.leaf)
            .map_err(|malformed| Failure::Tree { file: self.obao.clone(), malformed })?;
        if let Some(root) = self.root.filter(|root| root != tree.root()) {
            return Ok(differs(&self.obao, tree.root(), &root));
        }
        let of = |problem| Failure::Read { file: on.file.clone(), problem };
        let found = pfh::Ranges::open(on.file.as_os_str().as_bytes()).map_err(of)?.size();
        if found != tree.length() {
            return Err(Failure::Length { file: on.file.clone(), stated: tree.length(), found });
        }
        let path = on.tree();
        let locked = super::build::lock(&path, pass)?;
        outboard::store(&tree, &path)?;
        drop(locked);
        Ok(Said::new("imported", on.file.as_os_str().as_bytes(), &tree.header()).print(on.json))
    }
}
