//! Where the names of a manifest are: which directory they start in, and which prefix is taken off.

#[cfg(feature = "inside")]
use super::request::Request;
use super::request::Turn;
use super::unasked::NameBounds;
use crate::objects;
use pfh_digest::Algorithm;
use pfh_ledger::{Ledger, Listing, plain};
use pfh_source::FolderSource;
use pfh_source::os::names::{OsStrExt, absolute, is_absolute, resolved};
use std::ffi::OsStr;
use std::path::Path;

/// That many of the names are looked for in each directory that they may start in.
const SAMPLE: usize = 512;
/// That many starts of names are tried: directories that are named alike at every depth.
const PREFIXES: usize = 16;

/// Why names may start in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The manifest lies there.
    Beside,
    /// The manifest records it.
    Recorded,
}

/// How names or algorithms were found, if that is not plain.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Remark {
    /// Names start in this directory and not in the working directory.
    StartIn(Vec<u8>, Reason),
    /// The working directory was taken, and this one has more of the names.
    MoreIn(Vec<u8>, Reason),
    /// No name was found below any directory.
    Nowhere,
    /// Names are looked for in this root, without this prefix.
    WithoutPrefix(Vec<u8>, Vec<u8>),
    /// This directory, which all absolute names have in common, was walked.
    Walked(Vec<u8>),
    /// Digests are of these algorithms, which was found by trying.
    OtherAlgorithms(Vec<Algorithm>),
    /// The number of listed names that are here in other spellings alone, and were not compared.
    Likely(u64),
    /// The manifest was read in a way that is not plain, such as by the contents of its columns.
    Read(String),
    /// A file has the value that the manifest states as its checksum by this algorithm, which
    /// proves nothing against a forger.
    Weak(Algorithm),
    /// Nothing names the algorithm of the digests, and no file has its own by any of this number of
    /// algorithms.
    NoAlgorithm(usize),
}

/// Where names are looked for.
pub struct Place {
    /// The directory.
    pub root: Vec<u8>,
    /// The start of names in front of their path below it; with a closing slash, or empty.
    pub prefix: Vec<u8>,
    /// Which absolute names are taken as they are. A list that has nothing else shows where its
    /// files are; an absolute name among relative ones is opened only if the request lets names
    /// lead outside.
    pub absolute: Option<NameBounds>,
    /// How it was found, if that is worth a remark.
    pub remark: Option<Remark>,
    /// The directory in full, as it is named and as links lead to it; with closing slashes.
    full: Vec<Vec<u8>>,
}

impl Place {
    /// Names with this prefix, below this directory.
    pub fn new(root: &[u8], prefix: &[u8], absolute: Option<NameBounds>, remark: Option<Remark>) -> Place {
        Place { root: root.to_vec(), prefix: prefix.to_vec(), absolute, remark, full: fulls(root) }
    }

    /// A name of the manifest as a path below the directory; as it stands where it has not the
    /// prefix.
    pub fn below<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        match name.strip_prefix(&self.prefix[..]) {
            Some(rest) if !rest.is_empty() && !self.prefix.is_empty() => rest,
            _ => self.within(name).unwrap_or(name),
        }
    }

    /// An absolute name among relative ones that leads below the directory.
    pub fn within<'a>(&self, name: &'a [u8]) -> Option<&'a [u8]> {
        if self.absolute.is_some() || !is_absolute(name) {
            return None;
        }
        let rest = self.full.iter().find_map(|full| name.strip_prefix(&full[..]))?;
        let rest = &rest[rest.iter().take_while(|byte| **byte == b'/').count()..];
        (!rest.is_empty()).then_some(rest)
    }

    /// Whether something of this name of the manifest is there.
    pub fn has(&self, name: &[u8]) -> bool {
        let below = self.below(name);
        if is_absolute(below) { is_there(b"", below) } else { is_there(&self.root, below) }
    }

    /// The same names as a source, with the absolute ones that are taken.
    pub fn taking(&self, within: FolderSource) -> FolderSource {
        match &self.absolute {
            Some(unasked) => {
                let unasked = unasked.clone();
                within.with_absolute(move |name| unasked.takes(name))
            }
            None => within,
        }
    }

    /// Whether a name may be opened as far as its being absolute is concerned.
    pub fn takes(&self, name: &[u8]) -> bool {
        !is_absolute(name) || self.absolute.as_ref().is_some_and(|unasked| unasked.takes(name))
    }
}

/// A directory in full, as it is named and as links lead to it; with closing slashes.
fn fulls(root: &[u8]) -> Vec<Vec<u8>> {
    let path = Path::new(OsStr::from_bytes(root));
    let found = [absolute(path), resolved(path)].into_iter().flatten();
    let mut fulls: Vec<Vec<u8>> = found.map(closed).filter(|full| full != b"/").collect();
    fulls.dedup();
    fulls
}

fn closed(path: impl AsRef<[u8]>) -> Vec<u8> {
    let path = path.as_ref();
    if path.ends_with(b"/") { path.to_vec() } else { [path, b"/"].concat() }
}

/// Finds the place: below the root that the request names, otherwise in the working directory; only
/// if that has none of the names, in the directory of the manifest or the one that it records,
/// whichever has more of them.
pub fn find(turn: Turn<'_>, ledger: &Ledger) -> Place {
    match &turn.request.root {
        Some(root) => match objects::folder(root.as_bytes()) {
            Some(folder) => in_store(&folder, &ledger.entries),
            None => below(root.as_bytes(), &ledger.entries),
        },
        None => somewhere(turn.manifest(), ledger),
    }
}

/// The place below the folder of an address, without the start of names that it has not.
fn in_store(folder: &[u8], entries: &[Listing]) -> Place {
    let names: Vec<Vec<u8>> = entries.iter().map(|entry| plain(&entry.name)).collect();
    Place::new(folder, &objects::start(&names, folder).unwrap_or_default(), None, None)
}

/// Some of the names, from everywhere in the manifest.
fn sample<'a>(entries: &'a [Listing], wanted: impl Fn(&&'a [u8]) -> bool) -> Vec<&'a [u8]> {
    let names: Vec<&[u8]> = entries.iter().map(|entry| &entry.name[..]).filter(wanted).collect();
    let step = names.len().div_ceil(SAMPLE).max(1);
    names.into_iter().step_by(step).collect()
}

fn leads_up(name: &[u8]) -> bool {
    name.split(|&byte| byte == b'/').any(|part| part == b"..")
}

fn is_there(directory: &[u8], name: &[u8]) -> bool {
    let found = |name: &[u8]| std::fs::symlink_metadata(OsStr::from_bytes(&[directory, b"/", name].concat()));
    match found(name) {
        Ok(_) => true,
        // Longer than the system takes a path (PATH_MAX), which says nothing of the file.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidFilename => {
            pfh_source::os::stat_operand(&[directory, b"/", name].concat()).is_ok()
        }
        Err(_) => is_in_file(name, found),
    }
}

/// Whether the name is inside of a container that is there.
fn is_in_file(name: &[u8], found: impl Fn(&[u8]) -> std::io::Result<std::fs::Metadata>) -> bool {
    #[cfg(feature = "inside")]
    return crate::inside::is_inside(name).is_some_and(|container| {
        !crate::inside::name::media(&container, |name| found(name).is_ok_and(|file| !file.is_dir())).is_empty()
    });
    #[cfg(not(feature = "inside"))]
    {
        let _ = (name, found);
        false
    }
}

/// How containers of this directory are opened: as the request says, or because some of the names
/// are inside of one and are not files themselves; `None` if they are not. Documents are opened if
/// a name is in one.
#[cfg(feature = "inside")]
pub fn opened(request: &Request, place: &Place, entries: &[Listing]) -> Option<crate::inside::Options> {
    let asked = request.inside.clone().or_else(|| has_inside(place, entries).then(Default::default));
    asked.map(|mut options| {
        options.documents |= entries.iter().any(|entry| crate::inside::name::is_in_document(&entry.name));
        options
    })
}

#[cfg(feature = "inside")]
fn has_inside(place: &Place, entries: &[Listing]) -> bool {
    let found = |name: &[u8]| std::fs::symlink_metadata(OsStr::from_bytes(&[&place.root, &b"/"[..], name].concat()));
    let names = entries.iter().map(|entry| place.below(&entry.name));
    let mut inside = names.filter(|name| crate::inside::is_inside(name).is_some()).take(SAMPLE);
    inside.any(|name| found(name).is_err() && is_in_file(name, found))
}

fn somewhere(manifest: &Path, ledger: &Ledger) -> Place {
    let all = ledger.entries.iter().all(|entry| is_absolute(&entry.name));
    let absolute = all.then(|| NameBounds::of(manifest, ledger));
    let place = |root: &[u8], remark: Option<Remark>| Place::new(root, b"", absolute.clone(), remark);
    let names = sample(&ledger.entries, |name| !is_absolute(name));
    let score = |directory: &[u8]| names.iter().filter(|name| is_there(directory, name)).count();
    let here = score(b".");
    if names.is_empty() || here == names.len() {
        return place(b".", None);
    }
    let mut best = (here, place(b".", None));
    let beside = manifest.parent().filter(|parent| !parent.as_os_str().is_empty() && manifest != Path::new("-"));
    let recorded = ledger.base.as_deref();
    let others = [
        beside.map(|parent| (parent.as_os_str().as_bytes(), Reason::Beside)),
        recorded.map(|base| (base, Reason::Recorded)),
    ];
    for (directory, why) in others.into_iter().flatten() {
        let found = score(directory);
        if here > 0 && found > here {
            // A user beside a copy means the copy, however much of it is missing.
            return place(b".", Some(Remark::MoreIn(directory.to_vec(), why)));
        }
        if found > best.0 {
            best = (found, place(directory, Some(Remark::StartIn(directory.to_vec(), why))));
        }
    }
    if best.0 == 0 && names.len() < ledger.entries.len() {
        // Few files of a large list may be there, and none of them in the sample.
        let has_any = |directory: &[u8]| {
            let mut names = ledger.entries.iter().map(|entry| &entry.name[..]).filter(|name| !is_absolute(name));
            names.any(|name| is_there(directory, name))
        };
        if has_any(b".") {
            return place(b".", None);
        }
        if let Some((directory, why)) = others.into_iter().flatten().find(|(directory, _)| has_any(directory)) {
            return place(directory, Some(Remark::StartIn(directory.to_vec(), why)));
        }
    }
    if best.0 == 0 {
        best.1.remark = Some(Remark::Nowhere);
    }
    best.1
}

fn below(root: &[u8], entries: &[Listing]) -> Place {
    let names = sample(entries, |name| !leads_up(name));
    let score = |prefix: &[u8]| {
        let rests = names.iter().filter_map(|name| name.strip_prefix(prefix));
        rests.filter(|rest| !is_absolute(rest) && !rest.is_empty() && is_there(root, rest)).count()
    };
    let place = |prefix: &[u8], remark| Place::new(root, prefix, None, remark);
    let mut best = (score(b""), place(b"", None));
    if best.0 == names.len() {
        return best.1;
    }
    let Some(first) = names.first() else { return best.1 };
    // Where the first part behind a prefix is not there, no name is: one look instead of one for
    // each part of each name.
    let begins = |prefix: &Vec<u8>| match first.strip_prefix(&prefix[..]) {
        Some(rest) => {
            let part = rest.split(|&byte| byte == b'/').next().unwrap_or(rest);
            part.len() == rest.len()
                || is_there(root, part)
                || is_in_file(rest, |name| std::fs::symlink_metadata(OsStr::from_bytes(&[root, b"/", name].concat())))
        }
        // The name is elsewhere than most.
        None => true,
    };
    for prefix in prefixes(root, entries).into_iter().filter(begins).take(PREFIXES) {
        // No other could have more.
        if best.0 == names.len() {
            break;
        }
        let found = score(&prefix);
        if found > best.0 {
            best = (found, place(&prefix, Some(Remark::WithoutPrefix(root.to_vec(), prefix.clone()))));
        }
    }
    best.1
}

/// Possible starts of the names of files below `root`: the path of it, as it was given or in full,
/// or any directory that all names have in common.
fn prefixes(root: &[u8], entries: &[Listing]) -> Vec<Vec<u8>> {
    let bare = root.strip_prefix(b"./").unwrap_or(root);
    let mut found = vec![closed(root), closed(bare)];
    if let Ok(full) = absolute(Path::new(OsStr::from_bytes(root))) {
        found.push(closed(full));
    }
    if let Ok(real) = resolved(Path::new(OsStr::from_bytes(root))) {
        found.push(closed(real));
    }
    let common = common(entries);
    // The longest first.
    let slashes = common.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
    found.extend(slashes.map(|(at, _)| common[..=at].to_vec()));
    found
}

/// The directory that all names have in common, with its closing slash.
pub fn common(entries: &[Listing]) -> Vec<u8> {
    let Some(first) = entries.first() else { return Vec::new() };
    let mut length = first.name.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    for entry in entries {
        let alike = first.name[..length].iter().zip(&entry.name).take_while(|(one, other)| one == other).count();
        length = first.name[..alike].iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    }
    first.name[..length].to_vec()
}
