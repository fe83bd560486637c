//! Trees of files: the rows of the verbs, and the trees that they must be equal to.

use crate::room::Room;
use pfh::Control;
use pfh::job::Error;
use pfh::tree::check::{self, Must};
use pfh::tree::update::ChangedParts;
use pfh::tree::{Event, Function, Parameters, Summary, TreeWork, append, beside, build, update};
use std::fs;
use std::ops::Range;
use std::path::Path;

/// The rows of files that a verb hands out.
fn rows<T>(run: impl FnOnce(&mut pfh::tree::Events<'_>) -> Result<T, Error>) -> Result<Vec<Summary>, Error> {
    let mut rows = Vec::new();
    run(&mut |event| {
        if let Event::Done(row) = event {
            rows.push(row.clone());
        }
        Ok(())
    })?;
    Ok(rows)
}

fn only(rows: Result<Vec<Summary>, Error>) -> Result<Summary, Error> {
    rows.map(|mut rows| {
        assert_eq!(rows.len(), 1, "{rows:?}");
        rows.remove(0)
    })
}

/// A tree by this algorithm, over leaves of this length where it has pairs.
pub fn by(mut request: build::Request, algorithm: &str, leaf: usize) -> build::Request {
    match Function::named(algorithm) {
        Some(function) => request.parameters = Parameters::new(function, leaf).unwrap(),
        None => request.mode = Some(algorithm.parse().unwrap()),
    }
    request
}

pub fn build_all(request: &build::Request) -> Result<Vec<Summary>, Error> {
    rows(|events| build::run(request, events, &Control::new()))
}

pub fn build(request: &build::Request) -> Result<Summary, Error> {
    only(build_all(request))
}

/// The tree beside a file, made by this algorithm.
pub fn built(file: &Path, algorithm: &str, leaf: usize) -> Summary {
    build(&by(build::Request::file(file), algorithm, leaf)).unwrap()
}

/// The bytes of the tree beside a file.
pub fn tree_of(file: &Path) -> Vec<u8> {
    fs::read(beside(file)).unwrap()
}

/// The bytes of the tree that a build gives now, beside the one that is kept.
pub fn built_now(room: &Room, file: &Path, algorithm: &str, leaf: usize) -> Vec<u8> {
    let mut request = by(build::Request::file(file), algorithm, leaf);
    request.tree = Some(room.at("built now"));
    build(&request).unwrap();
    let bytes = fs::read(room.at("built now")).unwrap();
    fs::remove_file(room.at("built now")).unwrap();
    bytes
}

pub fn check(file: &Path, must: Option<Must>) -> Result<Summary, Error> {
    let mut request = check::Request::new(file);
    request.must = must;
    only(rows(|events| check::run(&request, events, &Control::new())))
}

/// That a file is as its tree has it, under this root.
pub fn assert_whole(file: &Path, root: &[u8]) {
    let summary = check(file, Some(Must::Root(root.to_vec()))).unwrap();
    assert!(!summary.differs() && summary.root == root, "{summary:?}");
}

/// The ranges that differ from the tree beside a file.
pub fn corrupt(file: &Path) -> Vec<Range<u64>> {
    let summary = check(file, None).unwrap();
    assert_eq!(summary.differs(), summary.corrupt() != Some(Vec::new()), "{summary:?}");
    summary.corrupt().unwrap()
}

pub fn update(file: &Path, changed: ChangedParts, must: Option<Must>) -> Result<Summary, Error> {
    let mut request = update::Request::new(file, changed);
    request.must = must;
    only(rows(|events| update::run(&request, events, &Control::new())))
}

/// The ranges that were hashed again, and how many values of the tree were computed.
pub fn updated(file: &Path, changed: ChangedParts) -> (Vec<Range<u64>>, usize) {
    let summary = update(file, changed, None).unwrap();
    let TreeWork::Updated { ranges, computed } = summary.done else { panic!("{summary:?}") };
    (ranges, computed)
}

pub fn append(file: &Path, must: Option<Must>) -> Result<Summary, Error> {
    let mut request = append::Request::new(file);
    request.must = must;
    only(rows(|events| append::run(&request, events, &Control::new())))
}

/// How many bytes an append took in.
pub fn appended(file: &Path) -> u64 {
    let summary = append(file, None).unwrap();
    let TreeWork::Appended(range) = summary.done else { panic!("{summary:?}") };
    range.end - range.start
}

/// One byte that changed.
pub fn byte(at: u64) -> ChangedParts {
    ChangedParts::Ranges(vec![at..at + 1; 1])
}
