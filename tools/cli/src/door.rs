//! Operands as they are typed: addresses in the place of files; and paths of Windows, with
//! backslashes and with wildcards that no shell of theirs expands. Inside of pfh, and in all that
//! it writes, `/` separates.

use crate::exit::Failure;
use crate::pieces::{Flag, Piece, option, page, pieces};
use clap::{Arg, Command};
use std::any::TypeId;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The arguments with paths as pfh has them. On all other systems they are that already.
pub fn entered(root: &Command, arguments: Vec<OsString>) -> Vec<OsString> {
    if !cfg!(windows) {
        return arguments;
    }
    use pfh::name_bytes::OsStringExt;
    let entered = |word: &OsStr| pfh::name_bytes::entered_path(word.to_owned());
    let wild = |word: OsString| match pfh::wildcards(word.as_encoded_bytes()) {
        Some(names) => names.into_iter().map(OsString::from_vec).collect(),
        None => vec![word],
    };
    rewritten(root, arguments, &entered, &wild)
}

/// Commands whose operands may be addresses of objects.
const OF_STORES: &[&str] = &["hash", "compare", "match", "check", "plan", "audit ask", "diff", "dups"];

/// Refuses an address of an object where a file is meant.
///
/// # Errors
/// The first one.
pub fn local(root: &Command, arguments: &[OsString]) -> Result<(), Failure> {
    let (page, path, used) = page(root, arguments);
    let takes_paths = page.get_positionals().any(is_path) && !OF_STORES.contains(&&*path);
    let is_file = |piece: &Piece| match piece {
        // if=FILE, of=FILE.
        Piece::Operand(word) if &*path == "dd" => Some(word.to_str()?.split_once('=')?.1.into()),
        Piece::Operand(word) if takes_paths => Some(word.clone()),
        Piece::Flag(Flag { name, value, .. }) => value.clone().filter(|_| option(page, name).is_some_and(is_path)),
        _ => None,
    };
    let files = pieces(page, &arguments[used..], &|_| None);
    match files.iter().filter_map(is_file).find(|file| pfh::is_address(file.as_encoded_bytes())) {
        None => Ok(()),
        Some(address) => Err(Failure::usage(format_args!(
            "{}: an object of a store, and pfh {path} takes files here: fetch it first",
            pfh::terminal::render(address.as_encoded_bytes())
        ))),
    }
}

fn rewritten(
    root: &Command,
    arguments: Vec<OsString>,
    entered: &dyn Fn(&OsStr) -> OsString,
    wild: &dyn Fn(OsString) -> Vec<OsString>,
) -> Vec<OsString> {
    let (page, _, used) = page(root, &arguments);
    if !page.get_positionals().any(is_path) && !page.get_arguments().any(is_path) {
        return arguments;
    }
    let takes_paths = page.get_positionals().any(is_path);
    let mut words = arguments[..used].to_vec();
    let mut is_behind = false;
    for piece in pieces(page, &arguments[used..], &|_| None) {
        match piece {
            Piece::Operand(word) if takes_paths => words.extend(wild(entered(&word))),
            Piece::Fixed(word) if is_behind && takes_paths => words.extend(wild(entered(&word))),
            Piece::Fixed(word) => {
                is_behind |= word == "--";
                words.push(word);
            }
            Piece::Flag(Flag { name, value: Some(value), joined, known }) => {
                let is_path = option(page, &name).is_some_and(|arg| is_path(arg) || is_pattern(arg));
                let value = if is_path { entered(&value) } else { value };
                words.extend(Piece::Flag(Flag { name, value: Some(value), joined, known }).words());
            }
            other => words.extend(other.words()),
        }
    }
    words
}

/// Whether the values of an argument are paths.
fn is_path(arg: &Arg) -> bool {
    let kind = arg.get_value_parser().type_id();
    kind == TypeId::of::<PathBuf>() || kind == TypeId::of::<OsString>()
}

/// Whether the values of an argument are patterns of paths. No name of Windows has characters that
/// only a `\` before them would make plain.
fn is_pattern(arg: &Arg) -> bool {
    ["include", "exclude"].contains(&arg.get_id().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_no_addresses() {
        let root = crate::help::whole();
        let is_local = |line: &str| local(&root, &line.split(' ').map(OsString::from).collect::<Vec<_>>()).is_ok();
        for line in [
            "hash s3://b/x",
            "hash ./s3://b",
            "check s3://b/list",
            "diff s3://b/x y",
            "dups gs://b/x",
            "audit ask http://h kept",
            "hash -- -q",
        ] {
            assert!(is_local(line), "{line}");
        }
        for line in [
            "diff a b --cache s3://b/x",
            "dups a --never gs://b/x",
            "verify s3://b/x",
            "list https://h/x.zip",
            "known build k --bad s3://b/x",
            "bag validate s3://b/x",
            "hash d -o s3://b/list",
            "match -k s3://b/known d",
            "dd if=s3://b/x of=y",
        ] {
            assert!(!is_local(line), "{line}");
        }
    }

    #[test]
    fn paths_are_rewritten_and_nothing_else_is() {
        let root = {
            let mut root = crate::help::command(false);
            root.build();
            root
        };
        let of = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let entered = |word: &OsStr| OsString::from(word.to_str().unwrap().replace('\\', "/"));
            let wild = |word: OsString| match word.to_str() {
                Some("d/*") => vec!["d/1".into(), "d/2".into()],
                _ => vec![word],
            };
            let words = rewritten(&root, words, &entered, &wild);
            words.join(OsStr::new(" ")).into_string().unwrap()
        };
        assert_eq!(of(r"hash -r a\b -o out\x"), "hash -r a/b -o out/x");
        assert_eq!(of(r"hash --output=out\x d\* -- -r d\*"), "hash --output=out/x d/1 d/2 -- -r d/1 d/2");
        assert_eq!(of(r"hash --exclude d\* a\b"), "hash --exclude d/* a/b");
        assert_eq!(of(r"hash --include=d\s d --threads 2"), "hash --include=d/s d --threads 2");
        assert_eq!(of(r"check lists\a"), "check lists/a");
        assert_eq!(of("algorithms --json"), "algorithms --json");
    }
}
