//! Going into a container, by its kind.

use super::{BLANK, Expanding, UnnumberedEntry};
use crate::about::{outline, unopened, unread};
use crate::decoders::Decoders;
use crate::detect::{self, Container, ContainerRefusal};
use crate::level::{ContainerNames, Level, Part};
use crate::limit::TOO_DEEP;
use crate::medium::Watch;
use crate::member::problem;
use crate::options::Decoding;
use crate::served::ServedMedium;
use crate::sweep::Sweep;
use crate::waits::{self, Lone, Waiting};
use crate::way::Way;
use crate::window::Window;
use crate::{name, unlock};
use pfh_container::disk;
use pfh_source::{FindingId, Inside, Passage, ShadowFacts, Skip, Stage, Volume};
use pfh_volume::account;
use pfh_volume::{Bytes, Failure, FileSystem, Nodes, Options as Lists, PartitionTable, Usage, VolumeContent, Volumes};
use pfh_volume::{Piece, compose, gap};
use std::sync::Arc;

impl Expanding {
    /// Goes into a member, if its bytes are those of a container.
    pub(super) fn open_bytes(
        &mut self,
        start: &[u8],
        bytes: Arc<dyn Bytes>,
        printed: &[u8],
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        let found = detect::container_or_document(start, &bytes, printed, self.options.documents);
        self.open_found(found, bytes, printed, watch, depth);
    }

    /// Goes into a container that was found, if it is not too deep.
    pub(super) fn open_found(
        &mut self,
        found: Result<Option<Container>, Failure>,
        bytes: Arc<dyn Bytes>,
        printed: &[u8],
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        match found {
            Ok(None) => {}
            Ok(Some(container)) if depth <= self.options.limits.depth => {
                self.enter(container, bytes, printed, watch, depth);
            }
            Ok(Some(_)) => {
                let skip = Skip::Inside(TOO_DEEP);
                self.found.push_back(UnnumberedEntry::Skipped(name::prefix(printed), skip));
            }
            Err(failure) => {
                self.found.push_back(UnnumberedEntry::Problem(name::prefix(printed), unopened(failure.to_string())))
            }
        }
    }

    pub(super) fn enter(
        &mut self,
        container: Container,
        bytes: Arc<dyn Bytes>,
        printed: &[u8],
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        match container {
            Container::Archive(format) => self.enter_archive(format, &[0], bytes, printed, watch, depth),
            Container::Parts(format, starts, faults) => {
                for fault in faults {
                    self.fail(name::prefix(printed), FindingId::InsideUnopened, fault);
                }
                self.enter_archive(format, &starts, bytes, printed, watch, depth);
            }
            Container::Layout(files) => self.enter_layout(&files, bytes, printed, watch, depth),
            Container::Divided(table) => {
                self.enter_residue(&bytes, printed, watch, depth);
                let about = Inside { container: printed.to_vec(), volume_offset: Some(0), ..Inside::default() };
                self.enter_medium(table, bytes, name::prefix(printed), about, watch, depth);
            }
            Container::Volume(found) => {
                self.enter_residue(&bytes, printed, watch, depth);
                let about = Inside { container: printed.to_vec(), volume_offset: Some(0), ..Inside::default() };
                self.enter_found(found, bytes, name::prefix(printed), about, watch, depth);
            }
            Container::Refused(refused) => self.refuse(name::prefix(printed), refused),
            Container::Disk(kind, Err(failure)) => {
                let is_damaged = !matches!(failure, disk::Failure::Refused(_));
                let why = format!("{} image: {failure}", kind.name());
                self.refuse(name::prefix(printed), ContainerRefusal { why, is_damaged });
            }
            Container::Disk(kind, Ok(disk)) => {
                let mut start = [0; 64];
                let is_read = bytes.read_exact_at(0, &mut start).is_ok();
                if let Some(why) = kind.unread_states(&start).filter(|_| is_read) {
                    self.refuse(name::prefix(printed), ContainerRefusal { why, is_damaged: false });
                }
                self.enter_disk(Arc::<dyn disk::Disk>::from(disk), printed, watch, depth);
            }
        }
    }

    /// Puts the bytes of a medium that nothing accounts for behind all its names, if they are to be
    /// salvaged.
    fn enter_residue(&mut self, bytes: &Arc<dyn Bytes>, printed: &[u8], watch: &Arc<Watch>, depth: u32) {
        if !self.options.limits.salvage {
            return;
        }
        let account = match account::medium(bytes) {
            Ok(account) => account,
            Err(failure) => {
                return self
                    .found
                    .push_back(UnnumberedEntry::Problem(printed.to_vec(), problem(Stage::Walk, &failure)));
            }
        };
        let ranges: Vec<_> = account.residue().map(|extent| extent.start..extent.end()).collect();
        if ranges.is_empty() {
            return;
        }
        let medium = bytes.clone();
        let parts = ranges.into_iter().flat_map(move |range| {
            let said = account::said(&*medium, &range).unwrap_or_else(Some).map(Part::Failure);
            said.into_iter().chain([Part::Gap(Box::new(account::residue(&medium, range)))])
        });
        let about = Inside { container: printed.to_vec(), volume_offset: Some(0), ..Inside::default() };
        self.enter_parts(parts, bytes.clone(), name::prefix(printed), about, watch, depth);
    }

    /// Goes into the one disk of an image: partitions or a volume.
    fn enter_disk(&mut self, bytes: Arc<dyn Bytes>, printed: &[u8], watch: &Arc<Watch>, depth: u32) {
        self.is_decoded = true;
        let bytes = ServedMedium::over(bytes, self.decoders().as_ref());
        match detect::medium(&bytes) {
            Ok(Some(container)) => self.enter(container, bytes, printed, watch, depth),
            Ok(None) => self.found.push_back(UnnumberedEntry::Problem(name::prefix(printed), unopened(BLANK))),
            Err(failure) => {
                self.found.push_back(UnnumberedEntry::Problem(name::prefix(printed), unopened(failure.to_string())))
            }
        }
    }

    pub(super) fn enter_medium(
        &mut self,
        table: PartitionTable,
        bytes: Arc<dyn Bytes>,
        prefix: Vec<u8>,
        about: Inside,
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        let mut pieces = Vec::new();
        let mut parts: Vec<Part> = table.warnings.into_iter().map(Part::Failure).collect();
        for partition in table.partitions {
            parts.push(match partition.usage {
                Usage::Partition => match partition.open(&bytes) {
                    Ok(volume) => {
                        let label = partition.number.map_or_else(String::new, |number| format!("p{number}"));
                        let (number, start) = (partition.number, partition.start);
                        match Piece::of(label.as_bytes(), &volume) {
                            Some(piece) => {
                                let free = self.options.unallocated.then(|| pfh_volume::free_extents(&volume));
                                parts.extend(free.into_iter().flatten().map(|free| {
                                    Part::Gap(Box::new(gap(&bytes, start + free.start..start + free.end)))
                                }));
                                pieces.push(Lone { piece, number, bytes: volume, start });
                                continue;
                            }
                            None => Part::Volume(number, volume, start),
                        }
                    }
                    Err(failure) => Part::Failure(failure),
                },
                Usage::Unallocated if self.options.unallocated => {
                    let end = partition.start.saturating_add(partition.length).min(bytes.size());
                    Part::Gap(Box::new(gap(&bytes, partition.start.min(end)..end)))
                }
                _ => continue,
            });
        }
        let found = compose(&pieces.iter().map(|part| part.piece.clone()).collect::<Vec<_>>());
        if found.is_complete || depth > 1 {
            parts.extend(waits::parts(found, &pieces));
        } else {
            // The others may be among the inputs that come.
            let (name, medium) = (self.outer_name.clone(), bytes.clone());
            let (prefix, about, watch) = (prefix.clone(), about.clone(), watch.clone());
            self.waits.add(Waiting { prefix, name, about, medium, watch, pieces });
        }
        self.enter_parts(parts.into_iter(), bytes, prefix, about, watch, depth);
    }

    /// Goes into the parts of some bytes.
    pub(super) fn enter_parts(
        &mut self,
        parts: impl Iterator<Item = Part> + Send + 'static,
        bytes: Arc<dyn Bytes>,
        prefix: Vec<u8>,
        about: Inside,
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        let behind = (bytes, watch.clone(), self.clock.clone());
        self.stack.push(Level::new(prefix, ContainerNames::Parts(Box::new(parts)), about, behind, depth));
    }

    /// Goes into a volume, by its contents.
    pub(super) fn enter_found(
        &mut self,
        found: VolumeContent,
        bytes: Arc<dyn Bytes>,
        prefix: Vec<u8>,
        about: Inside,
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        let format = match found {
            VolumeContent::FileSystem(system) => {
                return self.enter_volume(&system, bytes, prefix, about, watch, depth);
            }
            VolumeContent::Volumes(volumes) => {
                return self.enter_volumes(volumes, bytes, prefix, about, watch, depth);
            }
            VolumeContent::Locked(locked) => {
                return match unlock::open_locked(&locked, &bytes, &self.options.keys) {
                    Ok(found) => self.enter_found(found, bytes, prefix, about, watch, depth),
                    Err(refused) => self.fail_volume(prefix, &about, refused),
                };
            }
            VolumeContent::Encrypted(format) => format,
            other => return self.fail_volume(prefix, &about, unread(&other)),
        };
        let opened = match unlock::open(format, &bytes, &self.options.keys) {
            Ok(opened) => opened,
            Err(refused) => return self.fail_volume(prefix, &about, refused),
        };
        for warning in &opened.warnings {
            self.found.push_back(UnnumberedEntry::Problem(prefix.clone(), unopened(warning.to_string())));
        }
        self.is_decoded = true;
        // Places in it are not places on the medium.
        let about = Inside { volume_offset: None, ..about };
        let bytes = ServedMedium::over(opened.bytes, self.decoders().as_ref());
        match detect::medium(&bytes) {
            Ok(Some(Container::Divided(table))) => {
                self.enter_medium(table, bytes, prefix, about, watch, depth);
            }
            Ok(Some(Container::Volume(VolumeContent::FileSystem(system)))) => {
                self.enter_volume(&system, bytes, prefix, about, watch, depth);
            }
            Ok(Some(Container::Volume(VolumeContent::Volumes(volumes)))) => {
                self.enter_volumes(volumes, bytes, prefix, about, watch, depth);
            }
            Ok(Some(Container::Volume(other))) => self.fail_volume(prefix, &about, unread(&other)),
            Ok(_) => self.found.push_back(UnnumberedEntry::Problem(prefix, unopened(BLANK))),
            Err(failure) => self.found.push_back(UnnumberedEntry::Problem(prefix, unopened(failure.to_string()))),
        }
    }

    /// Goes into a space of several file systems.
    fn enter_volumes(
        &mut self,
        volumes: Volumes,
        bytes: Arc<dyn Bytes>,
        prefix: Vec<u8>,
        about: Inside,
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        for warning in &volumes.warnings {
            self.found.push_back(UnnumberedEntry::Problem(prefix.clone(), problem(Stage::Walk, warning)));
        }
        let free = self.options.unallocated.then(|| volumes.unallocated()).into_iter().flatten();
        let free = free.map(|found| match found {
            Ok(node) => Part::Gap(Box::new(node)),
            Err(failure) => Part::Failure(failure),
        });
        let parts = volumes.members.into_iter().map(|member| Part::System(Box::new(member))).chain(free);
        self.enter_parts(parts, bytes, prefix, about, watch, depth);
    }

    pub(super) fn enter_volume(
        &mut self,
        system: &FileSystem,
        bytes: Arc<dyn Bytes>,
        prefix: Vec<u8>,
        about: Inside,
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        // Older states come behind the names of today.
        let older: Vec<Part> =
            system.snapshots.iter().map(|snapshot| Part::Snapshot(Box::new(snapshot.clone()))).collect();
        if !older.is_empty() {
            self.enter_parts(older.into_iter(), bytes.clone(), prefix.clone(), about.clone(), watch, depth);
        }
        if self.way(&prefix) == Way::Snapshot {
            return;
        }
        let (deleted, unallocated) = (self.options.deleted, self.options.unallocated);
        let nodes = system.nodes(Lists { deleted, unallocated });
        self.enter_names(system, nodes, None, (bytes, watch, depth), prefix, about);
    }

    /// Goes into a file system, with these of its names.
    pub(super) fn enter_names(
        &mut self,
        system: &FileSystem,
        nodes: Nodes,
        kept: Option<ShadowFacts>,
        (bytes, watch, depth): (Arc<dyn Bytes>, &Arc<Watch>, u32),
        prefix: Vec<u8>,
        about: Inside,
    ) {
        let allocated_only = !self.options.deleted && !self.options.unallocated;
        self.pass(|| {
            let (kind, block_size, size) = (system.kind, system.block_size, system.size);
            Passage::Into(Arc::new(Volume { kind, block_size, size, allocated_only, kept, ..outline(&prefix, &about) }))
        });
        for warning in &system.warnings {
            self.found.push_back(UnnumberedEntry::Problem(prefix.clone(), problem(Stage::Walk, warning)));
        }
        for what in &system.unread {
            self.refuse(prefix.clone(), ContainerRefusal { why: what.to_string(), is_damaged: false });
        }
        self.volumes += 1;
        let listed = if self.swept.is_some() && self.wanted.is_none() {
            ContainerNames::Swept(Box::new(Sweep::new(nodes, self.volumes, &self.options.selection)))
        } else {
            self.listed(nodes)
        };
        let (about, behind) = (Inside { kind: system.kind, ..about }, (bytes, watch.clone(), self.clock.clone()));
        self.stack.push(Level { is_volume: true, ..Level::new(prefix, listed, about, behind, depth) });
    }

    /// The threads that decode ahead, if several do.
    pub(super) fn decoders(&mut self) -> Option<Arc<Decoders>> {
        let Decoding { threads, memory, ref alone } = self.options.decoding;
        let is_serial = threads < 2 || self.options.time.is_some() || self.wanted.is_some();
        (!is_serial).then(|| self.decoders.get_or_insert_with(|| Decoders::new(threads, memory, alone)).clone())
    }

    /// Names whose contents are decoded ahead, if several threads decode.
    pub(super) fn listed(&mut self, nodes: Nodes) -> ContainerNames {
        let Some(decoders) = self.decoders() else { return ContainerNames::Nodes(nodes) };
        ContainerNames::Ahead(Box::new(Window::new(nodes, &self.options.selection, decoders, self.is_decoded)))
    }

    /// Notes that a file system is gone into or left, in front of the next entry.
    pub(super) fn pass(&self, passage: impl FnOnce() -> Passage) {
        if let Some(volumes) = &self.options.volumes {
            volumes.add(self.number + self.found.len() as u64, passage());
        }
    }

    /// A part of a medium that is not read, with its cause.
    pub(super) fn fail_volume(&mut self, prefix: Vec<u8>, about: &Inside, refused: ContainerRefusal) {
        self.pass(|| Passage::Into(Arc::new(outline(&prefix, about))));
        self.refuse(prefix, refused);
        self.pass(|| Passage::Out);
    }
}
