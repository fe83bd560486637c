//! The directories that are walked, and under which names the manifest has them.

use super::problem::Problem;
use super::request::Request;
use crate::check::{self, Ledger, Turn};
use crate::input::Input;
use crate::job::{Error, PathError};
use crate::objects;
use pfh_ledger::plain;
use pfh_source::os::STREAMS;
use pfh_source::os::names::{OsStrExt, OsStringExt, absolute, listed};
use pfh_source::{Descend, is_address};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// That many of the names are looked for below an operand.
const SAMPLE: usize = 4096;

/// An operand and its name in the manifest.
#[derive(Debug, Clone)]
struct Tree {
    /// As it is walked.
    operand: Vec<u8>,
    /// The same, as names compare.
    walked: Vec<u8>,
    /// Its name in the manifest, as names compare; empty for that in which all names start.
    named: Vec<u8>,
    /// The folder of an address.
    is_remote: bool,
}

/// All operands.
#[derive(Debug, Clone)]
pub struct Trees {
    trees: Vec<Tree>,
    /// Whether names begin with `./`.
    is_dotted: bool,
    /// Whether no selection leaves files out.
    #[cfg(feature = "inside")]
    is_whole: bool,
    /// Whether a walk meets each file that is there all the time.
    pub meets_all: bool,
    /// The directories that are walked although nobody named them.
    pub remark: Option<Vec<Vec<u8>>>,
    #[cfg(feature = "inside")]
    inside: Option<crate::inside::Options>,
}

/// The rest of a name behind a directory, if the name is the directory's or below it.
fn below<'a>(name: &'a [u8], directory: &[u8]) -> Option<&'a [u8]> {
    if matches!(directory, b"" | b"/") {
        return (name.starts_with(b"/") == (directory == b"/")).then(|| name.strip_prefix(b"/").unwrap_or(name));
    }
    match name.strip_prefix(directory)? {
        b"" => Some(b""),
        rest => rest.strip_prefix(b"/"),
    }
}

fn join(directory: &[u8], rest: &[u8]) -> Vec<u8> {
    match (directory, rest) {
        (b"", rest) => rest.to_vec(),
        (directory, b"") => directory.to_vec(),
        (b"/", rest) => [b"/", rest].concat(),
        (directory, rest) => [directory, b"/", rest].concat(),
    }
}

/// The place of a path, links on the way to it included; its last component is as it is named.
fn real(path: &[u8]) -> Option<PathBuf> {
    let path = std::path::absolute(OsStr::from_bytes(path)).ok()?;
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(last)) => Some(parent.canonicalize().ok()?.join(last)),
        _ => path.canonicalize().ok(),
    }
}

/// The names of a manifest as they compare.
struct Names(BTreeSet<Vec<u8>>);

impl Names {
    /// Whether a name, or one below it, is listed.
    fn has(&self, name: &[u8]) -> bool {
        if matches!(name, b"" | b"/") {
            return self.0.iter().any(|listed| listed.starts_with(b"/") == (name == b"/"));
        }
        let inner = join(name, b"\0");
        let inner = &inner[..inner.len() - 1];
        self.0.contains(name) || self.0.range(inner.to_vec()..).next().is_some_and(|next| next.starts_with(inner))
    }
}

impl Trees {
    /// Finds out how the manifest names the operands of a request.
    ///
    /// # Errors
    /// When one lies elsewhere, or none is named and the names have no directory in common that is
    /// chosen without being asked for.
    pub fn find(request: &Request, turn: Turn<'_>, ledger: &Ledger) -> Result<Trees, Error> {
        let names = Names(ledger.entries.iter().map(|entry| plain(&entry.name)).collect());
        let relative = || ledger.entries.iter().filter(|entry| !entry.name.starts_with(b"/"));
        let is_dotted = relative().count() > 0 && relative().all(|entry| entry.name.starts_with(b"./"));
        let (trees, remark) = if request.input.paths.is_empty() {
            let trees = common(turn, ledger, &names, is_dotted)?;
            let walked = trees.iter().map(|tree| tree.operand.clone()).collect();
            (trees, Some(walked))
        } else {
            let operands = request.input.paths.iter();
            let named = |operand: &OsString| of_operand(turn, ledger, &names, operand.as_bytes());
            (operands.map(named).collect::<Result<Vec<Tree>, Error>>()?, None)
        };
        #[allow(unused_mut)]
        let mut trees = Trees {
            trees,
            is_dotted,
            remark,
            #[cfg(feature = "inside")]
            is_whole: request.input.descend.selection.is_all(),
            meets_all: meets_all(&request.input.descend),
            #[cfg(feature = "inside")]
            inside: request.input.inside.clone(),
        };
        #[cfg(feature = "inside")]
        trees.look_inside(ledger);
        Ok(trees)
    }

    /// Goes into containers if the manifest has names in them.
    #[cfg(feature = "inside")]
    fn look_inside(&mut self, ledger: &Ledger) {
        let is_file = |name: &[u8]| {
            let path = self.path(name).map(|path| std::fs::symlink_metadata(OsStr::from_bytes(&path)));
            path.is_some_and(|found| found.is_ok_and(|found| found.is_file()))
        };
        let names = || ledger.entries.iter().map(|entry| plain(&entry.name));
        let mut inside = names().filter(|name| crate::inside::is_inside(name).is_some()).take(SAMPLE);
        let is_inside = |name: Vec<u8>| {
            let holds = |container: Vec<u8>| !crate::inside::name::media(&plain(&container), is_file).is_empty();
            !is_file(&name) && crate::inside::is_inside(&name).is_some_and(holds)
        };
        if self.inside.is_none() && inside.any(is_inside) {
            self.inside = Some(crate::inside::Options::default());
        }
        if let Some(options) = &mut self.inside {
            names().for_each(|name| options.look_for(&name));
        }
    }

    /// The input with the operands that are walked.
    pub fn input(&self, request: &Request) -> Input {
        let mut input = request.input.clone();
        input.paths = self.trees.iter().map(|tree| OsString::from_vec(tree.operand.clone())).collect();
        #[cfg(feature = "inside")]
        {
            input.inside = self.inside.clone();
        }
        input
    }

    /// The name in the manifest of a walked file, as names compare.
    pub fn named(&self, walked: &[u8]) -> Vec<u8> {
        let walked = plain(walked);
        let fits = self.trees.iter().filter_map(|tree| Some((tree, below(&walked, &tree.walked)?)));
        let best = fits.max_by_key(|(tree, _)| tree.walked.len());
        best.map_or(walked.clone(), |(tree, rest)| join(&tree.named, rest))
    }

    /// Whether all is looked at that is inside of containers.
    #[cfg(feature = "inside")]
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Whether objects of a store are among the operands: they can only be counted by listing them.
    pub fn has_objects(&self) -> bool {
        self.trees.iter().any(|tree| tree.is_remote)
    }

    /// A name as the manifest spells it.
    pub fn spelt(&self, named: &[u8]) -> Vec<u8> {
        if self.is_dotted && !named.starts_with(b"/") { [b"./", named].concat() } else { named.to_vec() }
    }

    /// The path of a name of the manifest; `None` where it lies outside of the walked trees.
    pub fn path(&self, named: &[u8]) -> Option<Vec<u8>> {
        self.trees.iter().find_map(|tree| {
            let rest = below(named, &tree.named)?;
            Some(if rest.is_empty() || tree.is_remote {
                [&tree.operand[..], rest].concat()
            } else {
                [&tree.operand, &b"/"[..], rest].concat()
            })
        })
    }
}

/// Whether nothing in the walk leaves out a file or a stream of the trees.
fn meets_all(descend: &Descend) -> bool {
    descend.selection.is_all() && !descend.one_file_system && (descend.streams || !STREAMS)
}

/// The directories that the names have in common: that in which they start if some are directly in
/// it, otherwise one for each first component.
fn common(turn: Turn<'_>, ledger: &Ledger, names: &Names, is_dotted: bool) -> Result<Vec<Tree>, Error> {
    let place = check::walked(turn, ledger)?;
    let prefix = plain(&place.prefix);
    let at = |named: &[u8]| {
        let rest = below(named, &prefix).unwrap_or(named);
        let operand = if rest.is_empty() { place.root.clone() } else { join(&plain_root(&place.root), rest) };
        Tree { walked: plain(&operand), operand, named: named.to_vec(), is_remote: false }
    };
    let leads_up = |name: &[u8]| name.split(|byte| *byte == b'/').any(|part| part == b"..");
    let inner = || names.0.iter().filter(|name| below(name, &prefix).is_some() && !leads_up(name));
    let has_slash = |name: &Vec<u8>| below(name, &prefix).is_some_and(|rest| rest.contains(&b'/'));
    if is_dotted || !prefix.is_empty() || !inner().all(has_slash) {
        return Ok(vec![at(&prefix)]);
    }
    let mut groups: BTreeMap<&[u8], Vec<u8>> = BTreeMap::new();
    for name in inner() {
        let first = name.split(|byte| *byte == b'/').next().unwrap_or_default();
        let directory = &name[..name.iter().rposition(|byte| *byte == b'/').unwrap_or(0)];
        let group = groups.entry(first).or_insert_with(|| directory.to_vec());
        while below(directory, group).is_none() {
            let end = group.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
            group.truncate(end);
        }
    }
    Ok(groups.values().map(|directory| at(directory)).collect())
}

/// A root in front of names: nothing for the working directory.
fn plain_root(root: &[u8]) -> Vec<u8> {
    if root == b"." { Vec::new() } else { root.strip_suffix(b"/").unwrap_or(root).to_vec() }
}

/// The tree of an operand. The name that is typed is looked for first; then the place where it is,
/// seen from where the names start; then the names in it.
fn of_operand(turn: Turn<'_>, ledger: &Ledger, names: &Names, operand: &[u8]) -> Result<Tree, Error> {
    let walked = plain(operand);
    let tree = |named: Vec<u8>| Tree { operand: operand.to_vec(), walked: walked.clone(), named, is_remote: false };
    if let Some(folder) = objects::folder(operand) {
        return of_objects(turn, ledger, names, folder);
    }
    let place = check::find(turn, ledger);
    let is_lost = matches!(place.remark, Some(check::Remark::Nowhere));
    if place.absolute.is_some() {
        let as_typed = absolute(Path::new(OsStr::from_bytes(operand))).ok();
        let candidates = as_typed.into_iter().chain(real(operand).map(listed));
        let candidates: Vec<Vec<u8>> = candidates.map(|path| plain(&path)).collect();
        if let Some(named) = candidates.iter().find(|named| names.has(named)) {
            return Ok(tree(named.clone()));
        }
        return match (found_in(turn, ledger, operand), candidates.into_iter().next()) {
            (Some(named), _) | (None, Some(named)) => Ok(tree(named)),
            (None, None) => Err(Error::request(Problem::Operand(operand.to_vec()))),
        };
    }
    if place.root == b"." && !walked.starts_with(b"/") && !is_lost && names.has(&walked) {
        return Ok(tree(walked.clone()));
    }
    let base = real(&place.root).map(|base| base.canonicalize().unwrap_or(base));
    let here = real(operand).zip(base.clone());
    let inner = here.and_then(|(path, base)| Some(listed(path.strip_prefix(base).ok()?.to_owned())));
    if let Some(inner) = inner.clone().filter(|inner| !is_lost && names.has(inner)) {
        return Ok(tree(inner));
    }
    if let Some(named) = found_in(turn, ledger, operand) {
        return Ok(tree(named));
    }
    match inner {
        Some(inner) => Ok(tree(inner)),
        None => {
            let base = base.map_or(place.root, listed);
            let why = Problem::Elsewhere { operand: operand.to_vec(), base };
            Err(Error::request(PathError::new(turn.manifest(), why)))
        }
    }
}

/// The tree of the folder of an address: under its address where the manifest has addresses, or
/// where its names are listed there.
fn of_objects(turn: Turn<'_>, ledger: &Ledger, names: &Names, folder: Vec<u8>) -> Result<Tree, Error> {
    let walked = folder.strip_suffix(b"/").unwrap_or(&folder).to_vec();
    let listed: Vec<Vec<u8>> = names.0.iter().cloned().collect();
    let has_addresses = || ledger.entries.iter().any(|entry| is_address(&entry.name));
    let named = match objects::start(&listed, &folder) {
        Some(start) => start.strip_suffix(b"/").unwrap_or(&start).to_vec(),
        None if has_addresses() => walked.clone(),
        None => {
            let why = Problem::Elsewhere { operand: folder, base: check::find(turn, ledger).root };
            return Err(Error::request(PathError::new(turn.manifest(), why)));
        }
    };
    Ok(Tree { operand: folder, walked, named, is_remote: true })
}

/// The start of the names that are found below an operand; `None` if none is.
fn found_in(turn: Turn<'_>, ledger: &Ledger, operand: &[u8]) -> Option<Vec<u8>> {
    if !Path::new(OsStr::from_bytes(operand)).is_dir() {
        return None;
    }
    let request = turn.request.clone().root(OsStr::from_bytes(operand));
    let place = check::find(Turn::of(&request), ledger);
    let rests = ledger.entries.iter().take(SAMPLE).filter_map(|entry| entry.name.strip_prefix(&place.prefix[..]));
    let is_there = |rest: &[u8]| {
        let path = [operand, b"/", rest].concat();
        !rest.is_empty() && !rest.starts_with(b"/") && std::fs::symlink_metadata(OsStr::from_bytes(&path)).is_ok()
    };
    rests.into_iter().any(is_there).then(|| plain(&place.prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_below_directories() {
        assert_eq!(below(b"a/b", b"a"), Some(&b"b"[..]));
        assert_eq!((below(b"ab", b"a"), below(b"a", b"a"), below(b"/a", b"")), (None, Some(&b""[..]), None));
        assert_eq!((below(b"/a", b"/"), below(b"a", b"")), (Some(&b"a"[..]), Some(&b"a"[..])));
        let names = Names([&b"a-"[..], b"a/b", b"c"].map(<[u8]>::to_vec).into());
        assert!(names.has(b"a") && names.has(b"") && names.has(b"a/b") && !names.has(b"/") && !names.has(b"a/bc"));
    }
}
