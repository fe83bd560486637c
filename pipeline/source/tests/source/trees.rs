//! Sources over real trees: every name once, in order, under any names and depths; nothing outside,
//! nothing special opened.

use pfh_source::{
    Cause, Descend, Entry, Item, Links, Operands, Order, OrderedSource, Origin, Recurse, Selection, Skip, Source,
    Special,
};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::symlink;
use std::path::Path;

fn recurse() -> Descend {
    Descend { recurse: Recurse::Yes, ..Descend::default() }
}

fn pull(mut source: impl Source) -> Vec<Item> {
    std::iter::from_fn(|| source.pull()).collect()
}

fn operands(path: &Path, descend: Descend) -> Operands {
    Operands::new(vec![path.as_os_str().as_bytes().to_vec()], descend)
}

/// (name below the root, kind of the item)
fn labels(root: &Path, items: &[Item]) -> Vec<(Vec<u8>, String)> {
    let below = |name: &[u8]| name.strip_prefix(root.as_os_str().as_bytes()).unwrap_or(name)[1..].to_vec();
    items
        .iter()
        .map(|item| match item {
            Item::Entry(entry) => (below(&entry.name()), "file".to_string()),
            Item::Skipped { name, skip, .. } => (below(name), skip.reason().to_string()),
            Item::Problem { name, problem, .. } => (below(name), problem.code().to_string()),
            Item::Settled { .. } => unreachable!("operands are not settled by themselves"),
        })
        .collect()
}

fn read(entry: &Entry) -> Result<Vec<u8>, pfh_source::Problem> {
    let mut reading = entry.open()?;
    let (mut bytes, mut room) = (Vec::new(), vec![0u8; 7]);
    loop {
        match reading.read(&mut room)? {
            0 => break,
            n => bytes.extend_from_slice(&room[..n]),
        }
    }
    let closed = reading.close()?;
    assert_eq!(closed.size, bytes.len() as u64);
    Ok(bytes)
}

#[test]
fn every_byte_in_names_and_byte_order() {
    let room = tempfile::tempdir().unwrap();
    let mut names: Vec<Vec<u8>> = (1..=255u8).filter(|b| *b != b'/' && *b != b'.').map(|b| vec![b]).collect();
    names.push(vec![b'n'; 255]);
    names.push(b".hidden".to_vec());
    for name in &names {
        fs::write(room.path().join(OsStr::from_bytes(name)), name).unwrap();
    }
    names.sort();
    let items = pull(operands(room.path(), recurse()));
    let found: Vec<Vec<u8>> = labels(room.path(), &items).into_iter().map(|(name, _)| name).collect();
    assert_eq!(found, names);
    for (number, item) in items.iter().enumerate() {
        assert_eq!(item.number(), number as u64);
        let Item::Entry(entry) = item else { panic!("a file") };
        assert_eq!(read(entry).unwrap(), names[number]);
    }
}

#[test]
fn special_files_and_links_are_listed_with_the_reason() {
    let room = tempfile::tempdir().unwrap();
    let root = room.path();
    fs::create_dir(root.join("dir")).unwrap();
    fs::write(root.join("dir/file"), "x").unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, root.join("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(root.join("socket")).unwrap();
    symlink("nowhere", root.join("dangling")).unwrap();
    symlink("..", root.join("dir/up")).unwrap();
    let kept = labels(root, &pull(operands(root, recurse())));
    let expected = [
        ("dangling", "symbolic link"),
        ("dir/file", "file"),
        ("dir/up", "symbolic link"),
        ("fifo", "FIFO"),
        ("socket", "socket"),
    ];
    let expected: Vec<_> = expected.iter().map(|(n, w)| (n.as_bytes().to_vec(), w.to_string())).collect();
    assert_eq!(kept, expected);
    let followed = labels(root, &pull(operands(root, Descend { links: Links::Follow, ..recurse() })));
    let what = |name: &str| followed.iter().find(|(n, _)| n == name.as_bytes()).map(|(_, w)| w.as_str());
    assert_eq!(what("dangling"), Some("ENOENT"));
    assert_eq!(what("dir/up"), Some("loop"));
    let flat = labels(root, &pull(operands(root, Descend { recurse: Recurse::Flat, ..Descend::default() })));
    assert_eq!(flat[1], (b"dir".to_vec(), Skip::Directory.reason().to_string()));
}

#[test]
fn operands_that_are_special_must_be_asked_for() {
    let room = tempfile::tempdir().unwrap();
    let fifo = room.path().join("fifo");
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let items = pull(operands(&fifo, Descend::default()));
    let Item::Entry(entry) = &items[0] else { panic!("an entry") };
    assert!(matches!(read(entry), Err(p) if p.cause == Cause::Special("FIFO")));
    let writer = std::thread::spawn({
        let fifo = fifo.clone();
        move || {
            // The reader must be there first: then a FIFO without a writer reads as ended, which is
            // not its content.
            std::thread::sleep(std::time::Duration::from_millis(300));
            fs::write(fifo, "through the pipe").unwrap()
        }
    });
    let items = pull(operands(&fifo, Descend { special: Special::Read, ..Descend::default() }));
    let Item::Entry(entry) = &items[0] else { panic!("an entry") };
    let bytes = read(entry).unwrap();
    writer.join().unwrap();
    assert_eq!(bytes, b"through the pipe");
}

#[test]
fn a_directory_without_recursion_is_a_problem() {
    let room = tempfile::tempdir().unwrap();
    let items = pull(operands(room.path(), Descend::default()));
    let Item::Entry(entry) = &items[0] else { panic!("an entry") };
    assert!(matches!(read(entry), Err(p) if p.cause == Cause::IsDirectory));
    let items = pull(operands(&room.path().join("missing"), recurse()));
    assert!(matches!(&items[..], [Item::Problem { problem, .. }] if problem.code() == "ENOENT"));
}

/// Makes a chain of directories, each inside the one before, by descriptors: no path would be short
/// enough.
fn chain(root: &Path, name: &str, depth: usize) {
    use rustix::fs::{Mode, OFlags, mkdirat, openat};
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut here = openat(rustix::fs::CWD, root, flags, Mode::empty()).unwrap();
    for _ in 0..depth {
        mkdirat(&here, name, Mode::RWXU).unwrap();
        here = openat(&here, name, flags, Mode::empty()).unwrap();
    }
    let file = openat(&here, "bottom", OFlags::WRONLY | OFlags::CREATE | OFlags::CLOEXEC, Mode::RUSR).unwrap();
    rustix::io::write(file, b"deep").unwrap();
}

/// Removes such a chain: std's own removal holds a descriptor per level.
fn remove(root: &Path) {
    assert!(std::process::Command::new("rm").arg("-rf").arg(root).status().unwrap().success());
}

#[test]
fn no_limit_on_depth_or_path_length() {
    for (name, depth) in [("d", 20_000), (&"l".repeat(200)[..], 60)] {
        // In memory where there is such a place: journalling file systems take a minute to remove
        // 20,000 levels.
        let room = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let root = room.path().join("root");
        fs::create_dir(&root).unwrap();
        chain(&root, name, depth);
        let items = pull(operands(&root, recurse()));
        let seen = match &items[..] {
            [Item::Entry(entry)] => Ok((entry.name().len() > depth * name.len(), read(entry).unwrap())),
            [Item::Problem { problem, .. }] => Err(problem.code()),
            _ => panic!("{} items", items.len()),
        };
        remove(&root);
        // The portable layer goes by paths, and says where they end (docs/limitations.md).
        let expected = if cfg!(feature = "portable-os") { Err("ENAMETOOLONG") } else { Ok((true, b"deep".to_vec())) };
        assert_eq!(seen, expected);
    }
}

#[test]
fn the_walk_returns_to_directories_that_it_had_to_close() {
    let room = tempfile::tempdir().unwrap();
    let mut path = room.path().to_owned();
    let mut expected = Vec::new();
    for level in 0..30 {
        path.push("m");
        fs::create_dir(&path).unwrap();
        // One file sorts before the directory, one directory with a file behind it.
        fs::write(path.join("a"), "").unwrap();
        fs::create_dir(path.join("z")).unwrap();
        fs::write(path.join("z/file"), "").unwrap();
        let below = "m/".repeat(level + 1);
        expected.push(format!("{below}a").into_bytes());
        expected.push(format!("{below}z/file").into_bytes());
    }
    expected.sort();
    let found: Vec<Vec<u8>> =
        labels(room.path(), &pull(operands(room.path(), recurse()))).into_iter().map(|(name, _)| name).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_link_swapped_in_leads_nowhere() {
    let room = tempfile::tempdir().unwrap();
    let (root, outside) = (room.path().join("root"), room.path().join("outside"));
    for directory in [&root, &outside] {
        fs::create_dir_all(directory.join("sub")).unwrap();
        fs::write(directory.join("sub/file"), directory.as_os_str().as_bytes()).unwrap();
    }
    let items = pull(operands(&root, recurse()));
    let Item::Entry(entry) = &items[0] else { panic!("a file") };
    fs::rename(root.join("sub"), root.join("old")).unwrap();
    symlink(outside.join("sub"), root.join("sub")).unwrap();
    assert!(matches!(read(entry), Err(p) if p.cause == Cause::Replaced));
    fs::remove_file(root.join("sub")).unwrap();
    fs::rename(root.join("old"), root.join("sub")).unwrap();
    fs::remove_file(root.join("sub/file")).unwrap();
    symlink(outside.join("sub/file"), root.join("sub/file")).unwrap();
    assert!(matches!(read(entry), Err(p) if p.cause == Cause::Replaced));
    fs::remove_file(root.join("sub/file")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, root.join("sub/file"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(matches!(read(entry), Err(p) if p.cause == Cause::Replaced));
}

#[test]
fn what_is_written_to_while_it_is_read_has_no_digest() {
    let room = tempfile::tempdir().unwrap();
    let file = room.path().join("file");
    for change in ["grow", "shrink", "rewrite"] {
        fs::write(&file, [7u8; 100]).unwrap();
        let items = pull(operands(&file, Descend::default()));
        let Item::Entry(entry) = &items[0] else { panic!("an entry") };
        let mut reading = entry.open().unwrap();
        let mut half = [0u8; 50];
        reading.read(&mut half).unwrap();
        // Timestamps have the grain of a tick (4 ms at most): a change within it that keeps the
        // size is not seen.
        std::thread::sleep(std::time::Duration::from_millis(20));
        match change {
            "grow" => fs::write(&file, [7u8; 200]).unwrap(),
            "shrink" => fs::write(&file, [7u8; 70]).unwrap(),
            _ => fs::write(&file, [8u8; 100]).unwrap(),
        }
        let mut rest = vec![0u8; 500];
        while reading.read(&mut rest).unwrap() > 0 {}
        assert!(matches!(reading.close(), Err(p) if matches!(p.cause, Cause::Changed(_))), "{change}");
    }
}

#[test]
fn files_of_proc_are_read_to_their_end() {
    let items = pull(Operands::new(vec!["/proc/version"], Descend::default()));
    let Item::Entry(entry) = &items[0] else { panic!("an entry") };
    assert_eq!(read(entry).unwrap(), fs::read("/proc/version").unwrap());
}

#[test]
fn orders_keep_numbers() {
    let room = tempfile::tempdir().unwrap();
    for (name, size) in [("a", 10), ("b", 3000), ("c", 200), ("d", 0)] {
        fs::write(room.path().join(name), vec![1u8; size]).unwrap();
    }
    let numbers = |order| {
        let items = pull(OrderedSource::new(operands(room.path(), recurse()), order, 1 << 20));
        items.iter().map(Item::number).collect::<Vec<u64>>()
    };
    assert_eq!(numbers(Order::Path), [0, 1, 2, 3]);
    assert_eq!(numbers(Order::Size), [1, 2, 0, 3]);
    for order in [Order::Inode, Order::Extent, Order::Balanced] {
        let mut found = numbers(order);
        found.sort();
        assert_eq!(found, [0, 1, 2, 3]);
    }
}

#[test]
fn sizes_and_globs_select() {
    let room = tempfile::tempdir().unwrap();
    fs::create_dir(room.path().join("cache")).unwrap();
    for (name, size) in [("a.txt", 10), ("b.bin", 3000), ("cache/c.txt", 200), (".d.txt", 0)] {
        fs::write(room.path().join(name), vec![1u8; size]).unwrap();
    }
    let names = |include: &[&str], exclude: &[&str], min, max| {
        let words = |w: &[&str]| w.iter().map(|s| s.to_string()).collect::<Vec<_>>();
        let selection = Selection::new(&words(include), &words(exclude), min, max).unwrap();
        let items = pull(operands(room.path(), Descend { selection, ..recurse() }));
        labels(room.path(), &items).into_iter().map(|(n, _)| String::from_utf8(n).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(names(&[], &[], None, None), [".d.txt", "a.txt", "b.bin", "cache/c.txt"]);
    assert_eq!(names(&["*.txt"], &["cache"], None, None), [".d.txt", "a.txt"]);
    assert_eq!(names(&[], &[], Some(10), Some(200)), ["a.txt", "cache/c.txt"]);
}

#[test]
fn one_file_system_stays() {
    // /proc is another file system than /, everywhere that Linux runs. By this name it is the root
    // under qemu-user too, which shows the directory of its libraries under "/".
    let descend = Descend {
        one_file_system: true,
        selection: Selection::new(&["proc".into(), "nothing-has-this-name".into()], &["[!p]*".into()], None, None)
            .unwrap(),
        ..recurse()
    };
    let items = pull(Operands::new(vec!["/proc/.."], descend));
    assert!(items.iter().any(|item| {
        matches!(item, Item::Skipped { name, skip: Skip::OtherFileSystem, .. } if name == b"/proc/../proc")
    }));
}

#[test]
fn names_from_a_list() {
    let list = std::io::Cursor::new(b"one\0two\n\0three".to_vec());
    let names = pfh_source::names(list, pfh_source::Separator::Nul);
    let items = pull(Operands::from_paths(names, Descend::default()));
    let found: Vec<OsString> = items
        .iter()
        .map(|item| match item {
            Item::Entry(Entry { origin: Origin::File { path, .. }, .. }) => OsString::from_vec(path.to_vec()),
            _ => panic!("an entry"),
        })
        .collect();
    assert_eq!(found, ["one", "two\n", "three"]);
}
