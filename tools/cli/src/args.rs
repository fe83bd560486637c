//! The command line in its modern form.

#[cfg(feature = "image")]
use crate::acquire::AcquireArgs;
#[cfg(feature = "audit")]
use crate::audit::Audit;
use crate::bag::Bag;
#[cfg(feature = "inside")]
use crate::cat::Cat;
use crate::check::Check;
use crate::compare::Compare;
#[cfg(feature = "image")]
use crate::dd::Dd;
use crate::diff::Diff;
#[cfg(feature = "image")]
use crate::disks::Disks;
use crate::dups::Dups;
use crate::export::Export;
#[cfg(feature = "inside")]
use crate::extract::Extract;
use crate::hash::Hash;
use crate::info::Info;
#[cfg(feature = "known")]
use crate::known::KnownCommand;
#[cfg(feature = "inside")]
use crate::list::List;
#[cfg(feature = "known")]
use crate::lookup::Lookup;
#[cfg(feature = "known")]
use crate::matching::Match;
use crate::plan::{Merge, Plan, Unit};
use crate::report::Report;
use crate::schema::Schema;
#[cfg(feature = "audit")]
use crate::tree::Tree;
#[cfg(feature = "image")]
use crate::verify::Verify;
use clap::{Parser, Subcommand};
use std::path::PathBuf;

/// The sentences of the help on the paper's form.
const TWO_FORMS: &str = "\
The command line of the paper (Breitinger & Petrov) works too. It starts with an option instead of a command, as in
`pfh -c hash -m 256 -d DIR -r`; `pfh -h` alone explains it.

Exit codes: 0 all good; 1 a negative verdict; 2 usage; 3 finished, but some input has no digest; 4 aborted, the output is
incomplete; 128+n ended by signal n.";

/// The line that `git archive` writes into the file: the commit of a source without its history.
const ARCHIVED: &str = include_str!("../commit.txt");

/// The version, the commit if the build knows it, and the parts that a build for other systems than
/// Linux lacks. `make dist` states the commit, and so does the archive of a commit; a build from a
/// checkout has none, so that it need not be made again for each.
fn version() -> String {
    let archived = Some(ARCHIVED.trim()).filter(|commit| !commit.starts_with('$'));
    let commit = option_env!("PFH_COMMIT").filter(|commit| !commit.is_empty()).or(archived);
    let mut version = env!("CARGO_PKG_VERSION").to_owned();
    if let Some(commit) = commit {
        version += &format!(" ({commit})");
    }
    if !pfh::process::DEVICES {
        let layer = if cfg!(windows) { "system layer for Windows" } else { "portable system layer" };
        version += &format!(" ({layer}: no devices; see docs/limitations.md)");
    }
    #[cfg(feature = "inside")]
    {
        version += &format!("\n{}", crate::confinement::words());
    }
    version
}

/// Hash, match and audit large amounts of data at the speed of the hardware; never print a digest
/// of a file that was not read completely.
#[derive(Parser)]
#[command(name = "pfh", version = version(), after_help = TWO_FORMS, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Add the defaults of [profile.NAME] in the file of defaults, ~/.config/pfh/config.toml.
    #[arg(long, global = true, display_order = 1001, value_name = "NAME")]
    pub profile: Option<String>,
    /// Do not read the file of defaults.
    #[arg(long, global = true, display_order = 1002)]
    pub no_config: bool,
    /// Run COMMAND in a shell at the end, with PFH_EXIT, PFH_COMMAND and counts in its environment.
    #[arg(long, global = true, display_order = 1003, value_name = "COMMAND")]
    pub on_finish: Option<String>,
}

/// Whether there is a command of this name.
pub fn is_command(name: &str) -> bool {
    use clap::CommandFactory;
    Cli::command().find_subcommand(name).is_some()
}

#[derive(Subcommand)]
#[command(defer = true)]
pub enum Command {
    /// Hash files and trees, with every algorithm from one read.
    #[command(visible_alias = "sum")]
    Hash(Box<Hash>),
    /// Find every pair of similar files: ssdeep, sdhash, mrsh-v2, TLSH.
    Compare(Box<Compare>),
    #[cfg(feature = "known")]
    /// Look files up in known sets and lists of digests; with --similar in lists of similarity
    /// digests.
    Match(Box<Match>),
    #[cfg(feature = "image")]
    /// List the disks of this machine: model, serial, size, partitions, mounts, write blocks,
    /// encryption.
    Disks(Disks),
    #[cfg(feature = "image")]
    /// Acquire a disk, a file or standard input into raw, split or E01 images, hashed on the way.
    Acquire(Box<AcquireArgs>),
    #[cfg(feature = "image")]
    /// Copy with the operands of dd and its forensic kin, hashed on the way.
    Dd(Dd),
    #[cfg(feature = "image")]
    /// Check an image, and the log of its acquisition.
    Verify(Box<Verify>),
    /// Verify files by a manifest, or audit a whole tree.
    Check(Box<Check>),
    /// List the differences of two directories, two manifests, or one of each.
    Diff(Box<Diff>),
    /// Find files and folders of one content, by reading as little as proves it.
    Dups(Box<Dups>),
    /// Make and validate packages with their manifests: BagIt.
    #[command(subcommand)]
    Bag(Box<Bag>),
    /// Show the results of other commands on one page, for a case folder.
    Report(Report),
    /// Write a result as another program reads it: Timesketch, mactime, data frames.
    Export(Export),
    /// Print the JSON Schema of a command's output.
    Schema(Schema),
    /// Plan a run of `hash` in units, for many processes or machines.
    Plan(Box<Plan>),
    /// Carry out one unit of a plan.
    Run(Box<Unit>),
    /// Write the manifest of a plan whose units were carried out: that of one run.
    Merge(Merge),
    #[cfg(feature = "inside")]
    /// List the files in images, file systems and archives: names and metadata.
    List(Box<List>),
    #[cfg(feature = "inside")]
    /// Write the bytes of one file in an image, a file system or an archive.
    Cat(Box<Cat>),
    #[cfg(feature = "inside")]
    /// Write the files in an image, a file system or an archive below a new directory.
    Extract(Box<Extract>),
    /// Show the format, case data and stored digests of an image.
    Info(Info),
    #[cfg(feature = "known")]
    /// Look digests up in known sets: those of --digest, or of standard input.
    Lookup(Lookup),
    #[cfg(feature = "known")]
    /// Compile known sets, and describe them.
    #[command(subcommand)]
    Known(KnownCommand),
    /// List algorithms: length, standing, and the kernel used on this processor.
    #[command(after_help = crate::algorithms::HELP)]
    Algorithms {
        /// List the kernels of each function: tabulated cost, measured cost, and the number of
        /// messages each is used for.
        #[arg(long)]
        measure: bool,
        /// Print one JSON object per line.
        #[arg(long)]
        json: bool,
    },
    #[cfg(feature = "audit")]
    /// Keep a hash tree beside a file: find changes and hash only those again.
    #[command(subcommand, after_help = crate::tree::help::TREE)]
    Tree(Box<Tree>),
    #[cfg(feature = "audit")]
    /// Prove that a storage server still holds the files it was given.
    #[command(subcommand, after_help = crate::audit::help::AUDIT)]
    Audit(Box<Audit>),
    #[cfg(all(feature = "image", feature = "inside"))]
    /// Test pfh on this machine and in a directory: digests, verdicts, the file system, speed.
    Selftest(crate::selftest::Selftest),
    /// Benchmark hash functions and languages; forecast the duration of a case.
    #[command(subcommand)]
    Bench(Box<pfh_bench::args::Bench>),
    /// Print completions for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a directory.
    Man {
        /// The directory.
        directory: PathBuf,
        /// Replace existing files, even if they are not pfh's man pages.
        #[arg(long)]
        force: bool,
    },
}
