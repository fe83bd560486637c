//! Objects below an address, where a job takes a directory: `s3://bucket/prefix` stands for the
//! folder `s3://bucket/prefix/`, and an object of the folder's own key is none of its files.

use crate::bases::between;
use crate::input::{Addresses, Input, InputError};
use pfh_source::os::names::OsStringExt;
use pfh_source::{Item, Skip, Source, is_address};
use std::collections::HashSet;
use std::ffi::OsString;

/// The folder of an address, with its slash; `None` for the path of a file.
pub fn folder(name: &[u8]) -> Option<Vec<u8>> {
    let slash: &[u8] = if name.ends_with(b"/") { b"" } else { b"/" };
    is_address(name).then(|| [name, slash].concat())
}

/// Whether this is the key of a folder, which a console made: a directory, and no file.
pub fn is_folder(name: &[u8], skip: Skip) -> bool {
    skip == Skip::Directory && is_address(name)
}

fn input(names: impl IntoIterator<Item = Vec<u8>>, addresses: Addresses) -> Input {
    Input { addresses, ..Input::new(names.into_iter().map(OsString::from_vec)) }
}

/// The objects below a folder.
///
/// # Errors
/// When this build speaks with no stores.
pub fn source(folder: &[u8]) -> Result<Box<dyn Source>, InputError> {
    below([folder.to_vec()])
}

/// The objects of these keys, and those below each.
///
/// # Errors
/// As [`source`].
pub fn below(addresses: impl IntoIterator<Item = Vec<u8>>) -> Result<Box<dyn Source>, InputError> {
    input(addresses, Addresses::Below).source()
}

/// The objects of these names below a folder, one item each.
///
/// # Errors
/// As [`source`].
pub fn exactly<'a>(folder: &[u8], names: impl IntoIterator<Item = &'a [u8]>) -> Result<Box<dyn Source>, InputError> {
    let mut names = names.into_iter().peekable();
    if names.peek().is_none() {
        return Ok(Box::new(Vec::<Item>::new().into_iter()));
    }
    input(names.map(|name| [folder, name].concat()), Addresses::Exactly).source()
}

/// The names of the objects, below the folder, as far as the store lists them: a fault of the
/// listing is reported where they are read.
pub fn names(folder: &[u8]) -> Vec<Vec<u8>> {
    let Ok(mut source) = input([folder.to_vec()], Addresses::Below).listed() else { return Vec::new() };
    let mut names = Vec::new();
    while let Some(item) = source.pull() {
        if let Item::Entry(entry) = item {
            names.extend(entry.name().strip_prefix(folder).map(<[u8]>::to_vec));
        }
    }
    names
}

/// The start of these plain names, in front of their places below the folder: the folder itself, or
/// the directory below which most of them are listed; `None` if no name is.
pub fn start(listed: &[Vec<u8>], folder: &[u8]) -> Option<Vec<u8>> {
    if listed.iter().any(|name| name.starts_with(folder)) {
        return Some(folder.to_vec());
    }
    let found = names(folder);
    let [one, other] = between(listed, &found);
    let found: HashSet<&[u8]> = found.iter().map(|name| &name[..]).collect();
    let is_there = |name: &Vec<u8>| name.strip_prefix(&one[..]).is_some_and(|rest| found.contains(rest));
    (other.is_empty() && listed.iter().any(is_there)).then_some(one)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_folders_and_paths_are_none() {
        assert_eq!(folder(b"s3://b/p").as_deref(), Some(&b"s3://b/p/"[..]));
        assert_eq!(folder(b"https://host/").as_deref(), Some(&b"https://host/"[..]));
        assert_eq!((folder(b"./s3://b"), folder(b"d")), (None, None));
    }

    #[test]
    fn names_may_have_the_address_in_front() {
        let listed = [b"s3://b/p/x".to_vec(), b"other".to_vec()];
        assert_eq!(start(&listed, b"s3://b/p/").as_deref(), Some(&b"s3://b/p/"[..]));
    }
}
