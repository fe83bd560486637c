//! The content of containers, as the rows of the jobs that hash and list.

use crate::room::Room;
use pfh::hash::{self, Event, Request};
use pfh::{Control, Input, Inside, Outcome, Recurse, Summary, check, inside, list};
use pfh_inject::{Need, random};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// The programs that make and open the containers.
pub const ARCHIVERS: &[Need] = &[
    Need::Program("7z"),
    Need::Program("bzip2"),
    Need::Program("mkfs.ext4"),
    Need::Program("sfdisk"),
    Need::Program("tar"),
    Need::Program("unzip"),
    Need::Program("xz"),
    Need::Program("zip"),
    Need::Program("zstd"),
];

/// A record, by its name in the room.
#[derive(Debug, Clone)]
pub struct Row {
    pub name: String,
    /// Digests; or why there are none: the code of a problem and its cause, or the reason of a
    /// skip.
    pub found: Result<Vec<String>, (&'static str, String)>,
    pub size: Option<u64>,
    pub inside: Option<Arc<Inside>>,
}

impl Row {
    /// The first digest.
    pub fn digest(&self) -> &str {
        &self.found.as_ref().unwrap_or_else(|why| panic!("{}: {why:?}", self.name))[0]
    }

    /// The code of a problem: empty for none, `skipped` where nothing is read.
    pub fn code(&self) -> &'static str {
        self.found.as_ref().err().map_or("", |why| why.0)
    }

    pub fn cause(&self) -> &str {
        self.found.as_ref().err().map_or("", |why| &why.1)
    }
}

/// Files of the room, whose containers are opened; directories are walked.
pub fn input(room: &Room, names: &[&str], change: impl FnOnce(&mut inside::Options)) -> Input {
    let mut input = Input::new(names.iter().map(|name| room.at(name))).recurse(Recurse::Yes);
    let mut options = inside::Options::default();
    change(&mut options);
    input.inside = Some(options);
    input
}

/// The request for their SHA-256.
pub fn asked(room: &Room, names: &[&str], change: impl FnOnce(&mut inside::Options)) -> Request {
    Request::new(input(room, names, change), ["sha256".parse().unwrap()])
}

/// The rows in their order, and the counts, which add up.
pub fn ran(room: &Room, request: &Request) -> (Vec<Row>, Summary) {
    let start = format!("{}/", room.path().display());
    let mut rows = Vec::new();
    let mut take = |event: Event<'_>| {
        let Event::Record(record) = event else { return Ok(()) };
        let name = String::from_utf8_lossy(&record.name).into_owned();
        let name = name.strip_prefix(&start).map_or(name.clone(), str::to_owned);
        rows.push(match &record.outcome {
            Outcome::Hashed(file) => Row {
                name,
                found: Ok(file.digests.iter().map(ToString::to_string).collect()),
                size: Some(file.closed.size),
                inside: file.closed.inside.clone(),
            },
            Outcome::Skipped(why) => {
                Row { name, found: Err(("skipped", why.reason().to_owned())), size: None, inside: None }
            }
            Outcome::Failed(problem) => {
                Row { name, found: Err((problem.code(), problem.to_string())), size: None, inside: None }
            }
        });
        Ok(())
    };
    let summary = hash::run(request, &mut take, &Control::new()).unwrap().run;
    let hashed = rows.iter().filter(|row| row.found.is_ok()).count() as u64;
    let skipped = rows.iter().filter(|row| row.code() == "skipped").count() as u64;
    assert_eq!((summary.hashed, summary.skipped), (hashed, skipped), "{rows:?}");
    assert_eq!(summary.failed, rows.len() as u64 - hashed - skipped, "{rows:?}");
    (rows, summary)
}

/// All containers of the files are opened.
pub fn rows(room: &Room, names: &[&str]) -> (Vec<Row>, Summary) {
    ran(room, &asked(room, names, |_| {}))
}

/// The row of this name.
pub fn row<'a>(rows: &'a [Row], name: &str) -> &'a Row {
    let mut found = rows.iter().filter(|row| row.name == name);
    let row = found.next().unwrap_or_else(|| panic!("{name} has no row among {rows:?}"));
    assert!(found.next().is_none(), "{name} has two rows");
    row
}

/// The first digest of each file in a container, by its name there. All could be read.
pub fn found(room: &Room, container: &str) -> BTreeMap<String, String> {
    of(container, &rows(room, &[container]))
}

pub fn of(container: &str, (rows, summary): &(Vec<Row>, Summary)) -> BTreeMap<String, String> {
    assert_eq!(summary.failed, 0, "{rows:?}");
    let start = format!("{container}!/");
    let inner = |row: &Row| Some((row.name.strip_prefix(&start)?.to_owned(), row.digest().to_owned()));
    rows.iter().filter_map(inner).collect()
}

/// A tree with names of every kind that archives can hold.
pub fn tree(room: &Room) {
    let names = ["plain", "sub/b.bin", "ümlaut €", "bang!", "dir!/x", "dir!!/y!", "new\nline", "empty", " sp ace"];
    for (at, name) in names.iter().enumerate() {
        let length = if *name == "empty" { 0 } else { 1000 + at * at * 20_011 };
        room.file(format!("t/{name}"), &random(at as u64, length));
    }
}

/// The names that are listed, with the facts of each, and how many could not be.
pub fn listed(room: &Room, request: &list::Request) -> (Vec<(String, Inside)>, list::Summary) {
    let start = format!("{}/", room.path().display());
    let mut names = Vec::new();
    let mut take = |event: list::Event<'_>| {
        if let list::Event::Name { name, inside, .. } = event {
            let name = String::from_utf8_lossy(name).into_owned();
            names.push((name.strip_prefix(&start).map_or(name.clone(), str::to_owned), inside.clone()));
        }
        Ok(())
    };
    let summary = list::run(request, &mut take, &Control::new()).unwrap();
    assert_eq!(summary.names, names.len() as u64);
    (names, summary)
}

/// Files by a list of the members of containers: right, different, missing, unread.
pub fn checked(list: &Path) -> [u64; 4] {
    let summary = check::run(&check::Request::new(list), &mut |_| Ok(()), &Control::new()).unwrap();
    match &summary.parts[0].findings {
        check::Findings::Files(files) => [files.right, files.different, files.missing, files.unread],
        other => panic!("{other:?}"),
    }
}
