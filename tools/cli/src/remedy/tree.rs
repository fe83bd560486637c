//! Trees: where they go, and which verb helps.

use pfh::job::Error;
use pfh::terminal::render;
use pfh::terminal::shown;
use pfh::tree::{Failure, Problem, TreeKeyError};
use std::path::Path;

/// The sentence for a job's error, if an option helps.
pub fn sentence(error: &Error) -> Option<String> {
    let said = error.to_string();
    if let Some((file, _)) = said.split_once(".pfhtree: open: No such file") {
        let line = crate::shell::quoted(std::ffi::OsStr::new(file));
        return Some(format!("{file} has no tree beside it; type this:\n  pfh tree build {line}"));
    }
    if let Some(failed) = error.find::<Failure>() {
        return named(failed);
    }
    Some(match error.find::<Problem>()? {
        Problem::NoName => "standard input has no name: state where its tree goes with --outboard TREE".into(),
        Problem::Directory(path) => format!(
            "{}: is a directory: its catalogue goes where --outboard says; `pfh tree build -r` builds the trees of the files below it",
            shown(path)
        ),
        Problem::NoLine { path, identity } => {
            format!("{}: has no line for {}: state one with --identity", shown(path), render(identity))
        }
        Problem::NotKept { tree, name } => {
            format!("{}: is a tree of {name}, which auditors do not keep: state its root with --root", shown(tree))
        }
        Problem::NoProof { tree, name } => format!(
            "{}: is a tree of {name}, which has no paths that prove a change: leave --proof out, or build a tree by blake3",
            shown(tree)
        ),
        Problem::KeyOf { .. } => format!("{error}: state it with --key-file FILE"),
        Problem::NoKey(why) => format!("{why}: state it with --key-file FILE"),
        Problem::Locked { path, why: why @ TreeKeyError::Missing(_) } => wanted(path, why),
        Problem::Leaf => "--leaf: a leaf has a power of two bytes, from 1KiB to 16MiB".into(),
        Problem::OwnLeaf(_) => "--leaf is of blake3, sha256, sha3-256 and the functions of a key; the name of another \
             states it: sakura-fng-128,block=4096"
            .into(),
        Problem::Unending(sender) => {
            format!("{}: has no known end: state the length of the file with --size, or OFFSET+LENGTH", shown(sender))
        }
        Problem::Endless => "--size: a file of that length has no tree that can be held".into(),
        Problem::Memory { deliveries, needed } => {
            format!("{deliveries} senders need {needed} bytes of memory: raise --memory, or shorten --leaf")
        }
        Problem::Altered { path, offset } => format!(
            "{}: altered since it was received, from byte {offset} on: to receive all again, remove its receipt and use --force",
            shown(path)
        ),
        Problem::Receipt { path, why } => format!(
            "{}: is not a receipt of this file: {why}: state the same options, or, to receive all again, remove it and use --force",
            shown(path)
        ),
        Problem::Doubtful { .. } => format!("{error}; the same command compares them again"),
        Problem::Awaited { .. } => format!("{error}; the same command goes on, or one with senders of these ranges"),
        Problem::Part => "--part: a part has at least one byte".into(),
        _ => return None,
    })
}

/// The sentence for a tree whose key is not stated.
pub fn wanted(path: &Path, why: &TreeKeyError) -> String {
    format!("{}: {why}: state it with --key-file FILE", shown(path))
}

/// The sentence for a file that has no result.
pub fn failure(failed: &Failure) -> String {
    named(failed).unwrap_or_else(|| failed.to_string())
}

fn named(failed: &Failure) -> Option<String> {
    Some(match failed {
        Failure::Length { file, stated, found } => format!(
            "{}: has {found} bytes, its tree is of {stated}: `pfh tree append` takes in added bytes, `pfh tree build` builds the tree again",
            shown(file)
        ),
        Failure::Locked { tree, why: why @ TreeKeyError::Missing(_) } => wanted(tree, why),
        Failure::TwoLevels { tree, name } => format!(
            "{}: is a tree of two levels ({name}): for this, build one of pairs, with -a blake3, sha256 or sha3-256",
            shown(tree)
        ),
        _ => return None,
    })
}
