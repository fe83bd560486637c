//! The jobs of files write to nothing that they read, and replace nothing that is there: the library's user has the program's guard.

use pfh::outputs::Refused;
use pfh::{Control, Input, compare, hash, matching};
use std::fs;
use std::path::{Path, PathBuf};

struct Room(tempfile::TempDir);

impl Room {
    /// Two files, a list of their digests, a list of similarity digests, and somebody's file.
    fn new() -> Room {
        let room = Room(tempfile::tempdir().unwrap());
        let text = |from: u32| (from..from + 2000).map(|n| format!("{n} ")).collect::<String>();
        fs::write(room.at("a"), text(0)).unwrap();
        fs::write(room.at("b"), text(9)).unwrap();
        fs::write(room.at("theirs"), "somebody's").unwrap();
        for (list, algorithm) in [("list", "sha256"), ("similar", "ssdeep")] {
            let request = hash::Request::new(room.input(), vec![pfh::algorithm(algorithm).unwrap()]);
            hash::run(&request.output(room.at(list)), &mut |_| Ok(()), &Control::new()).unwrap();
        }
        room
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn input(&self) -> Input {
        Input::new([self.at("a"), self.at("b")])
    }

    /// All files with what is in them.
    fn files(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let paths = fs::read_dir(self.0.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = paths.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        files.sort();
        files
    }
}

/// How a job with one output ends: refused, or done.
type Job = fn(&Room, &Path, bool) -> Result<(), Option<Refused>>;

fn hashing(room: &Room, output: &Path, replace: bool) -> Result<(), Option<Refused>> {
    let request = hash::Request::new(room.input(), vec!["sha256".parse().unwrap()]).output(output).replace(replace);
    let ran = hash::run(&request, &mut |_| Ok(()), &Control::new());
    ran.map(drop).map_err(|error| if let hash::Error::Refused(refused) = error { Some(refused) } else { None })
}

fn caching(room: &Room, output: &Path, replace: bool) -> Result<(), Option<Refused>> {
    let reuse = hash::Reuse { path: output.to_owned(), sample: 0.0 };
    let request = hash::Request::new(room.input(), vec!["sha256".parse().unwrap()]).reuse(Some(reuse));
    let request = request.output(room.at("new")).replace(replace);
    let ran = hash::run(&request, &mut |_| Ok(()), &Control::new());
    ran.map(drop).map_err(|error| if let hash::Error::Refused(refused) = error { Some(refused) } else { None })
}

fn matches(room: &Room, output: &Path, replace: bool) -> Result<(), Option<Refused>> {
    let sets = matching::Sets { known: vec![room.at("list")], ..Default::default() };
    let request = matching::Request::new(room.input(), sets).output(output).replace(replace);
    let ran = matching::run(&request, &mut |_| Ok(()), &Control::new());
    ran.map(drop).map_err(|error| if let matching::Error::Refused(refused) = error { Some(refused) } else { None })
}

fn similar(room: &Room, output: &Path, replace: bool) -> Result<(), Option<Refused>> {
    use matching::similar::{Error, Request, run};
    let request = Request::new(room.input(), room.at("similar")).output(output).replace(replace);
    let ran = run(&request, &mut |_| Ok(()), &Control::new());
    ran.map(drop).map_err(|error| if let Error::Refused(refused) = error { Some(refused) } else { None })
}

fn indexing(room: &Room, output: &Path, replace: bool) -> Result<(), Option<Refused>> {
    use matching::similar::{Error, Request, run};
    let request = Request::new(Input::default(), room.at("similar")).write_index(output).replace(replace);
    let ran = run(&request, &mut |_| Ok(()), &Control::new());
    ran.map(drop).map_err(|error| if let Error::Refused(refused) = error { Some(refused) } else { None })
}

fn comparing(room: &Room, output: &Path, replace: bool) -> Result<(), Option<Refused>> {
    let request = compare::Request::new(room.input()).output(output).replace(replace);
    let ran = compare::run(&request, &mut |_| Ok(()), &Control::new());
    ran.map(drop).map_err(|error| if let compare::Error::Refused(refused) = error { Some(refused) } else { None })
}

fn drawing(room: &Room, output: &Path, replace: bool) -> Result<(), Option<Refused>> {
    let mut request = compare::Request::new(room.input()).output(room.at("new")).replace(replace);
    request.page = Some(output.to_owned());
    let ran = compare::run(&request, &mut |_| Ok(()), &Control::new());
    ran.map(drop).map_err(|error| if let compare::Error::Refused(refused) = error { Some(refused) } else { None })
}

const JOBS: [(&str, Job, &[&str]); 7] = [
    ("hash", hashing, &["a", "b"]),
    ("hash with a cache", caching, &["a", "b"]),
    ("match", matches, &["a", "b", "list"]),
    ("match --similar", similar, &["a", "b", "similar"]),
    ("an index", indexing, &["similar"]),
    ("compare", comparing, &["a", "b"]),
    ("a page", drawing, &["a", "b"]),
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
                assert!(matches!(refused, Some(Refused::Source { .. })), "{name} onto {source}: {refused:?}");
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
        assert!(matches!(refused, Some(Refused::Exists { .. })), "{name}: {refused:?}");
        assert_eq!(room.files(), before, "{name}");
        let replaced = job(&room, &theirs, true);
        // A file that is no cache is not made one.
        if name != "hash with a cache" {
            replaced.unwrap_or_else(|refused| panic!("{name}: {refused:?}"));
            assert_ne!(fs::read(theirs).unwrap(), b"somebody's", "{name}");
        }
    }
}
