//! A source that goes into containers.

mod archives;
mod entering;
mod joining;
mod snapshots;

use super::about::{bomb, extents, outline, refused, said, unopened};
use super::clock::Clock;
use super::decoders::Decoders;
use super::detect::{self, Container, ContainerRefusal};
use super::layouts::{self, Layouts, below};
use super::level::{ContainerNames, Level, Next};
use super::medium::{Runs, Watch};
use super::member::{self, Lying, Member, StartedContent, problem};
use super::name;
use super::options::Options;
use super::outer::Outer;
use super::segments::Segments;
use super::spool::Stock;
use super::sweep;
use super::waits::Waits;
use super::way::Way;
use pfh_archive::Format;
use pfh_source::{Entry, FindingId, Inside, Item, Origin, Passage, Problem, Skip, Source, Stage};
use pfh_volume::{Allocation, Bytes, Failure, Kind, Member as System, Node, Scheme};
use std::collections::VecDeque;
use std::sync::Arc;

/// The remark on a medium of unknown content.
const BLANK: &str = "holds no partition table and no file system that is known";
/// The kind of a container image: its files are in the layers that brought them.
const LAYERED: &str = "oci";
const ALONE: &str = "a later segment or volume whose first is not among the inputs";

/// The remark on a second member of a name.
pub const SECOND: &str = "a second member of this name: which one counts differs between programs";

/// An item that has no number yet.
enum UnnumberedEntry {
    Origin(Origin, Option<pfh_source::Stat>),
    Skipped(Vec<u8>, Skip),
    Problem(Vec<u8>, Problem),
}

/// The entries of a source, each container followed by its own entries.
pub struct Expanding {
    outer: Box<dyn Source>,
    options: Arc<Options>,
    /// Whether the source's objects are images by their first files.
    images: bool,
    /// Where the source's relative names start, for images, whose further files are found by name.
    root: Vec<u8>,
    /// Only containers whose names this one begins with are opened.
    wanted: Option<Vec<u8>>,
    segments: Segments,
    /// Layers of container images that are in directories.
    layouts: Layouts,
    /// Media whose other pieces may still come, and the name of the input at hand.
    waits: Waits,
    outer_name: Vec<u8>,
    /// Whether all that the source has is on the way to the name that is wanted.
    are_media: bool,
    stack: Vec<Level>,
    found: VecDeque<UnnumberedEntry>,
    number: u64,
    stock: Arc<Stock>,
    /// Bytes that may still come out of the outermost container at hand.
    allowance: u64,
    /// The time spent on it.
    clock: Arc<Clock>,
    /// If its file systems are read in the order of places: the device that it lies on.
    swept: Option<Option<u64>>,
    /// Threads that decode ahead, once there was something for them.
    decoders: Option<Arc<Decoders>>,
    /// Whether the bytes of the container at hand are decoded as they are read.
    is_decoded: bool,
    /// File systems that were met.
    volumes: u64,
    /// Names that a second member had.
    doubled: Vec<Vec<u8>>,
}

impl Expanding {
    /// Goes into the containers of `outer`.
    pub fn new(outer: Box<dyn Source>, options: Arc<Options>) -> Expanding {
        let (stack, found) = (Vec::new(), VecDeque::new());
        let (stock, root) = (Arc::default(), Vec::new());
        let (images, wanted, number, allowance, clock) = (false, None, 0, 0, Arc::default());
        let (swept, decoders, is_decoded, volumes, doubled) = (None, None, false, 0, Vec::new());
        Expanding {
            outer,
            options,
            images,
            root,
            wanted,
            stack,
            found,
            number,
            segments: Segments::default(),
            layouts: Layouts::default(),
            waits: Waits::default(),
            outer_name: Vec::new(),
            are_media: false,
            stock,
            allowance,
            clock,
            swept,
            decoders,
            is_decoded,
            volumes,
            doubled,
        }
    }

    /// The objects of the source are images, named by their first files.
    #[must_use]
    pub fn of_images(mut self) -> Expanding {
        self.images = true;
        self
    }

    /// Relative names of the source start in this directory.
    #[must_use]
    pub fn below(mut self, root: &[u8]) -> Expanding {
        self.root = root.to_vec();
        self
    }

    /// Opens only the containers on the way to this name.
    #[must_use]
    pub fn towards(mut self, wanted: Vec<u8>) -> Expanding {
        self.wanted = Some(wanted);
        self
    }

    /// The source has the media that the wanted name is in, and nothing else.
    #[must_use]
    pub fn of_media(mut self) -> Expanding {
        self.are_media = true;
        self
    }

    /// The name that is looked for now.
    pub fn head_for(&mut self, wanted: &[u8]) {
        self.wanted = Some(wanted.to_vec());
    }

    /// Whether the container at hand is one stream, whose members are read in order or not at all.
    pub fn is_shared(&self) -> bool {
        self.stack.last().is_some_and(|level| level.last.is_some())
    }

    /// Whether the container at hand is an archive, which may have a name twice.
    pub fn is_archive(&self) -> bool {
        self.stack.last().is_some_and(|level| level.is_archive)
    }

    /// The names that a second member had.
    pub fn doubled(self) -> Vec<Vec<u8>> {
        self.doubled
    }

    fn is_wanted(&self, printed: &[u8]) -> bool {
        self.wanted.as_ref().is_none_or(|wanted| wanted.starts_with(&name::prefix(printed)))
    }

    fn fail(&mut self, name: Vec<u8>, finding: FindingId, cause: impl Into<Box<str>>) {
        self.found.push_back(UnnumberedEntry::Problem(name, refused(finding, cause)));
    }

    /// A container that is not opened.
    fn refuse(&mut self, name: Vec<u8>, refused: ContainerRefusal) {
        let is_problem = refused.is_damaged || !self.options.lenient;
        self.found.push_back(match is_problem {
            true => UnnumberedEntry::Problem(name, unopened(refused.why)),
            false => UnnumberedEntry::Skipped(name, Skip::Unopened),
        });
    }

    /// Goes into an entry of the source.
    fn enter_outer(&mut self, outer: Outer, printed: &[u8]) {
        match outer {
            Outer::File | Outer::Segment(_) | Outer::Part(_) => {}
            Outer::Container(container, bytes, watch) => {
                self.allowance = self.options.limits.most(bytes.size());
                self.is_decoded = bytes.is_decoded();
                self.sweep(&watch);
                self.enter(container, bytes, printed, &watch, 1);
            }
            Outer::Blank => self.found.push_back(UnnumberedEntry::Problem(name::prefix(printed), unopened(BLANK))),
            Outer::Failed(problem) => self.found.push_back(UnnumberedEntry::Problem(name::prefix(printed), problem)),
        }
    }

    /// Decides in which order the container at hand is read.
    fn sweep(&mut self, watch: &Watch) {
        let device = watch.device();
        let is_swept = self.options.places || device.is_some_and(pfh_source::os::is_rotational);
        self.swept = is_swept.then_some(device);
    }

    /// The next step in the innermost container.
    fn step(&mut self) {
        let Some(level) = self.stack.last_mut() else { return };
        let clock = level.clock.clone();
        if let Err(problem) = clock.check() {
            // With all containers that it is in: they share the time.
            let left: Vec<Level> = self.stack.drain(..).collect();
            left.iter().filter(|level| level.is_volume).for_each(|_| self.pass(|| Passage::Out));
            let outermost = left.into_iter().next().map(|level| level.prefix).unwrap_or_default();
            return self
                .found
                .push_back(UnnumberedEntry::Problem(outermost, Problem { stage: Stage::Walk, ..problem }));
        }
        clock.during(|| self.advance());
    }

    /// Takes the next thing of the innermost container.
    fn advance(&mut self) {
        let Some(level) = self.stack.last_mut() else { return };
        match level.next() {
            None => {
                if self.stack.pop().is_some_and(|level| level.is_volume) {
                    self.pass(|| Passage::Out);
                }
            }
            Some(Next::Failure(failure)) => {
                let name = [&level.prefix[..], &name::escape(&failure.path)].concat();
                self.found.push_back(UnnumberedEntry::Problem(name, problem(Stage::Walk, &failure)));
            }
            Some(Next::Volume(number, bytes, start)) => self.volume(number, bytes, start),
            Some(Next::Logical(name, bytes)) => self.logical(&name, bytes),
            Some(Next::System(system)) => self.system(*system),
            Some(Next::Snapshot(snapshot)) => self.snapshot(&snapshot),
            Some(Next::Node(node, begun)) => self.node(&node, begun),
        }
    }

    /// A partition: its file system, or why it is not read. One without a number is the only part
    /// of its medium.
    fn volume(&mut self, number: Option<u32>, bytes: Arc<dyn Bytes>, start: u64) {
        let Some(level) = self.stack.last() else { return };
        let part = number.map_or_else(String::new, |number| format!("p{number}/"));
        let (prefix, watch, depth) = ([&level.prefix[..], part.as_bytes()].concat(), level.watch.clone(), level.depth);
        let volume_offset = level.about.volume_offset.map(|medium| medium + start);
        let about = Inside { partition: number, volume_offset, ..level.about.clone() };
        if self.way(&prefix) == Way::Aside {
            return;
        }
        self.open_volume(bytes, prefix, about, &watch, depth);
    }

    /// A volume out of several pieces: the same, by its name.
    fn logical(&mut self, name: &[u8], bytes: Arc<dyn Bytes>) {
        let Some(level) = self.stack.last() else { return };
        let (watch, depth) = (level.watch.clone(), level.depth);
        let about = Inside { volume_offset: None, ..level.about.clone() };
        // One without a name is all that the medium has.
        let end = if name.is_empty() { &b""[..] } else { b"/" };
        let prefix = [&level.prefix[..], &name::escape(name), end].concat();
        if self.way(&prefix) == Way::Aside {
            return;
        }
        // An array may be divided like a disk. One that leads to itself ends by its depth.
        match pfh_volume::partitions(&bytes) {
            Ok(table) if table.scheme != Scheme::None && depth < self.options.limits.depth => {
                self.enter_medium(table, bytes, prefix, about, &watch, depth + 1);
            }
            _ => self.open_volume(bytes, prefix, about, &watch, depth),
        }
    }

    /// One of several file systems in one space: the same, and its bytes are all of the space.
    fn system(&mut self, system: System) {
        let Some(level) = self.stack.last() else { return };
        let (bytes, watch, depth) = (level.medium.clone(), level.watch.clone(), level.depth);
        let about = level.about.clone();
        let prefix = [&level.prefix[..], &name::escape(&system.name), b"/"].concat();
        if self.wanted.as_ref().is_some_and(|wanted| !wanted.starts_with(&prefix)) {
            return;
        }
        if system.is_snapshot && self.leaves_out(&prefix) {
            return;
        }
        match system.found {
            Ok(found) => self.enter_found(found, bytes, prefix, about, &watch, depth),
            Err(failure) => self.fail_open(prefix, &about, &failure),
        }
    }

    /// A volume that is there and cannot be opened.
    fn fail_open(&mut self, prefix: Vec<u8>, about: &Inside, failure: &Failure) {
        self.pass(|| Passage::Into(Arc::new(outline(&prefix, about))));
        self.found.push_back(UnnumberedEntry::Problem(prefix, unopened(failure.to_string())));
        self.pass(|| Passage::Out);
    }

    fn open_volume(&mut self, bytes: Arc<dyn Bytes>, prefix: Vec<u8>, about: Inside, watch: &Arc<Watch>, depth: u32) {
        match pfh_volume::file_system(bytes.clone()) {
            Ok(found) => self.enter_found(found, bytes, prefix, about, watch, depth),
            Err(failure) => self.fail_open(prefix, &about, &failure),
        }
    }

    fn node(&mut self, node: &Node, begun: Option<StartedContent>) {
        let Some(level) = self.stack.last_mut() else { return };
        let is_unallocated = node.kind == Kind::Unallocated;
        let path = if is_unallocated { name::unallocated(&node.path) } else { name::escape(&node.path) };
        let mut printed = [&level.prefix[..], &path].concat();
        let is_deleted = node.allocation != Allocation::Live;
        if is_deleted {
            printed.extend_from_slice(format!("!deleted-{}", node.id.unwrap_or_default()).as_bytes());
        }
        let last = node.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        let skip = match &node.kind {
            Kind::Directory => return,
            Kind::Link(_) => Some(Skip::Symlink),
            Kind::Special(what) => Some(Skip::Inside(what)),
            _ => None,
        };
        if !self.options.selection.takes(&node.path, last, node.size) {
            return;
        }
        if !is_deleted && !level.is_new(&node.path) {
            self.doubled.push(printed.clone());
            return self.fail(printed, FindingId::InsideTwice, SECOND);
        }
        if let Some(skip) = skip {
            return self.found.push_back(UnnumberedEntry::Skipped(printed, skip));
        }
        let Some(content) = node.content.clone() else {
            if is_deleted {
                return self.fail(printed, FindingId::InsideUnread, "has no content that can be read");
            }
            // As `$Secure` and others of NTFS's own files, whose data are in other attributes.
            let skip = Skip::Inside("a file without content of its own");
            return self.found.push_back(UnnumberedEntry::Skipped(printed, skip));
        };
        if let Some(size) = node.size.filter(|_| level.is_archive) {
            match self.allowance.checked_sub(size) {
                Some(left) => self.allowance = left,
                None => return self.fail(printed, FindingId::InsideBomb, bomb(size)),
            }
        }
        let mut about = said(node, &level.about);
        if let Some(layer) = content.within() {
            // Of a layout in a directory the layer is a file there, and else a member of the tar.
            let front = match level.about.kind == LAYERED {
                true => layouts::directory(&level.about.container),
                false => &level.prefix,
            };
            about.container = [front, &name::escape(layer)].concat();
            (about.kind, about.id) = (LAYERED, None);
        }
        if self.options.runs && !level.is_archive {
            about.runs = extents(&*content);
        }
        let (watch, depth) = (level.watch.clone(), level.depth);
        let clock = level.clock.clone();
        let offset = about.volume_offset.unwrap_or(0);
        let mut member = Member::new(content.clone(), node.size, about, watch.clone(), self.stock.clone(), clock);
        if let (Some(device), ContainerNames::Swept(sweep)) = (self.swept, &level.listed) {
            let offset = offset.saturating_add(sweep::place(&*content));
            member = member.swept(Lying { medium: sweep.number, offset, device }, begun);
        } else if let (Some(decoders), true) = (&self.decoders, self.is_decoded || node.compressed) {
            member = member.ahead(decoders.clone(), begun);
        }
        let member = Arc::new(member);
        if content.is_shared() {
            level.last = Some(member.clone());
        }
        let object = Arc::new(member::Entry(member.clone()));
        let origin = Origin::Object { name: printed.clone().into(), object };
        self.found.push_back(UnnumberedEntry::Origin(origin, None));
        let is_file = !is_deleted && !is_unallocated && !content.is_layer();
        if self.is_wanted(&printed) && is_file && detect::may_be_opened(node) {
            self.open_member(node, &member, printed, &watch, depth);
        }
    }

    /// Goes into a member if that is a container itself.
    fn open_member(&mut self, node: &Node, member: &Arc<Member>, printed: Vec<u8>, watch: &Arc<Watch>, depth: u32) {
        let start = member.start(detect::START);
        let held = node.content.as_ref().and_then(|content| content.bytes());
        let runs = node.content.as_ref().filter(|_| held.is_none()).and_then(|content| content.runs());
        let is_near = held.is_some() || runs.is_some() && node.size.is_some();
        let may_be = detect::may_be(&start, node.size, &node.path, self.options.documents);
        // A member that cannot be read fails as an entry.
        if start.is_empty() || !may_be && !is_near {
            return;
        }
        let Some(level) = self.stack.last() else { return };
        // A message of a store is as deep as the store.
        let depth = if level.about.kind == Format::Mbox.name() { depth } else { depth + 1 };
        let bytes: Arc<dyn Bytes> = match (held, runs, node.size) {
            (Some(held), _, _) => held,
            (None, Some(runs), Some(size)) => {
                member.whole().unwrap_or_else(|| Arc::new(Runs::new(level.medium.clone(), runs, size)))
            }
            _ => match member.unpack(self.options.limits.nested) {
                Ok(Some(bytes)) => bytes,
                Ok(None) => {
                    let most = self.options.limits.nested;
                    return self.fail(
                        name::prefix(&printed),
                        FindingId::InsideUnopened,
                        format!("more than {most} bytes when unpacked: not opened"),
                    );
                }
                // It fails as an entry.
                Err(_) => return,
            },
        };
        match may_be {
            true => self.open_bytes(&start, bytes, &printed, watch, depth),
            false => self.open_found(Ok(detect::anywhere(&start, &bytes)), bytes, &printed, watch, depth),
        }
    }
}

impl Source for Expanding {
    fn pull(&mut self) -> Option<Item> {
        while self.found.is_empty() {
            if !self.stack.is_empty() {
                self.step();
                continue;
            }
            let Some(item) = self.outer.pull() else {
                if self.join() {
                    continue;
                }
                if let Some(entry) = self.layouts.next_alone() {
                    self.enter_alone(&entry);
                    continue;
                }
                let alone = self.segments.next_alone()?;
                let first = alone.first.file_name().unwrap_or_default().to_string_lossy();
                let why = unopened(format!("{ALONE}: not opened; it belongs to {first}"));
                self.found.push_back(UnnumberedEntry::Problem(name::prefix(&alone.name), why));
                continue;
            };
            match item {
                Item::Entry(entry) => {
                    let printed = name::escape(&entry.name());
                    self.segments.first(&entry.name());
                    self.segments.may_be_first(&below(&self.root, entry.name()));
                    self.clock = Clock::new(self.options.time);
                    self.outer_name = entry.name();
                    let decoders = self.decoders();
                    let outer = match self.are_media || self.is_wanted(&printed) {
                        true if self.layouts.keeps(&entry, &self.root) => Outer::File,
                        true => Outer::of(&entry, &self.root, self.images, &self.options, decoders.as_ref()),
                        false => Outer::File,
                    };
                    match &outer {
                        Outer::Segment(first) => self.segments.later(first, &printed),
                        Outer::Part(first) => self.segments.part(first, &printed),
                        Outer::Container(Container::Parts(..), ..) | Outer::Failed(_) => {
                            self.segments.first_of_set(&below(&self.root, entry.name()));
                        }
                        _ => {}
                    }
                    if !(self.options.members && outer.is_entered()) {
                        self.found.push_back(UnnumberedEntry::Origin(entry.origin, entry.stat));
                    }
                    self.enter_outer(outer, &printed);
                }
                Item::Skipped { name, skip, .. } => self.found.push_back(UnnumberedEntry::Skipped(name, skip)),
                Item::Problem { name, problem, .. } => self.found.push_back(UnnumberedEntry::Problem(name, problem)),
                // Nothing was read before.
                Item::Settled { name, .. } => self.found.push_back(UnnumberedEntry::Skipped(name, Skip::Own)),
            }
        }
        let number = self.number;
        self.number += 1;
        Some(match self.found.pop_front()? {
            UnnumberedEntry::Origin(origin, stat) => Item::Entry(Entry { number, origin, stat }),
            UnnumberedEntry::Skipped(name, skip) => Item::Skipped { number, name, skip },
            UnnumberedEntry::Problem(name, problem) => Item::Problem { number, name, problem },
        })
    }
}
