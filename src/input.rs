//! The input of a job of files: operands, lists of names, images of media.
//!
//! ```
//! use pfh::{Input, Recurse};
//! let input = Input::new(["src"]).recurse(Recurse::Yes);
//! assert!(pfh::total(input.source()?, &Default::default()).is_some_and(|(files, _)| files > 1));
//! # Ok::<(), pfh::InputError>(())
//! ```

#[cfg(feature = "inside")]
use crate::inside::Decoding;
use crate::outputs::Outputs;
use pfh_engine::Plan;
use pfh_source::image::{ImageObject, files_of};
use pfh_source::os::handles::AsFd;
use pfh_source::os::names::{OsStrExt, OsStringExt, entered_path};
use pfh_source::os::{HOLDS, STREAMS, wait_readable_once};
use pfh_source::terminal;
use pfh_source::{
    Cause, Descend, Document, Entry, Item, NamedTwice, Object, Operands, Order, OrderedSource, Origin, Paths, Problem,
    Recurse, Separator, Source, Stage, Stream, Streams, is_address, names,
};
#[cfg(feature = "inside")]
use pfh_source::{Hosts, Swept};
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The kind of the operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Content {
    /// Files and directories.
    #[default]
    Files,
    /// Disk images by their first files: the content of the imaged medium is read.
    Images,
}

/// The meaning of the address of a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Addresses {
    /// The object of that key, and all below it.
    #[default]
    Below,
    /// The object of that key alone, of addresses that were listed before: one input for each name.
    Exactly,
    /// Every version of the object of that key, and of all below it.
    Versions,
}

/// A list of further operands.
#[derive(Debug, Clone)]
pub struct NameList {
    /// The file; `-` is standard input.
    pub path: PathBuf,
    /// The end of a name.
    pub separator: Separator,
}

/// Everything that a job reads, in the order in which it is named.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Input {
    /// The operands; `-` is standard input.
    pub paths: Vec<OsString>,
    /// Further operands.
    pub list: Option<NameList>,
    /// Their kind.
    pub content: Content,
    /// How directories are walked, and which files are taken.
    pub descend: Descend,
    /// The meaning of addresses of stores.
    pub addresses: Addresses,
    /// In which order files are read. Records keep the order of the names.
    pub order: Order,
    /// Bytes of the RAM table that [`Order::Balanced`] fills: those of the plan.
    pub table: u64,
    /// How far images and archives among the files are opened; `None` takes them as files alone.
    #[cfg(feature = "inside")]
    pub inside: Option<crate::inside::Options>,
    /// Who decodes images and their contents: the threads and a share of the memory of the plan.
    #[cfg(feature = "inside")]
    pub decoding: Decoding,
}

/// Why nothing can be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// There are no operands.
    #[error("nothing is named")]
    Nothing,
    /// Members of a container come in its order.
    #[error("the order {} is for files: the content of containers is read in their own order, or by extent", .0)]
    Order(&'static str),
    /// An object in a store is named, in which nothing is looked for.
    #[error(
        "{}: an object of a store cannot be looked into: fetch it and give the file",
        terminal::render(.0)
    )]
    InsideOfObject(Vec<u8>),
    /// An object in a store is named, and nothing here speaks with stores.
    #[cfg(not(feature = "remote"))]
    #[error("{}: this build reads no object stores: `cargo install --path tools/cli --features remote` makes one that does", terminal::render(.0))]
    Remote(Vec<u8>),
    /// Streams of files are asked for, which this system has not.
    #[error("alternate data streams are those of Windows: files here have none")]
    NoStreams,
    /// Writers shall be kept out, which this system cannot.
    #[error("only Windows lets a reader keep writers out: read a snapshot instead (LVM, Btrfs, ZFS)")]
    NoHold,
    /// There is no image.
    #[error("an image is read by its name, and none is given")]
    NoImage,
    /// A stream is named twice.
    #[error(transparent)]
    Twice(#[from] NamedTwice),
    /// A list of names that is standard input, or another stream, names that stream.
    #[error(
        "the list of names is {}, and names it too: a stream can be read only once",
        terminal::shown(.0)
    )]
    OwnList(PathBuf),
    /// The list of operands cannot be opened.
    #[error("{}: {error}", terminal::shown(path))]
    List {
        /// The list.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
}

impl Input {
    /// These operands; directories are not walked. On Windows `\` becomes `/`, as in all names
    /// that jobs give.
    pub fn new(paths: impl IntoIterator<Item = impl Into<OsString>>) -> Input {
        Input { paths: paths.into_iter().map(|path| entered_path(path.into())).collect(), ..Input::default() }
    }

    /// Shares the threads and the memory of a plan: a quarter of the memory is for content that is
    /// decoded ahead, where several threads may decode. The rest of the plan.
    #[must_use]
    pub(crate) fn share(&mut self, plan: Plan) -> Plan {
        self.table = plan.memory as u64;
        #[cfg(feature = "inside")]
        if plan.threads > 1 && (self.inside.is_some() || self.content == Content::Images) {
            let memory = plan.memory / 4;
            // Images have decoders of their own beside those of their contents.
            let pools = 1 + usize::from(self.inside.is_some() && self.content == Content::Images);
            let alone = pfh_source::Alone::default();
            self.decoding = Decoding { threads: plan.threads, memory: memory / pools, alone: alone.clone() };
            if let Some(inside) = &mut self.inside {
                inside.decoding = self.decoding.clone();
            }
            return Plan { memory: plan.memory - memory, alone, ..plan };
        }
        plan
    }

    /// How directories are walked.
    #[must_use]
    pub fn recurse(mut self, recurse: Recurse) -> Input {
        self.descend.recurse = recurse;
        self
    }

    /// Whether anything is named.
    pub fn is_named(&self) -> bool {
        !self.paths.is_empty() || self.list.is_some()
    }

    /// Whether everything that is named can be read as it is named: nothing is read but a list of
    /// names in a file. [`source`](Input::source) asks the same; a job that makes something before
    /// asks first.
    ///
    /// # Errors
    /// When nothing is named, a stream is named twice, or the list cannot be opened.
    pub fn check(&self) -> Result<(), InputError> {
        self.streams().map(drop)
    }

    /// The streams that are read, each of them once.
    ///
    /// # Errors
    /// As [`check`](Input::check).
    pub(crate) fn streams(&self) -> Result<Streams, InputError> {
        if !self.is_named() {
            return Err(InputError::Nothing);
        }
        if self.descend.streams && !STREAMS {
            return Err(InputError::NoStreams);
        }
        if self.descend.hold && !HOLDS {
            return Err(InputError::NoHold);
        }
        let mut streams = Streams::default();
        let Some(list) = &self.list else {
            streams.read_all(&self.paths)?;
            return Ok(streams);
        };
        streams.read(&list.path)?;
        streams.read_all(&self.paths)?;
        // A stream gives its names only once.
        if Stream::of(&list.path).is_none() && list.path.is_file() {
            let mut in_list = streams.clone();
            in_list.read_all(names(list.open()?, list.separator).flatten().map(OsString::from_vec))?;
        }
        Ok(streams)
    }

    /// The same, where the request reads these as well: sets, lists, keys.
    ///
    /// # Errors
    /// As [`check`](Input::check).
    pub(crate) fn streams_and<P: AsRef<Path>>(&self, more: impl IntoIterator<Item = P>) -> Result<(), InputError> {
        Ok(self.streams()?.read_all(more)?)
    }

    /// The entries, in the order in which they are read.
    ///
    /// # Errors
    /// When nothing is named, a stream is named twice, or the list cannot be opened.
    pub fn source(&self) -> Result<Box<dyn Source>, InputError> {
        #[cfg(feature = "inside")]
        if let Some(options) = &self.inside {
            return self.expanding(options);
        }
        match self.content {
            Content::Images => self.images(),
            Content::Files => {
                Ok(Box::new(OrderedSource::new(self.operands(EntryFields::Bytes)?, self.order, self.table)))
            }
        }
    }

    /// The entries in the order of their numbers; nothing of them will be read.
    ///
    /// # Errors
    /// As [`source`](Input::source).
    pub(crate) fn listed(&self) -> Result<Box<dyn Source>, InputError> {
        self.operands(EntryFields::Names)
    }

    /// The entries; file systems that are met inside of images are added to these, if there are
    /// any, and their files have the places of their bytes.
    ///
    /// # Errors
    /// As [`source`](Input::source).
    pub(crate) fn source_in(&self, volumes: Option<&Arc<pfh_source::Volumes>>) -> Result<Box<dyn Source>, InputError> {
        #[cfg(feature = "inside")]
        if let (Some(volumes), Some(options)) = (volumes, &self.inside) {
            let mut options = options.clone();
            (options.runs, options.volumes) = (true, Some(volumes.clone()));
            return self.expanding(&options);
        }
        let _ = volumes;
        self.source()
    }

    /// The entries in the order of their numbers, for callers that take them one after the other.
    ///
    /// # Errors
    /// As [`source`](Input::source).
    pub(crate) fn as_found(&self) -> Result<Box<dyn Source>, InputError> {
        #[cfg(feature = "inside")]
        if let Some(options) = &self.inside {
            // Contents are looked at and not read.
            let mut options = options.clone();
            options.decoding = Decoding::default();
            return Ok(Box::new(self.entering(&options)?));
        }
        self.source()
    }

    /// The entries with their members. Members are read in the order of their container, those of
    /// file systems on rotational media in that of their places.
    #[cfg(feature = "inside")]
    fn expanding(&self, options: &crate::inside::Options) -> Result<Box<dyn Source>, InputError> {
        let hosts = if self.order == Order::Extent { Hosts::Swept } else { Hosts::AsFound };
        Ok(Box::new(Swept::new(self.entering(options)?, hosts)))
    }

    /// The same in the order of their numbers.
    #[cfg(feature = "inside")]
    fn entering(&self, options: &crate::inside::Options) -> Result<crate::inside::Expanding, InputError> {
        let places = match self.order {
            Order::Path => false,
            Order::Extent => true,
            Order::Size => return Err(InputError::Order("size")),
            Order::Inode => return Err(InputError::Order("inode")),
            Order::Balanced => return Err(InputError::Order("balanced")),
        };
        if let Some(address) = self.paths.iter().map(|path| path.as_encoded_bytes()).find(|path| is_address(path)) {
            return Err(InputError::InsideOfObject(address.to_vec()));
        }
        let mut options = options.clone();
        (options.selection, options.places) = (self.descend.selection.clone(), places);
        let options = Arc::new(options);
        Ok(match self.content {
            Content::Images => crate::inside::Expanding::new(self.images()?, options).of_images(),
            Content::Files => crate::inside::Expanding::new(self.operands(EntryFields::Bytes)?, options),
        })
    }

    /// Whether images and archives are opened.
    pub fn is_inside(&self) -> bool {
        #[cfg(feature = "inside")]
        return self.inside.is_some();
        #[cfg(not(feature = "inside"))]
        false
    }

    /// The same entries once more, to count how much there is; `None` for names that can be read
    /// only once.
    pub fn again(&self) -> Option<Box<dyn Source>> {
        let listed_twice = self.paths.iter().any(|path| is_address(path.as_encoded_bytes()));
        if self.list.is_some() || self.content == Content::Images || self.is_inside() || listed_twice {
            return None;
        }
        self.operands(EntryFields::Bytes).ok()
    }

    fn images(&self) -> Result<Box<dyn Source>, InputError> {
        if self.paths.is_empty() {
            return Err(InputError::NoImage);
        }
        self.check()?;
        let item = |(number, (path, object)): (usize, (&OsString, Arc<dyn Object>))| {
            let origin = Origin::Object { name: path.as_encoded_bytes().into(), object };
            Item::Entry(Entry { number: number as u64, origin, stat: None })
        };
        let items = self.paths.iter().zip(self.objects()).enumerate().map(item);
        Ok(Box::new(items.collect::<Vec<_>>().into_iter()))
    }

    /// The images by their names, decoded by the threads of the plan.
    fn objects(&self) -> Vec<Arc<dyn Object>> {
        let paths = self.paths.iter().map(PathBuf::from);
        #[cfg(feature = "inside")]
        if self.decoding.threads > 1 {
            return crate::inside::images(paths, &self.decoding)
                .map(|image| Arc::new(image) as Arc<dyn Object>)
                .collect();
        }
        paths.map(|path| Arc::new(ImageObject(path)) as Arc<dyn Object>).collect()
    }

    fn operands(&self, wanted: EntryFields) -> Result<Box<dyn Source>, InputError> {
        let streams = self.streams()?;
        let descend = self.descend.clone();
        let located = |paths| located(paths, descend.clone(), self.addresses, wanted);
        let paths: Vec<Vec<u8>> = self.paths.iter().map(|path| path.clone().into_vec()).collect();
        let Some(list) = &self.list else {
            return match paths.iter().find(|path| is_address(path)) {
                None => Ok(Box::new(Operands::new(paths, descend.clone()))),
                #[cfg(feature = "remote")]
                Some(_) => Ok(located(Box::new(paths.into_iter().map(Ok)))),
                #[cfg(not(feature = "remote"))]
                Some(address) => Err(InputError::Remote(address.clone())),
            };
        };
        let mut open = list.open()?;
        if let Some(stream) = Stream::of(&list.path) {
            list.look_ahead(&stream, &mut open)?;
        }
        let listed = once(names(open, list.separator), streams);
        Ok(located(Box::new(paths.into_iter().map(Ok).chain(listed))))
    }

    /// Names all that is read to the guard of outputs.
    pub fn guard(&self, outputs: &mut Outputs) {
        let list = self.list.as_ref().filter(|list| Stream::of(&list.path).is_none());
        outputs.reads_all(&self.paths).reads_all(list.map(|list| &list.path));
        for path in self.paths.iter().filter(|_| self.content == Content::Images || self.is_inside()) {
            outputs.reads_all(files_of(Path::new(path)));
        }
        #[cfg(feature = "inside")]
        if let Some(inside) = &self.inside {
            outputs.reads_all(inside.keys.paths());
            self.guard_parts(outputs);
        }
        // A list that cannot be read is reported when it is its turn; a pipe is read only once.
        let Some(list) = list.filter(|list| list.path.is_file() && !outputs.is_empty()) else { return };
        if let Ok(open) = std::fs::File::open(&list.path) {
            for name in names(BufReader::new(open), list.separator).flatten().map(OsString::from_vec) {
                if self.is_inside() {
                    outputs.reads_all(files_of(Path::new(&name)));
                }
                outputs.reads(name);
            }
        }
    }

    /// An existing file in a directory that is walked is left out of the input if it is an output,
    /// and may be replaced: but not as a part of an image that is read by its first file there.
    #[cfg(feature = "inside")]
    fn guard_parts(&self, outputs: &mut Outputs) {
        let walked: Vec<PathBuf> = self.paths.iter().filter_map(|path| Path::new(path).canonicalize().ok()).collect();
        for written in outputs.written() {
            let Ok(written) = written.canonicalize() else { continue };
            let Some(directory) = written.parent() else { continue };
            if !walked.iter().any(|path| path.is_dir() && directory.starts_with(path)) {
                continue;
            }
            let beside = std::fs::read_dir(directory).into_iter().flatten().flatten().map(|entry| entry.path());
            for first in beside.filter(|first| first.is_file() && *first != written) {
                let files = files_of(&first);
                let is_part = |file: &PathBuf| file.canonicalize().is_ok_and(|file| file == written);
                if files.iter().any(is_part) {
                    outputs.reads_all(files);
                }
            }
        }
    }
}

impl NameList {
    fn open(&self) -> Result<BufReader<Document>, InputError> {
        let open = Stream::document(&self.path).map_err(|error| InputError::List { path: self.path.clone(), error })?;
        Ok(BufReader::with_capacity(LOOKED_AT, open))
    }

    /// Refuses a list from a stream that names the stream itself, if that is among the first names
    /// that come: nothing has been read then. Later ones are problems of their own (see [`once`]).
    fn look_ahead(&self, stream: &Stream, open: &mut BufReader<Document>) -> Result<(), InputError> {
        // A signal ends the wait; the run notices it, and ends.
        if wait_readable_once(open.get_ref().as_file().as_fd()).is_err() {
            return Ok(());
        }
        let failed = |error| InputError::List { path: self.path.clone(), error };
        let end = if self.separator == Separator::Nul { 0 } else { b'\n' };
        let own = |name: &[u8]| Stream::named(name).is_some_and(|named| named.is(stream));
        if open.fill_buf().map_err(failed)?.split(|byte| *byte == end).any(own) {
            return Err(InputError::OwnList(self.path.clone()));
        }
        Ok(())
    }
}

/// Bytes of a list from a stream that are looked at before anything is read.
const LOOKED_AT: usize = 64 << 10;

/// Names of a list. A stream that has its reader already is a problem, and not read: a second
/// reader would get nothing, or every other piece.
fn once(names: Paths, mut streams: Streams) -> Paths {
    Box::new(names.map(move |name| match name {
        Ok(name) if streams.read(OsStr::from_bytes(&name)).is_err() => {
            Err((name, Problem::new(Stage::Walk, Cause::BadName("is a stream that is read already"))))
        }
        name => name,
    }))
}

/// The fields wanted of the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryFields {
    /// Names and sizes.
    Names,
    /// Their content.
    Bytes,
}

/// Operands; some may be addresses of objects.
#[cfg(feature = "remote")]
fn located(paths: Paths, descend: Descend, addresses: Addresses, wanted: EntryFields) -> Box<dyn Source> {
    let meant = match addresses {
        Addresses::Below => pfh_remote::Meant::Below,
        Addresses::Exactly => pfh_remote::Meant::Exactly,
        Addresses::Versions => pfh_remote::Meant::Versions,
    };
    let located = pfh_remote::LocatedSource::new(paths, descend, meant);
    Box::new(if wanted == EntryFields::Names { located.listing() } else { located })
}

/// The same without stores. An address in a list fails as a file that is not there.
#[cfg(not(feature = "remote"))]
fn located(paths: Paths, descend: Descend, _addresses: Addresses, _wanted: EntryFields) -> Box<dyn Source> {
    Box::new(Operands::from_paths(paths, descend))
}
