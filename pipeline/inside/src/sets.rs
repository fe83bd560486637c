//! The files of a set that states in each of them which others there are: parts of a split WIM,
//! cabinets.

use super::medium::ImageMedium;
use pfh_archive::{CabinetOfSet, cabinet_of_set, part_of_wim};
use pfh_source::image::Image;
use pfh_source::os::names::OsStrExt;
use pfh_volume::Bytes;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Files of a directory whose names are looked at, at most.
const MOST: usize = 100_000;
/// Cabinets of a set, at most.
const CABINETS: usize = 4096;

/// The parts of a WIM that are there, by one of them, the first in front: `x.swm`, `x2.swm` …
pub fn wim(path: &[u8], bytes: &dyn Bytes) -> Vec<PathBuf> {
    let path = Path::new(OsStr::from_bytes(path));
    let alone = vec![path.to_owned()];
    let Some((number, count)) = part_of_wim(bytes) else { return alone };
    let name = path.file_name().unwrap_or_default().as_bytes();
    let dot = name.iter().rposition(|byte| *byte == b'.').unwrap_or(name.len());
    let (stem, ending) = name.split_at(dot);
    let stem = match number {
        1 => Some(stem),
        number => stem.strip_suffix(number.to_string().as_bytes()),
    };
    let Some(stem) = stem else { return alone };
    let named = |number: u16| {
        let number = if number == 1 { String::new() } else { number.to_string() };
        path.with_file_name(OsStr::from_bytes(&[stem, number.as_bytes(), ending].concat()))
    };
    // One whose first is not there says so.
    if number != 1 && !named(1).is_file() {
        return alone;
    }
    (1..=count).map(named).filter(|part| part.is_file()).collect()
}

/// The cabinets of a set that are there, by one of them, in order: as far as each is beside the one
/// that names it.
pub fn cabinets(path: &[u8], bytes: &dyn Bytes) -> Vec<PathBuf> {
    let path = Path::new(OsStr::from_bytes(path));
    let Some(own) = cabinet_of_set(bytes) else { return vec![path.to_owned()] };
    let chain = |is_before: bool| {
        let mut chain: Vec<PathBuf> = Vec::new();
        let mut last = own.clone();
        while chain.len() < CABINETS
            && let Some((next, found)) = beside(path, &last, is_before)
        {
            chain.push(next);
            last = found;
        }
        chain
    };
    let mut all = chain(true);
    all.reverse();
    all.push(path.to_owned());
    all.extend(chain(false));
    all
}

/// The cabinet before this one, or the next one: of the same set, with the number that is due.
fn beside(path: &Path, of: &CabinetOfSet, is_before: bool) -> Option<(PathBuf, CabinetOfSet)> {
    let (name, due) = match is_before {
        true => (&of.previous, of.number.checked_sub(1)?),
        false => (&of.next, of.number.checked_add(1)?),
    };
    let path = path.with_file_name(named(path, name)?);
    let found = cabinet_of_set(&ImageMedium(Image::join(std::slice::from_ref(&path)).ok()?))?;
    ((found.id, found.number) == (of.id, due)).then_some((path, found))
}

/// The file of this name in the directory of another file, in capitals or not.
fn named(path: &Path, name: &[u8]) -> Option<OsString> {
    let is_plain = !name.is_empty() && !name.contains(&b'/') && !name.contains(&b'\\') && !matches!(name, b"." | b"..");
    if !is_plain {
        return None;
    }
    let exact = OsStr::from_bytes(name);
    if path.with_file_name(exact).is_file() {
        return Some(exact.to_owned());
    }
    let directory = path.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let names = std::fs::read_dir(directory).ok()?.take(MOST).filter_map(|entry| Some(entry.ok()?.file_name()));
    let alike = names.filter(|found| found.as_bytes().eq_ignore_ascii_case(name));
    alike.filter(|found| path.with_file_name(found).is_file()).min()
}
