//! Cabinets of a set and parts of a split WIM: the first stands for the others, which are found by
//! their names.

#[path = "../../../../media/archive/tests/archive/sets/cabinet.rs"]
mod cabinet;

use super::{listed, problems};
use pfh_inside::Options;
use std::fs;
use std::path::{Path, PathBuf};

/// The names of members in these files, with the sizes; problems as `None`.
fn inside(room: &Path, files: &[&str]) -> Vec<(String, Option<usize>)> {
    let paths: Vec<PathBuf> = files.iter().map(|file| room.join(file)).collect();
    let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
    let front = format!("{}/", room.display());
    let short = |(name, bytes): (String, Option<Vec<u8>>)| (name.replace(&front, ""), bytes.map(|bytes| bytes.len()));
    listed(&paths, Options::default()).into_iter().map(short).collect()
}

fn said(file: &Path) -> Vec<String> {
    problems(file, Options::default())
}

#[test]
fn cabinets_are_found_by_the_names_in_them() {
    let room = tempfile::tempdir().unwrap();
    let at = |name: &str| room.path().join(name);
    let cabinets = cabinet::set(&cabinet::files(), 100_000, None);
    // In other letters than the headers have, and one beside them of another set.
    let names = ["1.CAB", "2.cab", "3.Cab", "4.CAB"];
    for (name, bytes) in names.iter().zip(&cabinets) {
        fs::write(at(name), bytes).unwrap();
    }
    let expected: Vec<(String, Option<usize>)> = cabinet::files()
        .into_iter()
        .map(|(name, bytes)| (format!("1.CAB!/{}", name.replace('\\', "/")), Some(bytes.len())))
        .collect();
    assert_eq!(inside(room.path(), &names), expected);
    assert_eq!(inside(room.path(), &["3.Cab", "4.CAB", "1.CAB", "2.cab"]), expected);
    // The first alone brings the others; a later one alone says that it is not opened.
    assert_eq!(inside(room.path(), &["1.CAB"]), expected);
    assert_eq!(inside(room.path(), &["3.Cab"]), [("3.Cab!/".to_owned(), None)]);
    assert!(said(&at("3.Cab"))[0].contains("whose first is not among the inputs"));
    // Another cabinet of that name, of another set.
    let mut other = cabinets[2].clone();
    other[32] ^= 1;
    fs::write(at("3.Cab"), other).unwrap();
    let found = said(&at("1.CAB"));
    assert!(found.len() == 2 && found[0].contains("the cabinet 3.cab of the set is not beside"), "{found:?}");
    assert!(found[1].contains("goes on in the cabinet 3.cab, which is not beside"), "{found:?}");
    fs::remove_file(at("1.CAB")).unwrap();
    let found = said(&at("2.cab"));
    let lost = ["1.cab of the set", "3.cab of the set", "begins in the cabinet 1.cab", "goes on in the cabinet 3.cab"];
    assert!(found.iter().all(|why| lost.iter().any(|lost| why.contains(lost))) && found.len() == 5, "{found:?}");
}

/// A part of a WIM without streams.
fn part(number: u16, count: u16) -> Vec<u8> {
    let mut bytes = b"MSWIM\0\0\0".to_vec();
    bytes.extend([208_u32, 0x10d00, 0, 0].map(u32::to_le_bytes).concat());
    bytes.extend([7; 16]);
    bytes.extend([number, count].map(u16::to_le_bytes).concat());
    bytes.resize(208, 0);
    bytes[56] = 208;
    bytes
}

#[test]
fn parts_of_a_split_image_are_found_by_their_numbers() {
    let room = tempfile::tempdir().unwrap();
    let at = |name: &str| room.path().join(name);
    let names = ["x1.swm", "x12.swm", "x13.swm"];
    for (name, number) in names.iter().zip(1..) {
        fs::write(at(name), part(number, 3)).unwrap();
    }
    assert_eq!(inside(room.path(), &["x13.swm", "x1.swm", "x12.swm"]), []);
    let found = said(&at("x12.swm"));
    assert!(found.len() == 1 && found[0].contains("whose first is not among the inputs"), "{found:?}");
    fs::remove_file(at("x12.swm")).unwrap();
    let found = said(&at("x1.swm"));
    assert!(found.len() == 1 && found[0].contains("part 2 of 3 (NAME2.swm) is not beside it"), "{found:?}");
    fs::remove_file(at("x1.swm")).unwrap();
    let found = said(&at("x13.swm"));
    assert!(found.iter().any(|why| why.contains("part 1 of 3 (NAME.swm)")), "{found:?}");
    // One that has another name than its number says.
    fs::rename(at("x13.swm"), at("y.swm")).unwrap();
    assert_eq!(said(&at("y.swm")).len(), 2);
}
