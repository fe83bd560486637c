//! A member by its name.

use super::near::NearestNames;
use super::problem::Problem;
use super::request::{Part, Request};
use crate::job::Error;
use pfh_engine::Control;
use pfh_inside::Expanding;
use pfh_source::{Cause, Descend, Extent, Inside, Item, Object, Operands, Origin, Skip, Source, Stage};
use std::fmt;
use std::io::Read;
use std::sync::Arc;

/// Names that are looked at for the nearest ones, at most.
const LOOKED_AT: usize = 200_000;

/// A member that was found.
pub struct FoundMember {
    /// Its name; with `!slack` if that was asked for.
    pub name: Vec<u8>,
    /// How many bytes there are; `None` if only reading finds it out.
    pub size: Option<u64>,
    /// The container's statements about it.
    pub inside: Arc<Inside>,
    /// Problems of containers that it is in, which did not keep it from being found.
    pub beside: Vec<(Vec<u8>, pfh_source::Problem)>,
    part: Part,
    object: Arc<dyn Object>,
}

impl FoundMember {
    /// Where a run lies on the medium, in bytes, if its volume does.
    pub fn on_medium(&self, run: &Extent) -> Option<u64> {
        self.inside.volume_offset?.checked_add(run.offset?)
    }
}

impl fmt::Debug for FoundMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found").field("name", &self.name).field("size", &self.size).finish_non_exhaustive()
    }
}

impl FoundMember {
    /// Where its bytes lie, in order of the file; `None` where they are not stored as they are:
    /// compressed, or in metadata. Offsets are those of the volume, or of the archive.
    pub fn runs(&self) -> Option<Vec<Extent>> {
        self.object.runs()
    }

    /// Opens its bytes for one read to their end. An error of a read holds a
    /// [`Problem`](pfh_source::Problem).
    ///
    /// # Errors
    /// When it cannot be opened, or has no stored bytes of its own and these are asked for.
    pub fn open(&self) -> Result<Box<dyn Read + Send>, Error> {
        let unread = |problem| Error::input(Problem::Unread { name: self.name.clone(), bytes: 0, problem });
        match self.part {
            Part::Content | Part::Slack => self.object.open().map_err(unread),
            Part::Stored => {
                let stored = self.object.stored().map_err(unread)?;
                stored.ok_or_else(|| Error::input(Problem::NotStored(self.name.clone())))
            }
        }
    }
}

/// Finds on the way through a container.
#[derive(Default)]
struct MemberFinder {
    /// Members of the name.
    members: Vec<(Arc<dyn Object>, Arc<Inside>)>,
    /// Others of the name, in archives: a second member is not given out.
    seconds: usize,
    skipped: Option<Skip>,
    /// Slack of the name.
    slack: Vec<(Arc<dyn Object>, Arc<Inside>)>,
    problems: Vec<(Vec<u8>, pfh_source::Problem)>,
}

/// Finds the member that a request names. Its container is listed to the end: a second member of
/// the name is found as well.
///
/// # Errors
/// When no member has the name or several have it, when it has no bytes, or a container that it
/// is in cannot be opened.
pub fn find(request: &Request, control: &Control<'_>) -> Result<FoundMember, Error> {
    let media = request.media()?;
    let wanted = &request.name[..];
    let mut options = request.inside.clone();
    options.look_for(wanted);
    options.unallocated |= request.part == Part::Slack;
    options.members = false;
    let source = entering(&media, &options).towards(wanted.to_vec());
    let seen = MemberFinder::of(source, wanted, control)?;
    let mut found = seen.found(request).map_err(|problem| match problem {
        Problem::Missing { name, .. } => Problem::Missing { near: near(&media, &options, wanted), name },
        other => other,
    });
    if request.part == Part::Slack && found.is_ok() {
        found = found.and_then(|file| seen.slack_of(file));
    }
    let mut found = found.map_err(Error::input)?;
    found.beside = seen.problems;
    Ok(found)
}

fn entering(media: &[Vec<u8>], options: &pfh_inside::Options) -> Expanding {
    let outer = Operands::new(media.to_vec(), Descend::default());
    Expanding::new(Box::new(outer), Arc::new(options.clone())).of_media()
}

/// The names nearest to a missing one, deleted ones among them: of the containers on the way to it,
/// then of the outermost alone, whose partition may be mistyped.
fn near(media: &[Vec<u8>], options: &pfh_inside::Options, wanted: &[u8]) -> Vec<Vec<u8>> {
    let mut near = NearestNames::new(wanted);
    let mut options = options.clone();
    options.deleted = true;
    let on_the_way = entering(media, &options).towards(wanted.to_vec());
    options.limits.depth = 1;
    for mut source in [on_the_way, entering(media, &options)] {
        for _ in 0..LOOKED_AT {
            match source.pull() {
                None => break,
                Some(Item::Entry(entry)) => near.see(&entry.name()),
                Some(Item::Skipped { name, .. } | Item::Settled { name, .. } | Item::Problem { name, .. }) => {
                    near.see(&name);
                }
            }
        }
    }
    near.names()
}

impl MemberFinder {
    fn of(mut source: Expanding, wanted: &[u8], control: &Control<'_>) -> Result<MemberFinder, Error> {
        let mut seen = MemberFinder::default();
        let slack = [wanted, b"!slack"].concat();
        while let Some(item) = source.pull() {
            if control.cancel().is_cancelled() {
                return Err(Error::cancelled(Problem::Interrupted(0)));
            }
            match item {
                Item::Entry(entry) => {
                    let Origin::Object { name, object } = &entry.origin else {
                        if let Some(problem) = entry.still().err() {
                            seen.problems.push((entry.name(), problem));
                        }
                        continue;
                    };
                    let Some(inside) = object.inside() else { continue };
                    if **name == *wanted {
                        seen.members.push((object.clone(), inside));
                    } else if **name == *slack && inside.unallocated {
                        seen.slack.push((object.clone(), inside));
                    }
                }
                Item::Skipped { name, skip, .. } if name == wanted => seen.skipped = Some(skip),
                Item::Problem { name, .. } if name == wanted && !seen.members.is_empty() => seen.seconds += 1,
                Item::Problem { name, problem, .. } if wanted.starts_with(&name) => {
                    seen.problems.push((name, problem));
                }
                Item::Skipped { .. } | Item::Settled { .. } | Item::Problem { .. } => {}
            }
        }
        Ok(seen)
    }

    /// The one member of the name.
    fn found(&self, request: &Request) -> Result<FoundMember, Problem> {
        let name = request.name.clone();
        match &self.members[..] {
            [(object, inside)] if self.seconds == 0 => {
                let (size, part) = (object.size_hint(), request.part);
                let (object, inside) = (object.clone(), inside.clone());
                Ok(FoundMember { name, size, inside, beside: Vec::new(), part, object })
            }
            [] => Err(self.why_not(name)),
            all => {
                let others = std::iter::repeat_n(None, self.seconds);
                Err(Problem::Twice { name, ids: all.iter().map(|(_, inside)| inside.id).chain(others).collect() })
            }
        }
    }

    /// Why no member of the name was found: it has no bytes, its container cannot be opened or
    /// read, or it is not there.
    fn why_not(&self, name: Vec<u8>) -> Problem {
        if let Some(skip) = self.skipped {
            return Problem::Skipped { name, skip };
        }
        // Something unopened beside the listed members hides no name in those.
        let is_own = |(prefix, _): &&(Vec<u8>, pfh_source::Problem)| *prefix == name;
        let hides = |(_, problem): &&(Vec<u8>, pfh_source::Problem)| {
            !matches!(problem.cause, Cause::Unopened(_)) || problem.stage != Stage::Walk
        };
        let found = self.problems.iter().find(is_own).or_else(|| self.problems.iter().find(hides));
        match found.or_else(|| self.problems.last()) {
            Some((of, problem)) => Problem::Unopened { name: of.clone(), problem: problem.clone() },
            None => Problem::Missing { name, near: Vec::new() },
        }
    }

    /// The slack of a member that was found.
    fn slack_of(&self, file: FoundMember) -> Result<FoundMember, Problem> {
        let name = [&file.name[..], b"!slack"].concat();
        match &self.slack[..] {
            [(object, inside)] => {
                let (size, object, inside) = (object.size_hint(), object.clone(), inside.clone());
                Ok(FoundMember { name, size, object, inside, ..file })
            }
            [] => Err(Problem::NoSlack { name: file.name.clone(), why: why_no_slack(&file) }),
            all => Err(Problem::Twice { name, ids: all.iter().map(|(_, inside)| inside.id).collect() }),
        }
    }
}

fn why_no_slack(file: &FoundMember) -> &'static str {
    let inside = &file.inside;
    if inside.resident {
        "its bytes are in its metadata"
    } else if inside.compressed {
        "it is compressed"
    } else if inside.deleted {
        "of deleted files it is among the free blocks"
    } else if file.runs().is_none() {
        "it does not lie in blocks of a file system"
    } else {
        "its content ends with its last block"
    }
}
