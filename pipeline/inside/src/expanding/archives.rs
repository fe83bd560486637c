//! Going into archives. Container images in a compressed tar are unpacked once, because layers come
//! in any order; those in a directory are behind the index of their layout.

use super::{Expanding, LAYERED, UnnumberedEntry};
use crate::about::unopened;
use crate::clock::{Clock, TimedReader};
use crate::layouts::{self, below};
use crate::level::Level;
use crate::medium::{SpooledMedium, Watch};
use crate::name;
use crate::outer::Outer;
use crate::spool::Spool;
use pfh_archive::{self as archive, Format, Hands, LayoutFile, Limits};
use pfh_source::{Entry, Inside};
use pfh_volume::{Bytes, Nodes};
use std::sync::Arc;

/// The images in a compressed tar.
enum PackedTar {
    /// It is not one, or begins with members that no image has.
    None,
    /// The tar, unpacked.
    Tar(Arc<dyn Bytes>),
    /// It cannot be unpacked, for this reason: it is read in order.
    Lost(String),
}

impl Expanding {
    /// Goes into an archive, in one file or in parts that begin there.
    pub(super) fn enter_archive(
        &mut self,
        format: Format,
        parts: &[u64],
        mut bytes: Arc<dyn Bytes>,
        printed: &[u8],
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        let prefix = name::prefix(printed);
        let limits = &self.limits();
        let opened = match (parts, self.unpack_images(format, &bytes, limits)) {
            (_, PackedTar::Tar(tar)) => {
                bytes = tar;
                Ok(archive::open_unpacked(bytes.clone(), limits))
            }
            (_, PackedTar::Lost(why)) => {
                archive::open(format, bytes.clone(), printed, limits).map(|nodes| archive::without_images(nodes, why))
            }
            ([_], PackedTar::None) => archive::open(format, bytes.clone(), printed, limits),
            (_, PackedTar::None) => archive::open_parts(format, bytes.clone(), parts, limits),
        };
        match opened {
            Ok(nodes) => self.enter_nodes(nodes, format.name(), (bytes, watch, depth), printed),
            Err(failure) => self.found.push_back(UnnumberedEntry::Problem(prefix, unopened(failure.to_string()))),
        }
    }

    /// The limits of archives, with the threads that decode.
    fn limits(&mut self) -> Limits {
        let crew = self.decoders().map(|decoders| Hands::of(decoders)).unwrap_or_default();
        Limits { crew, ..self.options.of_archives() }
    }

    /// Goes into the members of an archive.
    fn enter_nodes(
        &mut self,
        nodes: Nodes,
        kind: &'static str,
        (bytes, watch, depth): (Arc<dyn Bytes>, &Arc<Watch>, u32),
        printed: &[u8],
    ) {
        let about = Inside { container: printed.to_vec(), kind, ..Inside::default() };
        let behind = (bytes, watch.clone(), self.clock.clone());
        let level = Level::new(name::prefix(printed), self.listed(nodes), about, behind, depth);
        self.stack.push(Level { is_archive: true, ..level });
    }

    /// Unpacks a compressed tar that may hold container images.
    fn unpack_images(&self, format: Format, bytes: &Arc<dyn Bytes>, limits: &Limits) -> PackedTar {
        let Some(reader) = archive::packed_images(format, bytes, limits) else { return PackedTar::None };
        let most = limits.nested.min(limits.most(bytes.size()));
        let timed = TimedReader { reader, clock: self.clock.clone() };
        match self.clock.during(|| Spool::fill(&self.stock, timed, most)) {
            Ok(Some(spool)) => PackedTar::Tar(Arc::new(SpooledMedium(Arc::new(spool)))),
            Ok(None) => {
                PackedTar::Lost(format!("it has more than {most} bytes when it is unpacked: decompress it first"))
            }
            Err(error) => PackedTar::Lost(error.to_string()),
        }
    }

    /// Goes into the images of a layout.
    pub(super) fn enter_layout(
        &mut self,
        files: &[LayoutFile],
        bytes: Arc<dyn Bytes>,
        printed: &[u8],
        watch: &Arc<Watch>,
        depth: u32,
    ) {
        let limits = self.limits();
        let nodes = archive::open_layout(bytes.clone(), files, &limits);
        self.enter_nodes(nodes, LAYERED, (bytes, watch, depth), printed);
    }

    /// Goes into a file of a layout whose index is not an input.
    pub(super) fn enter_alone(&mut self, entry: &Entry) {
        self.clock = Clock::new(self.options.time);
        self.outer_name = entry.name();
        let (path, decoders) = (below(&self.root, entry.name()), self.decoders());
        let outer = match layouts::is_mark(&path) {
            true => Outer::of_layout(&path),
            false => Outer::of(entry, &self.root, self.images, &self.options, decoders.as_ref()),
        };
        self.enter_outer(outer, &name::escape(&entry.name()));
    }
}
