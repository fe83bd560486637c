//! The input: operands, how directories are walked, and which files are taken. Every command
//! that walks flattens this.

use crate::exit::Failure;
use crate::session::Session;
use crate::size;
#[cfg(feature = "inside")]
use crate::volume_keys::VolumeKeys;
use clap::{Args, ValueEnum};
#[cfg(feature = "inside")]
use pfh::inside::Snapshots;
use pfh::terminal::render as shown;
use pfh::{Addresses, Content, Descend, Links, NameList, Order, Recurse, Selection, Separator, Special};
use std::ffi::OsString;
use std::path::PathBuf;
#[cfg(feature = "inside")]
use std::sync::Arc;
#[cfg(feature = "inside")]
use std::time::Duration;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum By {
    #[default]
    /// Byte order of the paths.
    Path,
    /// Largest first.
    Size,
    /// By inode number.
    Inode,
    /// By place on the medium (FIEMAP): for rotational disks.
    Extent,
    /// Fill the table of -m bytes with the next file and the largest that fit (the paper's Listing
    /// 3), for comparison with the paper: as files enter the table in parts, it saves no waits.
    Balanced,
}

impl From<By> for Order {
    fn from(by: By) -> Order {
        match by {
            By::Path => Order::Path,
            By::Size => Order::Size,
            By::Inode => Order::Inode,
            By::Extent => Order::Extent,
            By::Balanced => Order::Balanced,
        }
    }
}

/// Whether containers that are recognised but not read are errors.
#[cfg(feature = "inside")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Opening {
    /// Each is an error, and the exit code 3.
    #[default]
    Strict,
    /// Those of formats that are not read are skipped; damaged ones stay errors.
    Lenient,
}

/// Why `--versions` is refused.
pub const NO_VERSIONS: &str = "--versions is of objects in stores: give the address of some";

/// How far containers are opened.
#[cfg(feature = "inside")]
#[derive(Debug, Clone, Default, Args)]
pub struct Inside {
    /// Also files inside images (E01, Ex01, AFF4, VHD, VMDK, QCOW2, DMG …), file systems and
    /// archives (zip, tar, 7z, cpio, deb, rpm, gzip, xz, zstd …), each as an entry such as
    /// `case.E01!/p2/Users/a.zip!/b.doc`. A container that cannot be opened is an error (strict,
    /// the default); lenient skips unsupported formats (ARJ, ReFS …).
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "strict", hide_possible_values = true)]
    pub inside: Option<Opening>,
    /// Depth of nested containers: 1 opens the given files, but no archive in them [default: 3].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub depth: Option<u32>,
    /// Also deleted files whose content still exists, as name!deleted-INODE.
    #[arg(long)]
    pub deleted: bool,
    /// Also unallocated space: free blocks and gaps between partitions as OFFSET!unallocated, the
    /// rest of a file's last block as name!slack.
    #[arg(long)]
    pub unallocated: bool,
    /// Also the streams of PDFs, decoded: pictures, contents of pages, fonts, embedded files, as
    /// `a.pdf!/obj-12-image`. `compare` always opens PDFs.
    #[arg(long)]
    pub documents: bool,
    /// Leave out snapshots (shadow copies of NTFS as p2@1/, snapshots of APFS and Btrfs): each is
    /// named as skipped.
    #[arg(long)]
    pub no_snapshots: bool,
    /// Of shadow copies only files that differ from the live volume: by name, inode, size, times
    /// but the last access, or by content, which is the same where it has the same bytes in the
    /// same places of the volume.
    #[arg(long, conflicts_with = "no_snapshots")]
    pub only_changed: bool,
    /// Also members of zips whose central directory is lost or contradicts itself, by their local
    /// headers, as name!salvaged-OFFSET.
    #[arg(long)]
    pub salvage: bool,
    /// Only members, not the outer images and archives; nested archives still get a record. Of an
    /// image, only the parts with files are read.
    #[arg(long)]
    pub members: bool,
    /// Treat the files as raw media, even if their bytes look like an image format.
    #[arg(long)]
    pub raw: bool,
    /// Keys of encrypted volumes.
    #[command(flatten)]
    pub keys: VolumeKeys,
    /// Abandon a container, with its members, after SECONDS [default: no limit].
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub container_timeout: Option<u64>,
    /// Let a container expand to SIZE beyond 1,100 times its own size [default: 16GiB]; more is an
    /// error (a bomb).
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub expand: Option<u64>,
    /// Do not enter the kernel's sandbox, which allows writing to the outputs only.
    #[arg(long)]
    pub no_sandbox: bool,
}

#[cfg(feature = "inside")]
impl Inside {
    /// The options of the job; `None` without `--inside`.
    ///
    /// # Errors
    /// When it is not given, and one of its bounds is.
    pub fn asked(&self) -> Result<Option<pfh::inside::Options>, Failure> {
        if self.inside.is_none() && self.is_bounded() {
            return Err(Failure::usage(
                "--depth, --deleted, --unallocated, --documents, --no-snapshots, --only-changed, --salvage, --members, --raw, --passwords, --ask-password, --volume-key, --container-timeout and --expand say how --inside is done: add --inside",
            ));
        }
        self.inside.map(|_| self.options()).transpose()
    }

    /// Whether any of these options is given.
    pub fn is_bounded(&self) -> bool {
        let named = self.deleted || self.unallocated || self.documents || self.members || self.raw;
        let named = named || self.no_snapshots || self.only_changed || self.salvage;
        named
            || self.keys.are_given()
            || self.depth.is_some()
            || self.expand.is_some()
            || self.container_timeout.is_some()
    }

    /// The options, whether or not `--inside` is given.
    ///
    /// # Errors
    /// When keys cannot be read.
    pub fn options(&self) -> Result<pfh::inside::Options, Failure> {
        let mut options = pfh::inside::Options::default();
        (options.deleted, options.unallocated) = (self.deleted, self.unallocated);
        (options.documents, options.members) = (self.documents, self.members);
        options.snapshots = match (self.no_snapshots, self.only_changed) {
            (true, _) => Snapshots::None,
            (_, true) => Snapshots::Changed,
            _ => Snapshots::All,
        };
        options.lenient = self.inside == Some(Opening::Lenient);
        options.raw = self.raw;
        options.time = self.container_timeout.map(Duration::from_secs);
        let limits = &mut options.limits;
        limits.salvage = self.salvage;
        limits.depth = self.depth.unwrap_or(limits.depth);
        limits.bytes = self.expand.unwrap_or(limits.bytes);
        options.keys = Arc::new(self.keys.read()?);
        Ok(options)
    }
}

/// Says which patterns matched nothing: one that is mistyped leaves nothing out, or takes nothing
/// in.
pub fn unmatched(input: &pfh::Input, session: &Session) {
    for pattern in input.descend.selection.unmatched() {
        session.message(format_args!("pattern '{}' matched nothing", shown(pattern.as_bytes())));
    }
}

/// Operands and selection.
#[derive(Debug, Clone, Default, Args)]
pub struct Input {
    /// Files, directories (with -r), or - for standard input.
    #[arg(value_name = "PATH")]
    pub paths: Vec<OsString>,
    /// Walk directories.
    #[arg(short, long)]
    pub recursive: bool,
    /// Read paths from a file, one per line (- is standard input).
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// Paths in --files-from end with NUL, not with a newline.
    #[arg(short = '0', long, requires = "files_from")]
    pub null: bool,
    /// Hash the content of disk images (E01, Ex01, AFF4, VHD, VHDX, VMDK, QCOW2, DMG, split or raw,
    /// by their first file).
    #[arg(long, conflicts_with_all = ["recursive", "files_from"])]
    pub image: bool,
    /// Options for containers.
    #[cfg(feature = "inside")]
    #[command(flatten)]
    pub inside: Inside,
    /// Order of reading; the output keeps the order of the paths.
    #[arg(long, value_enum, default_value = "path")]
    pub order: By,
    /// Only files that match GLOB: by their last component, or, with a /, by the name as printed or
    /// its end below PATH.
    #[arg(long, value_name = "GLOB")]
    pub include: Vec<String>,
    /// Skip files and directories that match GLOB.
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Skip smaller files.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub min_size: Option<u64>,
    /// Skip larger files.
    #[arg(long, value_name = "SIZE", value_parser = size::parse)]
    pub max_size: Option<u64>,
    /// Stay on the file system of each PATH.
    #[arg(short = 'x', long)]
    pub one_file_system: bool,
    /// Follow symbolic links while walking.
    #[arg(short = 'L', long)]
    pub follow: bool,
    /// Also alternate data streams, each as FILE:STREAM (Windows).
    #[arg(long)]
    pub streams: bool,
    /// Keep other programs from writing to a file while it is read (Windows).
    #[arg(long)]
    pub hold: bool,
    /// Every version of an object in a store, as KEY?versionId=ID.
    #[arg(long)]
    pub versions: bool,
    /// Read FIFOs and devices given as PATH.
    #[arg(long)]
    pub special: bool,
}

impl Input {
    /// The input of the job.
    ///
    /// # Errors
    /// When a glob makes no sense.
    pub fn asked(&self) -> Result<pfh::Input, Failure> {
        let selection = Selection::new(&self.include, &self.exclude, self.min_size, self.max_size);
        let mut input = pfh::Input::new(&self.paths);
        let separator = if self.null { Separator::Nul } else { Separator::Line };
        input.list = self.files_from.clone().map(|path| NameList { path, separator });
        input.content = if self.image { Content::Images } else { Content::Files };
        input.order = self.order.into();
        if self.versions {
            if self.files_from.is_none() && !self.paths.iter().any(|path| pfh::is_address(path.as_encoded_bytes())) {
                return Err(Failure::usage(NO_VERSIONS));
            }
            input.addresses = Addresses::Versions;
        }
        #[cfg(feature = "inside")]
        {
            input.inside = self.inside.asked()?;
        }
        input.descend = Descend {
            recurse: if self.recursive { Recurse::Yes } else { Recurse::No },
            links: if self.follow { Links::Follow } else { Links::Keep },
            special: if self.special { Special::Read } else { Special::Skip },
            one_file_system: self.one_file_system,
            streams: self.streams,
            hold: self.hold,
            selection: selection.map_err(Failure::usage)?,
        };
        Ok(input)
    }
}
