//! The arguments of `pfh tree`.

use super::help;
use crate::exit::Failure;
use crate::leveling::Leveling;
use crate::size;
use crate::tree_key::KeyArgs;
use clap::{Args, Subcommand, ValueEnum};
use pfh::tree::Parameters;
use std::ffi::OsString;
use std::ops::Range;
use std::path::PathBuf;

/// Commands of `pfh tree`.
#[derive(Subcommand)]
#[command(defer = true)]
pub enum Tree {
    /// Hash a file and keep its tree beside it.
    Build(Build),
    /// Hash the changes inside a file of the same length.
    Update(Update),
    /// Keep the catalogue of a directory up to date while files change, and print each new root.
    Watch(Watch),
    /// Add the data appended to a file.
    #[command(after_help = help::APPEND)]
    Append(Append),
    /// Receive a file from several senders at once, and have its tree with the last byte.
    Receive(Receive),
    /// Find the changed ranges of a file.
    Check(Check),
    /// List where two files differ, by their trees alone.
    Diff(Diff),
    /// Prove a part of a file to a holder of the root.
    Prove(Prove),
    /// Verify such a proof with the root alone.
    Verify(Verify),
    /// Print the roots that other programs compute: fs-verity, Amazon S3, Glacier.
    Root(Root),
    /// Write the tree of a file in bao's form.
    Export(Export),
    /// Take a tree from bao's form, without reading the file.
    Import(Import),
}

/// The file and its tree, threads, output.
#[derive(Args)]
pub struct Existing {
    /// The file; `update` and `check` take a directory as well, if `build` made its catalogue.
    pub file: PathBuf,
    /// The tree of FILE [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Hashing threads [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print one JSON object per line.
    #[arg(long)]
    pub json: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

impl Existing {
    /// Replaces the default place of the tree, and the default number of threads.
    pub fn place(&self, tree: &mut PathBuf, threads: &mut usize) {
        if let Some(outboard) = &self.outboard {
            tree.clone_from(outboard);
        }
        *threads = self.threads.map_or(*threads, usize::from);
    }
}

/// The root that the tree must have before it is changed.
#[derive(Args)]
pub struct TrustArgs {
    /// Expected root before the change, in hexadecimal, kept out of reach of those who can write
    /// file and tree. Without it, the tree is trusted.
    #[arg(long, value_name = "HEX", value_parser = any_root, conflicts_with = "kept")]
    pub root: Option<Digest>,
    /// Output of `pfh audit commit`: the tree must have the kept root.
    #[arg(long, value_name = "KEPT")]
    pub kept: Option<PathBuf>,
    /// Line of KEPT [default: the only one, or that of FILE as given].
    #[arg(long, value_name = "NAME", requires = "kept")]
    pub identity: Option<OsString>,
}

/// `pfh tree append`
#[derive(Args)]
pub struct Append {
    /// File and tree.
    #[command(flatten)]
    pub on: Existing,
    #[command(flatten)]
    pub trusted: TrustArgs,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed: KeyArgs,
}

/// `pfh tree update`
#[derive(Args)]
#[command(after_help = help::UPDATE)]
pub struct Update {
    /// File or directory, and tree.
    #[command(flatten)]
    pub on: Existing,
    #[command(flatten)]
    pub changed: ChangeArgs,
    #[command(flatten)]
    pub trusted: TrustArgs,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed: KeyArgs,
    /// Write a proof of the change for an auditor without file or tree (`pfh audit renew`).
    #[arg(long, value_name = "UPDATE")]
    pub proof: Option<PathBuf>,
    /// Replace an existing file of --proof, but never an input.
    #[arg(long)]
    pub force: bool,
}

/// The changes, by ranges, by a copy or by names.
#[derive(Args)]
#[group(multiple = false)]
pub struct ChangeArgs {
    /// Changed range, OFFSET:LENGTH in bytes (64KiB:4096); several separated by commas or by
    /// repetition. The rest is trusted to be unchanged; `check` verifies it.
    #[arg(long = "range", value_name = "OFFSET:LENGTH", value_parser = range, value_delimiter = ',')]
    pub ranges: Vec<Range<u64>>,
    /// Copy of the file as it was when the tree was made; differing blocks are hashed again.
    #[arg(long, value_name = "COPY")]
    pub changed_since: Option<PathBuf>,
    /// In a directory: file that was added, changed, removed or renamed (both names). May be
    /// repeated; nothing else is looked at. Without it, all files whose size, time or inode changed
    /// are read.
    #[arg(long = "entry", value_name = "NAME")]
    pub entries: Vec<PathBuf>,
}

/// A root of any length.
#[derive(Debug, Clone)]
pub struct Digest(pub Vec<u8>);

/// `pfh tree watch`
#[derive(Args)]
#[command(after_help = help::WATCH)]
pub struct Watch {
    /// Directory with a catalogue (`pfh tree build DIR`).
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// The catalogue of DIR [default: DIR.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Key of the catalogue.
    #[command(flatten)]
    pub keyed: KeyArgs,
    /// Hashing threads [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print one JSON object per line.
    #[arg(long)]
    pub json: bool,
}

/// `pfh tree build`
#[derive(Args)]
#[command(after_help = help::BUILD)]
pub struct Build {
    /// File; - for standard input (with --outboard); or directory, whose files get one tree (a
    /// catalogue). With -r, each file below it gets a tree of its own.
    #[arg(value_name = "FILE", required_unless_present_any = ["join", "pieces_from"], conflicts_with_all = ["join", "pieces_from"])]
    pub files: Vec<PathBuf>,
    /// Parts of one file, in order: builds the tree of the whole, which need not exist. Needs
    /// --outboard.
    #[arg(long, value_name = "PART", num_args = 1.., requires = "outboard")]
    pub join: Vec<PathBuf>,
    /// List of the pieces of one file, in any order, such as from parallel transfers: a line each
    /// with OFFSET in bytes, a space and the piece's file name (- is standard input). Missing
    /// ranges are listed, exit 3. Needs --outboard.
    #[arg(long, value_name = "LIST", requires = "outboard", conflicts_with_all = ["join", "recursive"])]
    pub pieces_from: Option<PathBuf>,
    /// With --pieces-from, length of the file [default: end of the last piece].
    #[arg(long, value_name = "SIZE", value_parser = size::parse, requires = "pieces_from")]
    pub length: Option<u64>,
    /// Build the trees of all files below directories; existing trees (*.pfhtree) are skipped.
    #[arg(short, long, conflicts_with_all = ["outboard", "join"])]
    pub recursive: bool,
    /// Write the tree here [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// blake3: the root is the file's BLAKE3 digest. kt128, kt256, parallelhash*, sakura-*
    /// (`sakura-li-128,leaves=32`): two levels, the root is the digest that `pfh hash -a` prints.
    /// sha256, sha3-256: binary trees with distinct prefixes for leaves, nodes and root. With
    /// --key-file hmac-sha256, hmac-sha3-256, kmac256 and blake3-keyed, whose root is a message
    /// authentication code.
    #[arg(short, long, value_name = "NAME", default_value = "blake3")]
    pub algorithm: String,
    /// Size of a leaf: a power of two from 1KiB to 16MiB [default: 16KiB]. Trees of two levels have
    /// it in the algorithm's name: `sakura-fng-128,block=4096`.
    #[arg(long, value_name = "SIZE", value_parser = leaf)]
    pub leaf: Option<usize>,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed: KeyArgs,
    /// Replace an existing file that is not a tree, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Hashing threads [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print one JSON object per line.
    #[arg(long)]
    pub json: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

/// `pfh tree receive`
#[derive(Args)]
#[command(after_help = help::RECEIVE)]
pub struct Receive {
    /// OFFSET[+LENGTH]=SENDER, as 64KiB+4096=part: a file, a FIFO, - for standard input, or
    /// tcp://HOST:PORT for the first connection to that address. A sender is read to its end, or
    /// LENGTH bytes of it. Parts may overlap where their bytes are the same.
    #[arg(value_name = "PART", required = true)]
    pub parts: Vec<OsString>,
    /// The file. Until it is whole it is FILE.partial, and FILE.receipt lists the parts that came:
    /// after an interruption the same command goes on.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Length of the file [default: end of the last part].
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub size: Option<u64>,
    /// Write the tree here [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Algorithm of the tree, as of `build`.
    #[arg(short, long, value_name = "NAME", default_value = "blake3")]
    pub algorithm: String,
    /// Size of a leaf, as of `build` [default: 16KiB].
    #[arg(long, value_name = "SIZE", value_parser = leaf)]
    pub leaf: Option<usize>,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed: KeyArgs,
    /// Memory for parts on their way [default: 64MiB].
    #[arg(short, long, value_name = "SIZE", value_parser = size::parse_memory)]
    pub memory: Option<u64>,
    /// Write FILE.receipt each time that this much has come [default: 256MiB, or a 32nd of FILE].
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub receipt_every: Option<u64>,
    /// Replace an existing file, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Hashing threads [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print one JSON object per line.
    #[arg(long)]
    pub json: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

/// `pfh tree check`
#[derive(Args)]
#[command(after_help = help::CHECK)]
pub struct Check {
    /// File or directory, and tree.
    #[command(flatten)]
    pub on: Existing,
    /// Expected root, in hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = any_root, conflicts_with = "kept")]
    pub root: Option<Digest>,
    /// Output of `pfh audit commit`: the file must have the kept root. The tree need not exist.
    #[arg(long, value_name = "KEPT")]
    pub kept: Option<PathBuf>,
    /// Line of KEPT [default: the only one, or that of FILE as given].
    #[arg(long, value_name = "NAME", requires = "kept")]
    pub identity: Option<OsString>,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed: KeyArgs,
    /// In a directory: check only this file. May be repeated.
    #[arg(long = "entry", value_name = "NAME")]
    pub entries: Vec<PathBuf>,
    #[command(flatten)]
    pub levels: Leveling,
}

/// `pfh tree diff`
#[derive(Args)]
#[command(after_help = help::DIFF)]
pub struct Diff {
    /// File with a tree beside it, or a tree (*.pfhtree). The file itself is not read.
    #[arg(value_name = "A")]
    pub one: PathBuf,
    /// Another one, likewise.
    #[arg(value_name = "B")]
    pub other: PathBuf,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed: KeyArgs,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// `pfh tree prove`
#[derive(Args)]
#[command(after_help = help::PROVE)]
pub struct Prove {
    /// The file.
    pub file: PathBuf,
    /// Range: OFFSET:LENGTH in bytes (64KiB:4096).
    #[arg(long, value_name = "OFFSET:LENGTH", value_parser = range)]
    pub range: Range<u64>,
    /// The tree of FILE [default: FILE.pfhtree].
    #[arg(long, value_name = "TREE")]
    pub outboard: Option<PathBuf>,
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed: KeyArgs,
    /// Write the proof here [default: standard output].
    #[arg(short, long, value_name = "PROOF")]
    pub output: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
}

/// `pfh tree verify`
#[derive(Args)]
#[command(after_help = help::VERIFY)]
pub struct Verify {
    /// Output of `prove`, or - for standard input.
    #[arg(value_name = "PROOF")]
    pub proof: PathBuf,
    /// Root of the whole file, in hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = root)]
    pub root: [u8; 32],
    /// Key of a keyed tree.
    #[command(flatten)]
    pub keyed: KeyArgs,
    /// Write the verified bytes of the range here (- is standard output).
    #[arg(short, long, value_name = "DATA")]
    pub output: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Print a JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Kind of root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scheme {
    /// Linux's fs-verity: the output of `fsverity digest`.
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
#[command(after_help = help::ROOT)]
pub struct Root {
    /// The files; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Kind of root.
    #[arg(long = "as", value_name = "FORM", value_enum)]
    pub form: Scheme,
    /// S3: part size of the upload in bytes (8MiB is the AWS command line's).
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "8MiB")]
    pub part: u64,
    /// fs-verity: block size in bytes.
    #[arg(long, value_name = "SIZE", value_parser = size::parse, default_value = "4096")]
    pub block: u64,
    /// fs-verity: use SHA-512 instead of SHA-256.
    #[arg(long)]
    pub sha512: bool,
    /// fs-verity: the salt, in hexadecimal, at most 32 bytes.
    #[arg(long, value_name = "HEX", default_value = "")]
    pub salt: String,
    /// Expected value.
    #[arg(long, value_name = "VALUE")]
    pub expect: Option<String>,
    /// Print one JSON object per line.
    #[arg(long)]
    pub json: bool,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

/// `pfh tree export`
#[derive(Args)]
#[command(after_help = help::EXPORT)]
pub struct Export {
    /// The file, which is read.
    pub file: PathBuf,
    /// Write bao's outboard here.
    #[arg(long, value_name = "OBAO")]
    pub obao: PathBuf,
    /// Key of BLAKE3's keyed mode.
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Replace existing files, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Expected root, in hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = root)]
    pub root: Option<[u8; 32]>,
    /// Hashing threads [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Do not show progress.
    #[arg(long)]
    pub no_progress: bool,
}

/// `pfh tree import`
#[derive(Args)]
#[command(after_help = help::IMPORT)]
pub struct Import {
    /// File and tree.
    #[command(flatten)]
    pub on: Existing,
    /// bao's outboard to convert; the file itself is not read.
    #[arg(long, value_name = "OBAO")]
    pub obao: PathBuf,
    /// Key of BLAKE3's keyed mode.
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Replace an existing file that is not a tree, but never an input.
    #[arg(long)]
    pub force: bool,
    /// Expected root, in hexadecimal.
    #[arg(long, value_name = "HEX", value_parser = root)]
    pub root: Option<[u8; 32]>,
    /// Size of a leaf: a power of two from 1KiB to 16MiB.
    #[arg(long, value_name = "SIZE", value_parser = leaf, default_value = "16KiB")]
    pub leaf: usize,
}

/// Reads the length of a leaf.
fn leaf(text: &str) -> Result<usize, Failure> {
    let bytes = usize::try_from(size::parse(text)?).ok();
    let fits = |bytes: &usize| Parameters::new(pfh::tree::Function::Blake3, *bytes).is_some();
    let wrong = || format!("{text:?}: a leaf has a power of two bytes, from 1KiB to 16MiB");
    Ok(bytes.filter(fits).ok_or_else(wrong)?)
}

/// Reads a root of a tree of any algorithm: at most 64 bytes in hexadecimal digits.
fn any_root(text: &str) -> Result<Digest, Failure> {
    let root = pfh::hex::decode(text.to_ascii_lowercase().as_bytes()).filter(|root| (1..=64).contains(&root.len()));
    Ok(root.map(Digest).ok_or_else(|| format!("{text:?} is not a root: write its hexadecimal digits, usually 64"))?)
}

/// Reads a root in hexadecimal digits.
fn root(text: &str) -> Result<[u8; 32], Failure> {
    let mut root = [0; 32];
    pfh::hex::decode_into(text.to_ascii_lowercase().as_bytes(), &mut root)
        .ok_or_else(|| format!("{text:?} is not a root: write its 64 hexadecimal digits"))?;
    Ok(root)
}

/// Reads `64KiB:4096`: where, and how many bytes.
fn range(text: &str) -> Result<Range<u64>, Failure> {
    let wrong = || format!("{text:?} is not a range: write OFFSET:LENGTH, as 64KiB:4096, with at least one byte");
    let (offset, length) = text.split_once(':').ok_or_else(wrong)?;
    let (offset, length) = (size::parse(offset)?, size::parse(length)?);
    let end = offset.checked_add(length).filter(|_| length > 0).ok_or_else(wrong)?;
    Ok(offset..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges() {
        assert_eq!([range("64KiB:4096").ok(), range("0:1").ok()], [Some(65536..69632), Some(0..1)]);
        for text in ["", "5", "1:0", ":", "1:", ":1", "-1:2", "1:2:3", "18446744073709551615:1"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
