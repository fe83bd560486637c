//! Files of Windows: names that its usual paths cannot have, streams, files that others hold, and
//! writers that are kept out.

use pfh_source::{
    Cause, Descend, Entry, FolderSource, Item, Operands, Problem, Reading, ReceivedFolder, Recurse, Source,
};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::windows::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// ERROR_SHARING_VIOLATION.
const SHARING: Option<i32> = Some(32);
/// FILE_SHARE_READ and FILE_SHARE_WRITE.
const READ_AND_WRITE: u32 = 3;

/// A directory whose path is of the form without limits.
fn room() -> (tempfile::TempDir, PathBuf) {
    let room = tempfile::tempdir().unwrap();
    let path = room.path().canonicalize().unwrap();
    assert!(path.to_str().unwrap().starts_with(r"\\?\"));
    (room, path)
}

fn pull(mut source: impl Source) -> Vec<Item> {
    std::iter::from_fn(|| source.pull()).collect()
}

fn operands(path: &Path, descend: Descend) -> Vec<Item> {
    pull(Operands::new(vec![path.to_str().unwrap().as_bytes().to_vec()], descend))
}

fn entry(item: Item) -> Entry {
    match item {
        Item::Entry(entry) => entry,
        Item::Problem { name, problem, .. } => panic!("{}: {problem}", String::from_utf8_lossy(&name)),
        _ => panic!("no entry"),
    }
}

fn open(path: &Path, descend: Descend) -> Result<Reading, Problem> {
    entry(operands(path, descend).remove(0)).open()
}

fn read(mut reading: Reading) -> Result<Vec<u8>, Problem> {
    let (mut bytes, mut room) = (Vec::new(), vec![0; 5]);
    loop {
        match reading.read(&mut room)? {
            0 => break,
            n => bytes.extend_from_slice(&room[..n]),
        }
    }
    reading.close().map(|_| bytes)
}

fn refused(opened: Result<Reading, Problem>) -> Problem {
    opened.err().expect("it is not opened")
}

#[test]
fn names_that_usual_paths_cannot_have_are_read() {
    let (_room, room) = room();
    let deep: PathBuf = (0..30).map(|at| format!("a directory of level {at}")).collect();
    fs::create_dir_all(room.join(&deep)).unwrap();
    assert!(room.join(&deep).as_os_str().len() > 600);
    let mut expected: Vec<String> = ["CON", "aux.txt", "nul.tar.gz", "dot.", "COM1", "plain"].map(String::from).into();
    expected.push(deep.join("bottom").to_str().unwrap().replace('\\', "/"));
    for name in &expected {
        fs::write(room.join(name.replace('/', r"\")), name).unwrap();
    }
    expected.sort();
    let items = operands(&room, Descend { recurse: Recurse::Yes, ..Descend::default() });
    let mut found = Vec::new();
    for entry in items.into_iter().map(entry) {
        let name = String::from_utf8(entry.name()).unwrap();
        let name = name[room.as_os_str().len() + 1..].to_owned();
        assert_eq!(read(entry.open().unwrap()).unwrap(), name.as_bytes());
        found.push(name);
    }
    found.sort();
    assert_eq!(found, expected);
    // A list names them too.
    let names = expected.iter().collect();
    let within = FolderSource::open(room.to_str().unwrap().as_bytes(), names).unwrap();
    let contents: Vec<Vec<u8>> =
        pull(within).into_iter().map(|item| read(entry(item).open().unwrap()).unwrap()).collect();
    assert_eq!(contents, expected.iter().map(|name| name.clone().into_bytes()).collect::<Vec<_>>());
}

/// Wine makes a file of that name; Windows a stream of the file.
#[test]
fn a_stream_that_a_list_names_is_opened() {
    let (_room, room) = room();
    fs::create_dir(room.join("d")).unwrap();
    fs::write(room.join("d").join("a.txt"), "content").unwrap();
    fs::write(room.join("d").join("a.txt:secret"), "hidden").unwrap();
    let names = ["d/a.txt", "d/a.txt:secret", "d/a.txt:none", "d/a.txt::$DATA", "d/a.txt:", "d:x/a.txt"];
    let names = names.iter().collect();
    let within = FolderSource::open(room.to_str().unwrap().as_bytes(), names).unwrap();
    let opened: Vec<_> = pull(within).into_iter().map(|item| entry(item).open().and_then(read)).collect();
    assert_eq!(opened[0].as_deref(), Ok(&b"content"[..]));
    assert_eq!(opened[1].as_deref(), Ok(&b"hidden"[..]));
    assert!(opened[2..].iter().all(Result::is_err), "{opened:?}");
    // A file and its stream are two entries, and have two identities.
    let stat = |name: &str| entry(operands(&room.join("d").join(name), Descend::default()).remove(0)).look().unwrap();
    assert_ne!(stat("a.txt").identity(), stat("a.txt:secret").identity());
    assert_eq!(stat("a.txt:secret").size, 6);
}

/// Wine keeps no streams, and says of each file that it has none.
#[test]
fn streams_are_entries_behind_their_file() {
    let (_room, room) = room();
    let named = ["a.txt", "a.txt:a", "a.txt:b", "d:of a directory"];
    let files = if std::env::var_os("PFH_EMULATOR").is_some() { &named[..1] } else { &named };
    fs::create_dir(room.join("d")).unwrap();
    for name in files {
        fs::write(room.join(name), name).unwrap();
    }
    let items = operands(&room, Descend { recurse: Recurse::Yes, streams: true, ..Descend::default() });
    let found: Vec<String> = items.into_iter().map(|item| String::from_utf8(entry(item).name()).unwrap()).collect();
    let expected: Vec<String> = files.iter().map(|name| format!("{}/{name}", room.display())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_held_file_is_not_written_to() {
    let (_room, room) = room();
    let file = room.join("file");
    fs::write(&file, "one state").unwrap();
    let hold = || Descend { hold: true, ..Descend::default() };
    let reading = open(&file, hold()).unwrap();
    let writer = || OpenOptions::new().write(true).open(&file);
    assert_eq!(writer().unwrap_err().raw_os_error(), SHARING);
    assert!(File::open(&file).is_ok(), "others read");
    assert_eq!(read(reading).unwrap(), b"one state");
    // Nobody is kept out who has it already, and then it is not read.
    let mut held = writer().unwrap();
    let problem = refused(open(&file, hold()));
    assert_eq!(problem.code(), "EBUSY");
    assert!(problem.to_string().contains("in use by another program") && problem.to_string().contains("shadow copy"));
    // Without that nobody is disturbed, and a write is seen.
    let reading = open(&file, Descend::default()).unwrap();
    held.write_all(b"another state").unwrap();
    held.sync_all().unwrap();
    assert!(matches!(read(reading).unwrap_err().cause, Cause::Changed(_) | Cause::Size { .. }));
}

/// By the handle of their directory: its path may lead elsewhere by then.
#[test]
fn outputs_in_a_received_directory_stay_in_it() {
    let (_room, room) = room();
    let names = |directory: &str| {
        let mut names: Vec<String> = fs::read_dir(room.join(directory))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    fs::create_dir(room.join("bag")).unwrap();
    fs::write(room.join("bag").join("old"), "former").unwrap();
    let received = ReceivedFolder::open(&room.join("bag")).unwrap();
    for name in ["old", "new", "CON", "dot."] {
        let mut output = received.output(Path::new(name)).unwrap();
        output.write_all(name.as_bytes()).unwrap();
        output.commit().unwrap();
        assert_eq!(fs::read(room.join("bag").join(name)).unwrap(), name.as_bytes());
    }
    let mut output = received.output(Path::new("given up")).unwrap();
    output.write_all(b"part").unwrap();
    drop(output);
    assert_eq!(names("bag"), ["CON", "dot.", "new", "old"]);
    for name in ["old:stream", "..", "a:b"] {
        assert!(received.output(Path::new(name)).is_err(), "{name}");
    }
}

#[test]
fn a_file_that_another_program_has_alone_is_in_use() {
    let (_room, room) = room();
    let file = room.join("file");
    fs::write(&file, "1").unwrap();
    let alone = OpenOptions::new().read(true).share_mode(0).open(&file).unwrap();
    let problem = refused(open(&file, Descend::default()));
    assert_eq!((problem.code(), problem.errno()), ("EBUSY", SHARING));
    drop(alone);
    let shared = OpenOptions::new().read(true).write(true).share_mode(READ_AND_WRITE).open(&file).unwrap();
    assert_eq!(open(&file, Descend::default()).and_then(read).unwrap(), b"1");
    drop(shared);
}
