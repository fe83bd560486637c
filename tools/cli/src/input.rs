//! What is read: operands, how directories are walked, and which files are taken. Every command that walks flattens this.

use crate::{shown, size};
use clap::{Args, ValueEnum};
use pfh::image::ImageObject;
use pfh::outputs::Outputs;
use pfh::{
    Descend, Entry, Item, Links, Operands, Order, Ordered, Origin, Recurse, Selection, Separator, Source, Special,
};
use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// The files of a directory, and nothing below: the paper's form.
    #[arg(skip)]
    pub flat: bool,
    /// Read paths from a file, one per line (- is standard input).
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// Paths in --files-from end with NUL, not with a line feed.
    #[arg(short = '0', long, requires = "files_from")]
    pub null: bool,
    /// The files are disk images (E01, split or raw, by their first file): hash the content of the imaged medium.
    #[arg(long, conflicts_with_all = ["recursive", "files_from"])]
    pub image: bool,
    /// In which order files are read; the output keeps the order of the paths.
    #[arg(long, value_enum, default_value = "path")]
    pub order: By,
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
}

impl Input {
    /// Whether anything is named.
    pub fn is_named(&self) -> bool {
        !self.paths.is_empty() || self.files_from.is_some()
    }

    /// Everything that is named, in the order asked for.
    ///
    /// # Errors
    /// A sentence for the user: nothing is named, a glob makes no sense, the list cannot be opened.
    pub fn source(&self) -> Result<Box<dyn Source>, String> {
        let order = match self.order {
            By::Path => Order::Path,
            By::Size => Order::Size,
            By::Inode => Order::Inode,
            By::Extent => Order::Extent,
        };
        if self.image {
            return self.images();
        }
        Ok(Box::new(Ordered::new(self.operands()?, order)))
    }

    fn images(&self) -> Result<Box<dyn Source>, String> {
        if self.paths.is_empty() {
            return Err("--image needs the name of an image".into());
        }
        let item = |(number, path): (usize, &OsString)| {
            let name = path.as_encoded_bytes().into();
            let origin = Origin::Object { name, object: Arc::new(ImageObject(PathBuf::from(path))) };
            Item::Entry(Entry { number: number as u64, origin, stat: None })
        };
        Ok(Box::new(self.paths.iter().enumerate().map(item).collect::<Vec<_>>().into_iter()))
    }

    /// Tells the guard of outputs what is read.
    pub fn guard(&self, outputs: &mut Outputs) {
        outputs.reads_all(&self.paths).reads_all(self.files_from.as_ref().filter(|file| *file != Path::new("-")));
        for path in self.paths.iter().filter(|_| self.image) {
            outputs.reads_all(pfh::image::files_of(Path::new(path)));
        }
        // A list that cannot be read is reported when it is its turn; a pipe is read only once.
        let Some(list) = self.files_from.as_ref().filter(|list| list.is_file() && !outputs.is_empty()) else { return };
        let separator = if self.null { Separator::Nul } else { Separator::Line };
        if let Ok(open) = std::fs::File::open(list) {
            let names = pfh::names(io::BufReader::new(open), separator);
            outputs.reads_all(names.flatten().map(OsString::from_vec));
        }
    }

    /// The same once more, for counting how much there is. Names that come from a pipe cannot be read twice.
    pub fn again(&self) -> Option<Box<dyn Source>> {
        if self.files_from.is_some() || self.image {
            None
        } else {
            self.operands().ok().map(|o| Box::new(o) as Box<dyn Source>)
        }
    }

    /// The options that decide which files are there, as a manifest tells them.
    pub fn words(&self) -> Vec<Vec<u8>> {
        let flags = [
            (self.recursive, "-r"),
            (self.follow, "--follow"),
            (self.special, "--special"),
            (self.one_file_system, "--one-file-system"),
            (self.image, "--image"),
            (self.files_from.is_some(), "--files-from"),
        ];
        let mut words: Vec<Vec<u8>> =
            flags.iter().filter(|(set, _)| *set).map(|(_, flag)| flag.as_bytes().to_vec()).collect();
        words.extend(self.files_from.iter().map(|file| file.as_os_str().as_encoded_bytes().to_vec()));
        words
    }

    fn operands(&self) -> Result<Operands, String> {
        if !self.is_named() {
            return Err("nothing is named: give a PATH, - for standard input, or --files-from FILE".into());
        }
        let selection = Selection::new(&self.include, &self.exclude, self.min_size, self.max_size);
        let descend = Descend {
            recurse: match (self.recursive, self.flat) {
                (true, _) => Recurse::Yes,
                (false, true) => Recurse::Flat,
                (false, false) => Recurse::No,
            },
            links: if self.follow { Links::Follow } else { Links::Keep },
            special: if self.special { Special::Read } else { Special::Skip },
            one_file_system: self.one_file_system,
            selection: selection.map_err(|e| e.to_string())?,
        };
        let separator = if self.null { Separator::Nul } else { Separator::Line };
        let paths: Vec<Vec<u8>> = self.paths.iter().map(|path| path.clone().into_vec()).collect();
        let Some(file) = &self.files_from else { return Ok(Operands::new(paths, descend)) };
        let listed = if file == Path::new("-") {
            pfh::names(io::BufReader::new(pfh::Patient(io::stdin())), separator)
        } else {
            let open = pfh::Patient::open(file);
            let open = open.map_err(|e| format!("{}: {e}", shown(file.as_os_str().as_encoded_bytes())))?;
            pfh::names(io::BufReader::new(open), separator)
        };
        Ok(Operands::from_paths(Box::new(paths.into_iter().map(Ok).chain(listed)), descend))
    }
}
