//! A record as a tokeniser gathers it, field by field.

use pfh_digest::{Algorithm, Digest, Registry};

use crate::digits;
use crate::entry::{Entry, Fault, Item, Reason, UnhashedEntry};
use crate::others::{algorithm, deep, is_windows_path, windows_name};
use crate::roles::{Role, is_folder, is_of_package};

/// A record whose fields come in any order.
#[derive(Clone, Default)]
pub(crate) struct Draft {
    name: Option<(u8, Vec<u8>)>,
    exact: Option<Vec<u8>>,
    size: Option<u64>,
    algorithm: Option<String>,
    hashes: Vec<Vec<u8>>,
    digests: Vec<Digest>,
    foreign: Vec<Box<str>>,
    fault: Option<Fault>,
    folder: bool,
    /// Whether it is something else that has no content of its own: a link, a device.
    special: bool,
    /// Whether it has a version, as packages have.
    is_package: bool,
    /// The ranks of the names that came, a bit each.
    ranks: u8,
}

/// How names are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// As they are.
    Exact,
    /// `\` separates.
    Windows,
}

impl Draft {
    /// Whether there is a name.
    pub(crate) fn is_named(&self) -> bool {
        self.name.is_some() || self.exact.is_some()
    }

    /// Whether there is a name of this rank.
    pub(crate) fn has_name(&self, rank: u8) -> bool {
        self.ranks >> rank & 1 == 1
    }

    /// Whether there is a digest, known here or not.
    pub(crate) fn has_digest(&self) -> bool {
        !(self.hashes.is_empty() && self.digests.is_empty() && self.foreign.is_empty() && self.fault.is_none())
    }

    /// Whether it has a digest of this algorithm already.
    pub(crate) fn has(&self, algorithm: Algorithm) -> bool {
        self.digests.iter().any(|digest| digest.algorithm() == algorithm)
    }

    /// Takes a field. Empty ones say nothing.
    pub(crate) fn put(&mut self, registry: Registry, role: Role, value: &[u8]) {
        let value = if matches!(role, Role::Name(_)) { value } else { value.trim_ascii() };
        if value.is_empty() {
            return;
        }
        if let Role::Name(rank) = role {
            self.ranks |= 1 << rank;
        }
        match role {
            Role::Name(rank) if self.name.as_ref().is_none_or(|(known, _)| rank < *known) => {
                self.name = Some((rank, value.to_vec()));
            }
            Role::Exact => self.exact = Some(value.to_vec()),
            Role::Size => self.size = size(value),
            Role::Algorithm => self.algorithm = Some(String::from_utf8_lossy(value).into_owned()),
            // `hash: md5`, as DVC has it.
            Role::Hash if str::from_utf8(value).is_ok_and(|text| algorithm(registry, text).is_some()) => {
                self.algorithm = Some(String::from_utf8_lossy(value).into_owned());
            }
            Role::Hash => match deep::several(registry, value) {
                Some(digests) => digests.into_iter().for_each(|(of, digest)| match of {
                    Ok(algorithm) => self.digest(algorithm, digest),
                    Err(name) => self.foreign(name),
                }),
                None => self.hashes.push(value.to_vec()),
            },
            Role::Digest(algorithm) => self.digest(algorithm, value),
            Role::Kind => self.folder |= is_folder(value),
            Role::Mode => {
                self.folder |= matches!(value, [b'4', _, _, _, _] | [b'0', b'4', _, _, _, _]);
                self.special |= value.len() >= 5 && !value.starts_with(b"10") && !self.folder;
            }
            Role::Version => self.is_package = true,
            Role::Name(_) | Role::Folder | Role::Other => {}
        }
    }

    /// Takes a digest. DVC marks those of directories.
    pub(crate) fn digest(&mut self, algorithm: Algorithm, value: &[u8]) {
        if let Some(value) = value.strip_suffix(b".dir")
            && digits::is_digest(value)
        {
            self.folder = true;
            return self.digest(algorithm, value);
        }
        let digest = match digits::digest(algorithm, value) {
            Ok(digest) => Ok(digest),
            Err(fault) => deep::stated_as(algorithm, value).unwrap_or(Err(fault)),
        };
        match digest {
            Ok(digest) => self.digests.push(digest),
            Err(fault) => self.fault = Some(fault),
        }
    }

    /// Notes a digest of an algorithm that is not known here.
    pub(crate) fn foreign(&mut self, name: &str) {
        self.foreign.push(name.into());
    }

    /// Takes another name in place of those so far.
    pub(crate) fn rename(&mut self, name: Vec<u8>) {
        self.name = Some((0, name));
    }

    /// Puts the name below a directory.
    pub(crate) fn below(&mut self, folder: &[u8]) {
        if let Some((_, name)) = self.name.as_mut().filter(|(_, name)| !name.starts_with(b"/")) {
            *name = [folder, b"/", name].concat();
        }
    }

    /// Says that it is a folder.
    pub(crate) fn folder(&mut self) {
        self.folder = true;
    }

    /// Takes the facts of a part of the record.
    pub(crate) fn merge(&mut self, part: Draft) {
        self.name = self.name.take().or(part.name);
        self.exact = self.exact.take().or(part.exact);
        self.size = self.size.or(part.size);
        self.algorithm = self.algorithm.take().or(part.algorithm);
        self.hashes.extend(part.hashes);
        self.digests.extend(part.digests);
        self.foreign.extend(part.foreign);
        self.fault = self.fault.take().or(part.fault);
        self.folder |= part.folder;
        self.special |= part.special;
        self.is_package |= part.is_package;
    }

    /// The record; `None` of one without any fact.
    pub(crate) fn finish(mut self, registry: Registry, candidates: &[Algorithm], names: Names) -> Option<Item> {
        if !self.is_named() && !self.has_digest() {
            return None;
        }
        Some(match self.entry(registry, candidates, names) {
            Ok(item) => item,
            Err(fault) => Item::Fault(fault),
        })
    }

    fn entry(&mut self, registry: Registry, candidates: &[Algorithm], names: Names) -> Result<Item, Fault> {
        if let Some((rank, name)) = &self.name
            && self.is_package
            && str::from_utf8(name).is_ok_and(|name| is_of_package(*rank, name))
        {
            return Err(Fault::NoFile("package"));
        }
        let is_windows = |name: &[u8]| names == Names::Windows || is_windows_path(name);
        let written = |name: Vec<u8>| if is_windows(&name) { windows_name(&name) } else { name };
        let name = match (self.exact.take(), self.name.take()) {
            (Some(exact), shown) => crate::exact::name(&exact, shown.as_ref().map(|(_, shown)| &shown[..]))?,
            (None, Some((_, name))) => written(name),
            (None, None) => return Err(Fault::NoFile("thing without a name")),
        };
        if name.contains(&0) {
            return Err(Fault::Nul);
        }
        if self.folder || self.special {
            let kind = if self.folder { "directory" } else { "special file" };
            if self.has_digest() {
                return Err(Fault::NoFile(kind));
            }
            return Ok(Item::Unhashed(UnhashedEntry { name, reason: Reason::Skipped, code: kind.to_owned() }));
        }
        if let Some(fault) = self.fault.take() {
            return Err(fault);
        }
        // Beside digests that are stated a guess is not marked, for the mark is of all.
        let mut guessed = 0;
        let stated = self.algorithm.as_deref().map(|word| algorithm(registry, word).ok_or(word));
        for text in &self.hashes {
            let digest = match (deep::stated(registry, text), &stated) {
                (Some(digest), _) => digest?,
                (None, Some(Ok(algorithm))) => digits::digest(*algorithm, text)?,
                (None, Some(Err(word))) => {
                    self.foreign.push((*word).into());
                    continue;
                }
                (None, None) => {
                    guessed += 1;
                    digits::unnamed(candidates, text)?
                }
            };
            self.digests.push(digest);
        }
        let digests = std::mem::take(&mut self.digests);
        if digests.is_empty() {
            return Err(match self.foreign.is_empty() {
                true => Fault::NoDigest(name.into()),
                false => Fault::OfUnknown(name.into(), self.foreign.join(", ").into()),
            });
        }
        let foreign = std::mem::take(&mut self.foreign);
        let guessed = guessed == digests.len();
        Ok(Item::Entry(Entry { name, size: self.size, digests, guessed, foreign, ..Entry::default() }))
    }
}

/// A size in bytes: `2`, `2 bytes (0 MiB)`.
fn size(text: &[u8]) -> Option<u64> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let is_whole = text.get(end).is_none_or(|byte| *byte == b' ');
    let unit = text[end..].trim_ascii().first().is_none_or(|byte| matches!(byte, b'b' | b'B' | b'('));
    if is_whole && unit { str::from_utf8(&text[..end]).ok()?.parse().ok() } else { None }
}
