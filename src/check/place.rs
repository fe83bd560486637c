//! Where the names of a manifest are: which directory they start in, and which prefix is taken off.

#[cfg(feature = "inside")]
use super::request::Request;
use super::request::Turn;
use super::unasked::Unasked;
use pfh_digest::Algorithm;
use pfh_judge::{Expectations, Expected};
use pfh_source::Within;
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
    /// A file has the value that the manifest states as its checksum by this algorithm, which
    /// proves nothing against a forger.
    Weak(Algorithm),
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
    pub absolute: Option<Unasked>,
    /// How it was found, if that is worth a remark.
    pub remark: Option<Remark>,
}

impl Place {
    /// A name of the manifest as a path below the directory; as it stands where it has not the
    /// prefix.
    pub fn below<'a>(&self, name: &'a [u8]) -> &'a [u8] {
        match name.strip_prefix(&self.prefix[..]) {
            Some(rest) if !rest.is_empty() => rest,
            _ => name,
        }
    }

    /// The same names as a source, with the absolute ones that are taken.
    pub fn taking(&self, within: Within) -> Within {
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

/// Finds the place: below the root that the request names, otherwise in the working directory; only
/// if that has none of the names, in the directory of the manifest or the one that it records,
/// whichever has more of them.
pub fn find(turn: Turn<'_>, expectations: &Expectations) -> Place {
    match &turn.request.root {
        Some(root) => below(root.as_bytes(), &expectations.entries),
        None => somewhere(turn.manifest(), expectations),
    }
}

/// Some of the names, from everywhere in the manifest.
fn sample<'a>(entries: &'a [Expected], wanted: impl Fn(&&'a [u8]) -> bool) -> Vec<&'a [u8]> {
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
pub fn opened(request: &Request, place: &Place, entries: &[Expected]) -> Option<crate::inside::Options> {
    let asked = request.inside.clone().or_else(|| has_inside(place, entries).then(Default::default));
    asked.map(|mut options| {
        options.documents |= entries.iter().any(|entry| crate::inside::name::is_in_document(&entry.name));
        options
    })
}

#[cfg(feature = "inside")]
fn has_inside(place: &Place, entries: &[Expected]) -> bool {
    let found = |name: &[u8]| std::fs::symlink_metadata(OsStr::from_bytes(&[&place.root, &b"/"[..], name].concat()));
    let names = entries.iter().map(|entry| place.below(&entry.name));
    let mut inside = names.filter(|name| crate::inside::is_inside(name).is_some()).take(SAMPLE);
    inside.any(|name| found(name).is_err() && is_in_file(name, found))
}

fn somewhere(manifest: &Path, expectations: &Expectations) -> Place {
    let all = expectations.entries.iter().all(|entry| is_absolute(&entry.name));
    let absolute = all.then(|| Unasked::of(manifest, expectations));
    let place = |root: &[u8], remark: Option<Remark>| {
        let (root, absolute) = (root.to_vec(), absolute.clone());
        Place { root, prefix: Vec::new(), absolute, remark }
    };
    let names = sample(&expectations.entries, |name| !is_absolute(name));
    let score = |directory: &[u8]| names.iter().filter(|name| is_there(directory, name)).count();
    let here = score(b".");
    if names.is_empty() || here == names.len() {
        return place(b".", None);
    }
    let mut best = (here, place(b".", None));
    let beside = manifest.parent().filter(|parent| !parent.as_os_str().is_empty() && manifest != Path::new("-"));
    let recorded = expectations.base.as_deref();
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
    if best.0 == 0 {
        best.1.remark = Some(Remark::Nowhere);
    }
    best.1
}

fn below(root: &[u8], entries: &[Expected]) -> Place {
    let names = sample(entries, |name| !leads_up(name));
    let score = |prefix: &[u8]| {
        let rests = names.iter().filter_map(|name| name.strip_prefix(prefix));
        rests.filter(|rest| !is_absolute(rest) && !rest.is_empty() && is_there(root, rest)).count()
    };
    let place = |prefix: &[u8], remark| Place { root: root.to_vec(), prefix: prefix.to_vec(), absolute: None, remark };
    let mut best = (score(b""), place(b"", None));
    if best.0 == names.len() {
        return best.1;
    }
    let Some(first) = names.first() else { return best.1 };
    // Where the first part of what a prefix leaves is not there, no name is: one look instead of one
    // for each part of each name.
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
fn prefixes(root: &[u8], entries: &[Expected]) -> Vec<Vec<u8>> {
    let closed = |path: &[u8]| if path.ends_with(b"/") { path.to_vec() } else { [path, b"/"].concat() };
    let bare = root.strip_prefix(b"./").unwrap_or(root);
    let mut found = vec![closed(root), closed(bare)];
    if let Ok(full) = absolute(Path::new(OsStr::from_bytes(root))) {
        found.push(closed(&full));
    }
    if let Ok(real) = resolved(Path::new(OsStr::from_bytes(root))) {
        found.push(closed(&real));
    }
    let common = common(entries);
    // The longest first.
    let slashes = common.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/');
    found.extend(slashes.map(|(at, _)| common[..=at].to_vec()));
    found
}

/// The directory that all names have in common, with its closing slash.
pub fn common(entries: &[Expected]) -> Vec<u8> {
    let Some(first) = entries.first() else { return Vec::new() };
    let mut length = first.name.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    for entry in entries {
        let alike = first.name[..length].iter().zip(&entry.name).take_while(|(one, other)| one == other).count();
        length = first.name[..alike].iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    }
    first.name[..length].to_vec()
}
