//! The command line in its modern form.

use crate::size;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

/// What the help says of the paper's form.
const TWO_FORMS: &str = "\
The command line of the paper (Breitinger & Petrov) works too. It starts with an option instead of a command, and its
letters differ: -h names the hash there.

  pfh -c hash -m 256 -d DIR -r        hash DIR and everything below it with a table of 256 MB
  pfh -d DIR -t 2 -h md5              two threads, MD5
  pfh -t 8 -c hash -d DIR -h md5 -p 2 eight threads, two of them prefetchers

  -c MODE  hash (default); full, a digest or a file name come with matching
  -d PATH  directory or file      -r  with all subdirectories
  -h NAME  hash algorithm         -m  table in MB
  -t N     threads                -p N  prefetchers (0: every thread reads and hashes)

Exit codes: 0 all good; 1 a negative verdict; 2 usage; 3 finished, but some input has no digest; 4 aborted, the output is
incomplete; 128+n ended by signal n.";

/// Hash, match and audit large amounts of data at the speed of the hardware; never print a digest that cannot be stood behind.
#[derive(Parser)]
#[command(name = "pfh", version, after_help = TWO_FORMS, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Hash files and trees: every algorithm from one read.
    Hash(Box<Hash>),
    /// List the algorithms: length, standing, and the kernel that this processor uses.
    Algorithms {
        /// As JSON, one object per line.
        #[arg(long)]
        json: bool,
    },
    /// Which hash, in which language, on this machine; and what will a case take.
    #[command(subcommand)]
    Bench(Box<pfh_bench::command::Bench>),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a directory.
    Man {
        /// The directory.
        directory: PathBuf,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Mode {
    /// Threads change role: a full table is emptied, an empty one filled.
    Adaptive,
    /// Fixed roles: prefetchers read, workers hash.
    Mtp,
    /// Every thread reads and hashes; no prefetchers.
    Smt,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Io {
    /// What measured faster on this kind of run.
    Auto,
    /// One system call after the other.
    Plain,
    /// Several small files at a time through io_uring, where the kernel has it.
    Uring,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Order {
    /// Byte order of the paths.
    Path,
    /// Largest first.
    Size,
    /// By inode number.
    Inode,
    /// By place on the medium (FIEMAP): for rotational disks.
    Extent,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum StatsForm {
    /// Lines for people.
    Text,
    /// One JSON object.
    Json,
}

#[derive(Args)]
pub struct Hash {
    /// Files, directories (with -r), or - for standard input.
    #[arg(value_name = "PATH", required_unless_present = "files_from")]
    pub paths: Vec<OsString>,
    /// Algorithms, separated by commas: sha256, md5, shake128:64 (bytes of output) … see `pfh algorithms`.
    #[arg(short, long = "algorithm", value_name = "NAME", value_delimiter = ',', default_value = "sha256")]
    pub algorithms: Vec<String>,
    /// Walk directories.
    #[arg(short, long)]
    pub recursive: bool,
    /// Read paths from a file, one per line (- is standard input).
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// Paths in --files-from end with NUL, not with a line feed.
    #[arg(short = '0', long, requires = "files_from")]
    pub null: bool,
    /// The RAM table: bytes that may be read ahead of hashing. A bare number counts MiB.
    #[arg(short, long, value_name = "SIZE", value_parser = size::parse_memory)]
    pub memory: Option<u64>,
    /// Threads that hash [default: one per processor].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Threads that read ahead [default: three per thread].
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1024))]
    pub prefetchers: Option<u16>,
    /// Who reads and who hashes.
    #[arg(long, value_enum, default_value = "adaptive")]
    pub mode: Mode,
    /// How small files are read.
    #[arg(long, value_enum, default_value = "auto")]
    pub io: Io,
    /// In which order files are read; the output keeps the order of the paths.
    #[arg(long, value_enum, default_value = "path")]
    pub order: Order,
    /// sums, bsd, hashdeep, dfxml, jsonl or csv.
    #[arg(short, long, value_name = "FORMAT", default_value = "sums")]
    pub format: String,
    /// End records with NUL and escape no names (sums and bsd).
    #[arg(short, long)]
    pub zero: bool,
    /// Write to a file that appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Digests of every window of SIZE bytes, too (hashdeep, dfxml, jsonl).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub piecewise: Option<u64>,
    /// Take only files that match; a pattern without / looks at the last component.
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Leave out files and directories that match.
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Leave out smaller files.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub min_size: Option<u64>,
    /// Leave out larger files.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub max_size: Option<u64>,
    /// Stay on the file system of each operand.
    #[arg(short = 'x', long)]
    pub one_file_system: bool,
    /// Follow symbolic links while walking.
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Read FIFOs and devices among the operands.
    #[arg(long)]
    pub special: bool,
    /// Try a failed read again N times.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub retries: u32,
    /// Give up on a read that does not come back within SECONDS; the other files go on.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    pub stall_timeout: u64,
    /// No progress on standard error.
    #[arg(long)]
    pub no_progress: bool,
    /// Print where the time went, on standard error.
    #[arg(long, value_enum, value_name = "FORM")]
    pub stats: Option<StatsForm>,
}
