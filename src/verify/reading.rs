//! Reading the image, each range once.

use super::findings::Findings;
use super::{Problem, Request};
use crate::acquire::{self, Origin, Session, sectors};
use crate::job::Error;
use crate::verdict::Subject;
use pfh_engine::imaging::{Imaging, ImagingResult};
use pfh_engine::{Control, Phase};
use pfh_source::device::{Access, ErrorPolicy};
use pfh_source::image::{Format, Image};
use pfh_source::terminal::shown;
use std::collections::BTreeSet;
use std::path::Path;

/// The input, and the remarks so far.
pub(super) struct Reading<'a> {
    path: &'a Path,
    is_raw: bool,
    is_device: bool,
    /// It is one file, or a device, of the medium's bytes.
    is_plain: bool,
    sector: u32,
    said: BTreeSet<u64>,
}

impl<'a> Reading<'a> {
    /// Of this image.
    pub fn of(request: &Request, path: &'a Path, image: &Image, is_device: bool) -> Self {
        let is_plain = image.format() == Format::Raw;
        Reading { path, is_raw: request.raw, is_device, is_plain, sector: image.sector(), said: BTreeSet::new() }
    }

    /// Reads a range; `None` if the reason why it could not be read is among the findings. The
    /// number counts unreadable bytes other than those in damaged parts of the image.
    ///
    /// # Errors
    /// When the control cancels it.
    pub fn range(
        &mut self,
        (offset, length): (u64, u64),
        imaging: &Imaging,
        findings: &mut Findings,
        control: &Control<'_>,
    ) -> Result<Option<(ImagingResult, u64)>, Error> {
        let mut imaging = Imaging { from: offset, length: Some(length), ..imaging.clone() };
        imaging.policy = ErrorPolicy { retries: 0, ..ErrorPolicy::default() };
        // Chunks are decoded by as many as there are processors; plain bytes are read by one.
        imaging.readers = usize::from(self.is_raw || self.is_plain);
        // Through the page cache one bad sector costs its page.
        let access = if self.is_device { Access::Direct } else { Access::Cached };
        let mut found = self.read(&imaging, access, findings, control)?;
        let is_bad = found.as_ref().is_some_and(|imaged| !imaged.bad.is_empty());
        if is_bad && self.is_plain && access == Access::Cached {
            found = self.read(&imaging, Access::Direct, findings, control)?;
        }
        let Some(imaged) = found else { return Ok(None) };
        let unread = self.unreadable(&imaged, offset, findings);
        Ok(Some((imaged, unread)))
    }

    /// Reads a range a second time, past the system's cache where it can; `None` if the reason why
    /// it could not be read is among the findings.
    ///
    /// # Errors
    /// When the control cancels it.
    pub fn second(
        &self,
        (offset, length): (u64, u64),
        imaging: &Imaging,
        findings: &mut Findings,
        control: &Control<'_>,
    ) -> Result<Option<ImagingResult>, Error> {
        let mut imaging = Imaging { from: offset, length: Some(length), ..imaging.clone() };
        imaging.policy = ErrorPolicy { retries: 0, ..ErrorPolicy::default() };
        imaging.readers = usize::from(self.is_raw || self.is_plain);
        self.read(&imaging, Access::Direct, findings, control)
    }

    fn read(
        &self,
        imaging: &Imaging,
        access: Access,
        findings: &mut Findings,
        control: &Control<'_>,
    ) -> Result<Option<ImagingResult>, Error> {
        let path = self.path.to_owned();
        let source = if self.is_raw || self.is_plain { Origin::Medium(path) } else { Origin::Image(path) };
        let asked = acquire::Request::only(source, access);
        let read = |mut session: Session<'_>| session.read(control, Phase::Verifying, &mut |_| Ok(()));
        let imaged = match Session::with(&asked, imaging.clone()).and_then(read) {
            Ok(imaged) => imaged,
            Err(error) => {
                findings.open(error.to_string());
                return Ok(None);
            }
        };
        match imaged.stopped {
            None if control.is_cancelled() => Err(Error::cancelled(Problem::Cancelled)),
            None => Ok(Some(imaged)),
            Some(cause) if control.is_cancelled() => {
                Err(Error::cancelled(Problem::Stopped { bytes: imaged.bytes, cause }))
            }
            Some(cause) => {
                findings.open(format!("stopped after {} bytes: {cause}", imaged.bytes));
                Ok(None)
            }
        }
    }

    /// Enters the runs that could not be read; counts their bytes without those in damaged parts of
    /// the image.
    fn unreadable(&mut self, imaged: &ImagingResult, from: u64, findings: &mut Findings) -> u64 {
        let again = if imaged.bad.is_empty() { None } else { Image::open(self.path).ok() };
        let mut unread = 0;
        for bad in &imaged.bad {
            let at = from + bad.offset;
            let is_new = self.said.insert(at);
            // Damage of the image is a finding about it; a disk that does not answer is none.
            let damage = again.as_ref().filter(|image| image.is_damaged_at(at)).and_then(Image::damage);
            match damage {
                Some(damage) if is_new => {
                    let place = sectors::range(at, bad.length, self.sector);
                    let by = format!("{} itself", shown(self.path));
                    let what = format!("damaged: {place}: {damage}");
                    findings.contradicts(Subject::Image, "the checksums of the image", &by, what);
                }
                Some(_) => {}
                None => {
                    unread += bad.length;
                    if is_new {
                        let moved = pfh_source::device::Bad { offset: at, ..*bad };
                        findings.open(format!("unreadable: {}", sectors::unreadable(&moved, self.sector)));
                    }
                }
            }
        }
        unread
    }
}
