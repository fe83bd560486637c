//! Container images: in a compressed tar, which is unpacked once because layers come in any order, and
//! in a layout that is a directory.

use super::{Expanding, Found, LAYERED};
use crate::about::refused;
use crate::clock::{Clock, Timed};
use crate::layouts::{self, below};
use crate::medium::{Unpacked, Watch};
use crate::name;
use crate::outer::Outer;
use crate::spool::Spool;
use pfh_source::Entry;
use pfh_volume::Bytes;
use pfh_volume::archive::{self, Format, LayoutFile, Limits};
use std::sync::Arc;

impl Expanding {
    /// The tar in a compressed stream that may hold container images, and `true`; any other bytes as
    /// they are. Where the tar cannot be kept, the stream is read in order as any other, and a
    /// problem says that its images are missing.
    pub(super) fn unpacked_images(
        &mut self,
        format: Format,
        bytes: Arc<dyn Bytes>,
        prefix: &[u8],
        limits: &Limits,
    ) -> (Arc<dyn Bytes>, bool) {
        let Some(reader) = archive::packed_images(format, &bytes, limits) else { return (bytes, false) };
        let most = limits.nested.min(limits.most(bytes.size()));
        let clock = self.clock.clone();
        let timed = Timed { reader, clock: clock.clone() };
        let why = match clock.during(|| Spool::fill(&self.stock, timed, most)) {
            Ok(Some(spool)) => return (Arc::new(Unpacked(Arc::new(spool))), true),
            Ok(None) => format!("the tar has more than {most} bytes when it is unpacked: decompress it first"),
            Err(error) => error.to_string(),
        };
        let why = format!("the tar may hold container images, which are not read: {why}");
        self.found.push_back(Found::Problem(prefix.to_vec(), refused(why)));
        (bytes, false)
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
        let limits = Limits { hidden: self.options.deleted, ..self.options.limits.clone() };
        let nodes = archive::open_layout(bytes.clone(), files, &limits);
        self.enter_nodes(nodes, LAYERED, (bytes, watch, depth), printed);
    }

    /// Goes into a file of a layout whose index is not an input.
    pub(super) fn enter_alone(&mut self, entry: &Entry) {
        self.clock = Clock::new(self.options.time);
        self.outer_name = entry.name();
        let path = below(&self.root, entry.name());
        let outer = match layouts::is_mark(&path) {
            true => Outer::of_layout(&path),
            false => Outer::of(entry, &self.root, self.images, &self.options),
        };
        self.enter_outer(outer, &name::escape(&entry.name()));
    }
}
