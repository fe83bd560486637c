//! Reading a target back, past the page cache, and comparing it with what was read from the source.

use super::{Error, ImageFormat, To, sectors};
use pfh_engine::imaging::{Follow, Imaged, Imaging, image};
use pfh_engine::{Control, Phase};
use pfh_source::device::{Access, Medium, Stop};
use pfh_source::image::Image;
use pfh_source::os;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// How a target compares.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Compared {
    /// Bytes read back.
    pub bytes: u64,
    /// Whether all digests are those of the image.
    pub digests_agree: bool,
    /// Differing ranges of the image, as (offset, length) in bytes; exact where the source could be read once more, else
    /// whole marks.
    pub differing: Vec<(u64, u64)>,
    /// Ranges of the target that could not be read back.
    pub unreadable: Vec<(u64, u64)>,
}

impl Compared {
    /// Whether the target is the image.
    pub fn is_good(&self) -> bool {
        self.digests_agree && self.differing.is_empty() && self.unreadable.is_empty()
    }

    /// The first differing ranges, a line of `line` for each behind the name, and the number of the others.
    pub fn lines(&self, name: &str, line: impl Fn(u64, u64) -> String) -> Vec<String> {
        let first = self.differing.iter().take(sectors::MOST_LISTED);
        let lines = first.map(|(offset, length)| format!("{name}: {}", line(*offset, *length)));
        lines.chain(sectors::more(&self.differing).map(|more| format!("{name}: {more}"))).collect()
    }
}

/// Opens a target as a medium whose bytes come from below the page cache.
pub(super) fn open(to: &To) -> Result<(Medium, u64), Error> {
    let fail = |error: io::Error| Error::Target { path: to.path.clone(), error };
    let image = |path: PathBuf| -> Result<Medium, Error> {
        let image = Image::open(&path)?;
        image.evict().map_err(fail)?;
        Ok(Medium::image(image))
    };
    match &to.form {
        ImageFormat::Raw { seek, .. } => {
            let path = to.path.as_os_str().as_bytes();
            let file = std::fs::File::open(&to.path).map_err(fail)?;
            os::evict(std::os::fd::AsFd::as_fd(&file)).map_err(|e| fail(e.into()))?;
            let medium = Medium::open(path, Access::Direct)
                .map_err(|problem| Error::Source { path: to.path.clone(), problem })?;
            Ok((medium, *seek))
        }
        ImageFormat::Split(pieces) => {
            let mut name = to.path.as_os_str().to_owned();
            name.push(".");
            name.push(pieces.suffix.of(0, pieces.width).unwrap_or_default());
            Ok((image(name.into())?, 0))
        }
        ImageFormat::E01 { .. } => Ok((image(to.path.clone())?, 0)),
    }
}

/// Reads a target back and compares it with the image. `source` is read again where marks differ, to find the very bytes.
///
/// # Errors
/// When the target cannot be opened or hashed at all.
pub fn compare(
    to: &To,
    imaging: &Imaging,
    imaged: &Imaged,
    source: Option<&Medium>,
    (control, phase): (&Control<'_>, Phase),
) -> Result<Compared, Error> {
    let (medium, seek) = open(to)?;
    let again = Imaging {
        from: seek,
        length: Some(imaged.bytes),
        done: 0,
        done_bad: Vec::new(),
        pad: None,
        piecewise: None,
        policy: Default::default(),
        ..imaging.clone()
    };
    let follow = Follow::new(control, phase);
    let back = image(&medium, None, &again, &mut [], follow).map_err(Error::Imaging)?;
    match back.stopped {
        None => {}
        Some(Stop::Cancelled) => return Err(Error::NotCompared(Stop::Cancelled)),
        Some(stop) => return Err(Error::Target { path: to.path.clone(), error: io::Error::other(stop) }),
    }
    let mut differing = Vec::new();
    let marks = imaged.marks.len().max(back.marks.len());
    for at in 0..marks {
        let (ours, theirs) = (imaged.marks.get(at), back.marks.get(at));
        if ours.map(|m| &m.digests) == theirs.map(|m| &m.digests) {
            continue;
        }
        let Some(mark) = ours.or(theirs) else { continue };
        let exact = source.and_then(|source| places(source, imaging.from, &medium, seek, mark.offset, mark.length));
        for (offset, length) in exact.unwrap_or_else(|| vec![(mark.offset, mark.length)]) {
            push(&mut differing, offset, length);
        }
    }
    if back.bytes < imaged.bytes {
        push(&mut differing, back.bytes, imaged.bytes - back.bytes);
    }
    Ok(Compared {
        bytes: back.bytes,
        digests_agree: back.digests == imaged.digests,
        differing,
        unreadable: back.bad.iter().map(|b| (b.offset, b.length)).collect(),
    })
}

fn push(ranges: &mut Vec<(u64, u64)>, offset: u64, length: u64) {
    match ranges.last_mut() {
        Some((start, before)) if *start + *before >= offset => *before = (*before).max(offset + length - *start),
        _ => ranges.push((offset, length)),
    }
}

/// Differing bytes of one mark; `None` where one side cannot be read, or where they agree now.
fn places(a: &Medium, a_from: u64, b: &Medium, b_from: u64, offset: u64, length: u64) -> Option<Vec<(u64, u64)>> {
    let read = |medium: &Medium, from: u64| {
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        let mut done = 0;
        while done < bytes.len() {
            match medium.read_at(&mut bytes[done..], from + offset + done as u64) {
                Ok(n) if n > 0 => done += n,
                _ => return None,
            }
        }
        Some(bytes)
    };
    let (a, b) = (read(a, a_from)?, read(b, b_from)?);
    let mut ranges = Vec::new();
    for (at, _) in a.iter().zip(&b).enumerate().filter(|(_, (a, b))| a != b) {
        push(&mut ranges, offset + at as u64, 1);
    }
    Some(ranges).filter(|ranges| !ranges.is_empty())
}
