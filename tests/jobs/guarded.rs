//! The jobs of files write to nothing that they read, and replace nothing that is there: the
//! library's user has the program's guard.

use pfh::outputs::OutputRefusal;
use pfh::{Control, Input, audit, compare, hash, known, matching, tree};
use std::fs;
use std::path::{Path, PathBuf};

struct Room(tempfile::TempDir);

impl Room {
    /// Two files, a list of their digests, a list of similarity digests, a tree and an auditor's
    /// record of it, and somebody's file.
    fn new() -> Room {
        let room = Room(tempfile::tempdir().unwrap());
        let text = |from: u32| (from..from + 2000).map(|n| format!("{n} ")).collect::<String>();
        fs::write(room.at("a"), text(0)).unwrap();
        fs::write(room.at("b"), text(9)).unwrap();
        fs::write(room.at("theirs"), "somebody's").unwrap();
        for (list, algorithm) in [("list", "sha256"), ("similar", "ssdeep")] {
            let request = hash::Request::new(room.input(), [algorithm.parse().unwrap()]);
            let manifest = hash::Manifest::new(room.at(list));
            hash::write(&request, &manifest, &mut |_| Ok(()), &Control::new()).unwrap();
        }
        let build = tree::build::Request::file(room.at("a"));
        tree::build::run(&build, &mut |_| Ok(()), &Control::new()).unwrap();
        let commit = audit::commit::Request::new([room.at("a")]).output(room.at("kept"));
        audit::commit::run(&commit, &mut |_| Ok(()), &Control::new()).unwrap();
        room
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn input(&self) -> Input {
        Input::new([self.at("a"), self.at("b")])
    }

    /// All files with their contents.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let paths = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        files.sort();
        files
    }
}

fn of_job<T>(ran: Result<T, pfh::job::Error>) -> Result<(), Option<OutputRefusal>> {
    ran.map(drop).map_err(|error| if let pfh::job::Error::Refused(refused) = error { Some(refused) } else { None })
}

/// How a job with one output ends: refused, or done.
type Job = fn(&Room, &Path, bool) -> Result<(), Option<OutputRefusal>>;

fn hashing(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let request = hash::Request::new(room.input(), vec!["sha256".parse().unwrap()]).replace(replace);
    of_job(hash::write(&request, &hash::Manifest::new(output), &mut |_| Ok(()), &Control::new()))
}

fn caching(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let reuse = hash::Reuse { path: output.to_owned(), sample: 0.0 };
    let request = hash::Request::new(room.input(), vec!["sha256".parse().unwrap()]).reuse(Some(reuse));
    let manifest = hash::Manifest::new(room.at("new"));
    of_job(hash::write(&request.replace(replace), &manifest, &mut |_| Ok(()), &Control::new()))
}

fn matches(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let sets = matching::Sets { known: vec![room.at("list")], ..Default::default() };
    let request = matching::Request::new(room.input(), sets).replace(replace);
    of_job(matching::write(&request, &matching::Verdicts::new(output), &mut |_| Ok(()), &Control::new()))
}

fn similar(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    use matching::similar::{Matches, Request, write};
    let request = Request::new(room.input(), room.at("similar")).replace(replace);
    of_job(write(&request, &Matches::new(output), &mut |_| Ok(()), &Control::new()))
}

fn indexing(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    use matching::similar::{Request, run};
    let request = Request::new(Input::default(), room.at("similar")).write_index(output).replace(replace);
    of_job(run(&request, &mut |_| Ok(()), &Control::new()))
}

fn comparing(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let request = compare::Request::new(room.input()).output(output).replace(replace);
    of_job(compare::write(&request, &mut |_| Ok(()), &Control::new()))
}

fn drawing(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let mut request = compare::Request::new(room.input()).output(room.at("new")).replace(replace);
    request.page = Some(output.to_owned());
    of_job(compare::write(&request, &mut |_| Ok(()), &Control::new()))
}

fn building(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let mut request = tree::build::Request::file(room.at("a"));
    (request.tree, request.replace) = (Some(output.to_owned()), replace);
    of_job(tree::build::run(&request, &mut |_| Ok(()), &Control::new()))
}

fn receiving(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    use tree::receive::{Delivery, Request, Sender, run};
    let mut request = Request::new(output, [Delivery::new(Sender::File(room.at("a")), 0, None)]);
    (request.tree, request.replace) = (room.at("new tree"), replace);
    of_job(run(&request, &mut |_| Ok(()), &Control::new()))
}

fn proving(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let mut request = tree::prove::Request::new(room.at("a"), 0..10);
    (request.output, request.replace) = (output.into(), replace);
    of_job(tree::prove::run(&request, &mut |_| Ok(()), &Control::new()))
}

fn committing(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let mut request = audit::commit::Request::new([room.at("a")]).output(output);
    request.replace = replace;
    of_job(audit::commit::run(&request, &mut |_| Ok(()), &Control::new()))
}

fn asking(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let mut request = audit::challenge::Request::new(room.at("kept")).output(output);
    request.replace = replace;
    of_job(audit::challenge::run(&request, &mut |_| Ok(()), &Control::new()))
}

fn compiling(room: &Room, output: &Path, replace: bool) -> Result<(), Option<OutputRefusal>> {
    let mut request = known::build::Request::new(output).set(room.at("list"), known::Class::Bad);
    (request.work, request.replace) = (room.at("work"), replace);
    of_job(known::build::run(&request, &mut |_| Ok(()), &Control::new()))
}

const JOBS: [(&str, Job, &[&str]); 13] = [
    ("hash", hashing, &["a", "b"]),
    ("hash with a cache", caching, &["a", "b"]),
    ("match", matches, &["a", "b", "list"]),
    ("match --similar", similar, &["a", "b", "similar"]),
    ("an index", indexing, &["similar"]),
    ("compare", comparing, &["a", "b"]),
    ("a page", drawing, &["a", "b"]),
    ("tree build", building, &["a"]),
    ("tree receive", receiving, &["a"]),
    ("tree prove", proving, &["a", "a.pfhtree"]),
    ("audit commit", committing, &["a", "a.pfhtree"]),
    ("audit challenge", asking, &["kept"]),
    ("known build", compiling, &["list"]),
];

#[test]
fn no_job_writes_to_what_it_reads() {
    for (name, job, sources) in JOBS {
        let room = Room::new();
        for source in sources {
            // Under another name too: the guard knows files and not names.
            let link = room.at("link");
            fs::hard_link(room.at(source), &link).unwrap();
            let before = room.files();
            for (output, replace) in [(room.at(source), false), (room.at(source), true), (link.clone(), true)] {
                let refused = job(&room, &output, replace).expect_err(name);
                assert!(matches!(refused, Some(OutputRefusal::Source { .. })), "{name} onto {source}: {refused:?}");
                assert_eq!(room.files(), before, "{name} onto {source}");
            }
            fs::remove_file(link).unwrap();
        }
    }
}

#[test]
fn no_job_replaces_what_is_there_unless_that_is_asked_for() {
    for (name, job, _) in JOBS {
        let room = Room::new();
        let (theirs, before) = (room.at("theirs"), room.files());
        let refused = job(&room, &theirs, false).expect_err(name);
        assert!(matches!(refused, Some(OutputRefusal::Exists { .. })), "{name}: {refused:?}");
        assert_eq!(room.files(), before, "{name}");
        let replaced = job(&room, &theirs, true);
        // A file that is not a cache is not made one.
        if name != "hash with a cache" {
            replaced.unwrap_or_else(|refused| panic!("{name}: {refused:?}"));
            assert_ne!(fs::read(theirs).unwrap(), b"somebody's", "{name}");
        }
    }
}
