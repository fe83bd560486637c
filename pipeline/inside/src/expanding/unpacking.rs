//! Container images in a compressed tar, which is unpacked once: layers come in any order.

use super::Expanding;
use super::Found;
use crate::about::refused;
use crate::clock::Timed;
use crate::medium::Unpacked;
use crate::spool::Spool;
use pfh_volume::Bytes;
use pfh_volume::archive::{self, Format, Limits};
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
}
