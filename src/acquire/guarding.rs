//! The files that an acquisition reads and writes, for the guard of outputs: every file of every
//! target by its name.

use super::log::chained_name;
use super::naming::named_after;
use super::problem::{Problem, refused};
use super::stamping::stamp_name;
use super::{ImageFormat, Origin, Settings, To};
use crate::job::Error;
use crate::outputs::{Existing, Kind, Outputs};
use pfh_container::ewf::{Writer, extension};
use pfh_source::device::Medium;
use pfh_source::image;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::names::with_ending;
use pfh_writer::{Pieces, Start};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Bytes of a chunk of an E01 image.
pub(super) const CHUNK: u64 = 32 << 10;
/// Segments of an E01 image: names end at `ZZZ`.
const SEGMENTS: u64 = 14_971;

/// How the maps that pfh writes begin.
pub(super) const MAP: Existing = Existing::Own(0, b"# Mapfile.");

/// How trees begin.
const TREE: &[u8] = b"pfh tree";

/// The name under which a map is written before it takes the place of the old one.
pub(super) fn fresh_map(map: &Path) -> PathBuf {
    with_ending(map, ".new")
}

/// The directory that holds a file of this name.
pub(super) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// Which files an earlier run made, by its map.
#[derive(Debug, Clone)]
pub(super) struct EarlierFiles {
    /// Of each target whether it did: only such a file is resumed, or replaced.
    pub(super) targets: Vec<bool>,
    /// Whether it made the tree.
    pub(super) tree: bool,
    /// Whether it made the CASE document.
    pub(super) case: bool,
}

impl EarlierFiles {
    /// All of them, or none.
    pub(super) fn same(asked: &Settings<'_>, is_listed: bool) -> Self {
        EarlierFiles { targets: vec![is_listed; asked.targets.len()], tree: is_listed, case: is_listed }
    }
}

/// The map's remarks on the tree and the CASE document.
pub(super) fn remarks_beside(map: &Path, asked: &Settings<'_>) -> [Option<String>; 2] {
    let remark = |what: &str, path: &PathBuf| format!("pfh {what} {}", named(map, path));
    [
        asked.outboard.as_ref().map(|path| remark("tree", path)),
        asked.request.case.as_ref().map(|path| remark("case", path)),
    ]
}

/// The map's remark on a target, so that only files which an earlier run made are resumed or
/// replaced.
pub(super) fn remark(map: &Path, to: &To) -> String {
    format!("pfh target {}", named(map, &to.path))
}

/// A file's name as the map states it. Below the map's directory the name is relative, so that
/// image and map can be moved together.
fn named(map: &Path, path: &Path) -> String {
    let absolute = |path: &Path| {
        let directory = directory_of(path).canonicalize().unwrap_or_else(|_| directory_of(path).to_owned());
        path.file_name().map_or_else(|| directory.clone(), |name| directory.join(name))
    };
    let (target, map) = (absolute(path), absolute(map));
    let name = target.strip_prefix(directory_of(&map)).unwrap_or(&target);
    name.as_os_str().as_bytes().escape_ascii().to_string()
}

/// The first file of a target.
pub(super) fn first_file(to: &To) -> PathBuf {
    match &to.form {
        ImageFormat::Split(pieces) => {
            with_ending(&to.path, format!(".{}", pieces.suffix.of(0, pieces.width).unwrap_or_default()))
        }
        ImageFormat::Raw { .. } | ImageFormat::E01 { .. } => to.path.clone(),
    }
}

/// The files of a target that are there, and the first one whether it is there or not.
fn files(to: &To) -> Vec<PathBuf> {
    let first = first_file(to);
    let mut others = match &to.form {
        ImageFormat::Raw { .. } => return vec![first],
        ImageFormat::Split(pieces) => numbered(to, pieces),
        ImageFormat::E01 { .. } => segments(&to.path),
    };
    others.retain(|path| *path != first);
    others.insert(0, first);
    others
}

fn names_beside(path: &Path) -> BTreeSet<OsString> {
    pfh_source::os::names_in(directory_of(path)).into_iter().collect()
}

/// Files that are called as pieces of the image are, up to any number: one that is left over would
/// be read with it.
fn numbered(to: &To, pieces: &Pieces) -> Vec<PathBuf> {
    let Some(name) = to.path.file_name() else { return Vec::new() };
    let prefix = [name.as_bytes(), b"."].concat();
    let is_piece = |found: &OsString| {
        let suffix = found.as_bytes().strip_prefix(&prefix[..]);
        suffix.is_some_and(|s| pieces.suffix.is_one(s, pieces.width))
    };
    // Spelled as the first piece is, or that one would be there twice.
    names_beside(&to.path).into_iter().filter(is_piece).map(|name| to.path.with_file_name(name)).collect()
}

/// Segments behind the first that are there.
fn segments(first: &Path) -> Vec<PathBuf> {
    let names = names_beside(first);
    let is_lower = first.extension().is_some_and(|e| e.as_encoded_bytes().starts_with(b"e"));
    let name = |number| {
        let extension = extension(number)?;
        Some(first.with_extension(if is_lower { extension.to_lowercase() } else { extension }))
    };
    let all = (2..).map_while(name);
    all.filter(|path| path.file_name().is_some_and(|name| names.contains(name))).collect()
}

impl Settings<'_> {
    /// The guard, with the files that are read and written beside source, targets, map, tree and
    /// CASE document.
    pub(super) fn outputs(&self) -> Outputs {
        let mut outputs = self.request.outputs.clone();
        outputs.set_replace(self.request.replace);
        self.records(&mut outputs);
        outputs
    }

    /// Adds the files that are read and written beside source, targets, map, tree and CASE
    /// document: key, simulated faults, logs.
    fn records(&self, outputs: &mut Outputs) {
        let request = self.request;
        outputs.reads_all(&request.key).reads_all(&request.faults);
        if let Some(log) = &request.log {
            let chained = chained_name(log);
            // An interrupted run of the same acquisition is resumed in its logs; the chain knows
            // which run that was.
            let text = if chained.exists() { Existing::Own(0, b"pfh ") } else { Existing::Refused };
            outputs.writes_after("log", log, &self.name(), Kind::File, text);
            outputs.writes_beside("log", Some(&chained), Existing::Own(0, b"{\""));
            // An authority answers with a SEQUENCE of ASN.1. A log that is replaced takes its stamp
            // with it.
            if request.timestamp.is_some() {
                outputs.writes_beside("timestamp", Some(stamp_name(&chained)), Existing::Own(0, b"0"));
            } else if request.replace {
                outputs.writes_beside("log", Some(stamp_name(&chained)), Existing::Welcome);
            }
        }
    }

    /// Names the inputs and outputs to the guard; `listed` are the files of an earlier run.
    pub(super) fn guarded(&self, outputs: &mut Outputs, listed: &EarlierFiles) {
        match &self.request.source {
            Origin::Medium(path) => drop(outputs.reads(path)),
            Origin::Image(path) => drop(outputs.reads(path).reads_all(image::files_of(path))),
            Origin::Pattern { .. } => {}
        }
        let own = self.own();
        for (to, resumed) in self.targets.iter().zip(&listed.targets) {
            let is_into = matches!(to.form, ImageFormat::Raw { start: Some(Start::Into), .. });
            let existing = if *resumed || is_into { Existing::Welcome } else { Existing::Refused };
            // Among pieces in letters a log may look like one: `.log` is that of 7,807.
            let all = files(to).into_iter().enumerate();
            for (_, file) in all.filter(|(at, file)| *at == 0 || !own.contains(file)) {
                outputs.writes("target", file, Kind::Medium, existing);
            }
            for (directory, name) in self.request.then.iter().filter_map(|then| Some((then, to.path.file_name()?))) {
                for file in files(&To { path: directory.join(name), form: to.form.clone() }) {
                    // A segment that was moved on is there under both names.
                    let here = file.file_name().map(|name| to.path.with_file_name(name));
                    let leads = |here: PathBuf| here.canonicalize().ok().zip(file.canonicalize().ok());
                    if here.and_then(leads).is_none_or(|(here, there)| here != there) {
                        outputs.writes("then", file, Kind::Medium, existing);
                    }
                }
            }
        }
        if let Some(map) = &self.map {
            outputs.writes_after("map", map, &self.name(), Kind::File, MAP);
            outputs.writes_beside("map", Some(fresh_map(map)), MAP);
        }
        let ours = |is_listed: bool, start| if is_listed { Existing::Own(0, start) } else { Existing::Refused };
        if let Some(tree) = &self.outboard {
            outputs.writes_after("outboard", tree, &self.name(), Kind::File, ours(listed.tree, TREE));
        }
        // A present file is checked to be a document when it is replaced.
        if let Some(case) = &self.request.case {
            outputs.writes("case-uco", case, Kind::File, ours(listed.case, b"{"));
        }
    }

    /// The name of the first target; the names of map, log and tree begin with it.
    fn name(&self) -> PathBuf {
        self.request.targets.first().map(|to| named_after(&to.path)).unwrap_or_default()
    }

    /// The map and the logs.
    fn own(&self) -> Vec<PathBuf> {
        let maps = self.map.iter().flat_map(|map| [map.clone(), fresh_map(map)]);
        maps.chain(self.request.log.iter().flat_map(|log| [log.clone(), chained_name(log)])).collect()
    }

    /// The first file of each target and the map, as far as they are not there yet.
    pub(super) fn absent(&self) -> Vec<PathBuf> {
        let first = |to: &To| files(to).into_iter().next();
        let all = self.targets.iter().filter_map(first).chain(self.map.clone());
        all.filter(|path| pfh_source::os::is_missing(path)).collect()
    }
}

/// Refuses requests that cannot come to their end, before anything is written.
pub(super) fn possible(asked: &Settings<'_>, medium: &Medium) -> Result<(), Error> {
    let from = asked.imaging.from;
    if let Some(size) = medium.size().filter(|size| from > 0 && from >= *size) {
        return refused(Problem::Beyond { size, from });
    }
    let rest = medium.size().map(|size| size.saturating_sub(from));
    let bytes = rest.map(|rest| asked.imaging.length.map_or(rest, |length| rest.min(length)));
    let sector = u64::from(medium.sector());
    // As many chunks as the volume section can count: 32 bits of 32 KiB.
    let most = u64::from(u32::MAX) * (CHUNK / sector).max(1) * sector;
    for to in &asked.targets {
        match &to.form {
            ImageFormat::E01 { segment, .. } => {
                let least = Writer::least_segment(CHUNK.max(sector));
                if *segment < least {
                    return refused(Problem::Segment { segment: *segment, least });
                }
                if let Some(bytes) = bytes.filter(|bytes| *bytes > most) {
                    return refused(Problem::TooLarge { most, bytes });
                }
                if let Some(bytes) = bytes.filter(|bytes| bytes / *segment > SEGMENTS * 100) {
                    return refused(Problem::Segments { bytes, segment: *segment });
                }
            }
            ImageFormat::Split(pieces) => {
                let last = bytes.map_or(0, |bytes| bytes.div_ceil(pieces.length.max(1)).saturating_sub(1));
                if pieces.suffix.within(last, pieces.width).is_none() {
                    return refused(Problem::Numbers);
                }
            }
            ImageFormat::Raw { .. } => {}
        }
        if let (ImageFormat::Split(pieces), Some(bytes)) = (&to.form, bytes) {
            let count = bytes.div_ceil(pieces.length.max(1));
            let is_piece = |own: &PathBuf| {
                let own = own.as_os_str().as_bytes();
                let rest = own.strip_prefix(to.path.as_os_str().as_bytes()).and_then(|rest| rest.strip_prefix(b"."));
                rest.and_then(|suffix| pieces.suffix.number(suffix, pieces.width)).is_some_and(|number| number < count)
            };
            if let Some(own) = asked.own().iter().find(|own| is_piece(own)) {
                return refused(Problem::PieceName(own.clone()));
            }
        }
    }
    Ok(())
}
