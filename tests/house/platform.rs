//! Linux's own interfaces stay in the rooms for them, so that the rest can be built elsewhere; and
//! files that are verified are opened in one place.

use std::fs;
use std::path::{Path, PathBuf};

/// Words of Linux's own interfaces, and of crates that call the system past the standard library.
const LINUX: &[&str] = &["rustix", "libc", "io_uring", "std::os::linux"];

/// Words of one system's interfaces in the standard library, and of the crate for Windows.
const UNIX: &[&str] = &["std::os::unix", "std::os::fd", "std::os::windows", "windows_sys"];

/// Crates of the same kind, as a manifest names them.
const CRATES: &[&str] = &["rustix", "libc", "io-uring", "nix", "windows-sys"];

/// The one folder in which those words may stand, and below it the one for everything that takes
/// Linux.
const ROOM: &str = "pipeline/source/src/os";

/// Its folders that must do without Linux. POSIX by way of `libc` is allowed in the first one.
const PORTABLE: [&str; 3] =
    ["pipeline/source/src/os/portable", "pipeline/source/src/os/absent", "pipeline/source/src/os/windows"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of that name or ending in the folders of sources of all crates, relative to the root.
fn sources(wanted: impl Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut open: Vec<PathBuf> =
        ["src", "algorithms", "media", "pipeline", "records", "stores", "tools"].map(PathBuf::from).into();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(root().join(&folder)).expect("a folder") {
            let entry = entry.expect("an entry");
            let path = folder.join(entry.file_name());
            // Tests and examples run here only; `target` is the folder of a build.
            let apart = ["tests", "examples", "benches", "target"].iter().any(|name| entry.file_name() == **name);
            if entry.path().is_dir() && !apart {
                open.push(path);
            } else if wanted(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The words of `words` in the code of a file, comments aside.
fn words_in<'a>(file: &Path, words: &[&'a str]) -> Vec<&'a str> {
    let text = fs::read_to_string(root().join(file)).expect("a source");
    let code: String = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    words.iter().copied().filter(|word| code.contains(word)).collect()
}

/// The words in the code of a file up to its tests, which are at its end.
fn words_before_tests<'a>(file: &Path, words: &[&'a str]) -> Vec<&'a str> {
    let text = fs::read_to_string(root().join(file)).expect("a source");
    let lines = text.lines().take_while(|line| !["#[cfg(test)]", "#[cfg(all(test, unix))]"].contains(line));
    let code: String = lines.map(|line| line.split("//").next().unwrap_or_default()).collect();
    words.iter().copied().filter(|word| code.contains(word)).collect()
}

fn rust_files() -> Vec<PathBuf> {
    sources(|path| path.extension().is_some_and(|ending| ending == "rs"))
}

#[test]
fn linux_is_called_in_one_folder_only() {
    let files = rust_files();
    assert!(files.len() > 100, "the sources are found: {}", files.len());
    let outside = files.iter().filter(|file| !file.starts_with(ROOM));
    let wrong: Vec<_> =
        outside.map(|file| (file, words_in(file, LINUX))).filter(|(_, words)| !words.is_empty()).collect();
    assert!(wrong.is_empty(), "calls of Linux outside of {ROOM}: {wrong:?}");
}

/// Everything else takes names, handles and offsets from `pfh_source::os`.
#[test]
fn no_system_is_named_outside_of_that_folder() {
    let files = rust_files();
    let outside = files.iter().filter(|file| !file.starts_with(ROOM));
    let wrong: Vec<_> =
        outside.map(|file| (file, words_before_tests(file, UNIX))).filter(|(_, words)| !words.is_empty()).collect();
    assert!(wrong.is_empty(), "systems named outside of {ROOM}: {wrong:?}");
}

#[test]
fn the_portable_layer_does_without_linux() {
    let is_portable = |file: &PathBuf| PORTABLE.iter().any(|folder| file.starts_with(folder));
    let files: Vec<_> = rust_files().into_iter().filter(is_portable).collect();
    assert!(files.len() > 5, "{files:?}");
    let linux = ["rustix", "io_uring", "std::os::linux", "/proc/", "/sys/"];
    let wrong: Vec<_> =
        files.iter().map(|file| (file, words_in(file, &linux))).filter(|(_, w)| !w.is_empty()).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn no_other_crate_depends_on_what_calls_linux() {
    let mut depending = Vec::new();
    let mut manifests = sources(|path| path.ends_with("Cargo.toml"));
    manifests.push("Cargo.toml".into());
    for manifest in manifests {
        let text = fs::read_to_string(root().join(&manifest)).expect("a manifest");
        let mut table = "";
        for line in text.lines() {
            table = if line.starts_with('[') { line } else { table };
            let name = line.split(['=', '.', ' ']).next().unwrap_or_default();
            if table.contains("dependencies") && !table.contains("dev-dependencies") && CRATES.contains(&name) {
                depending.push((manifest.to_string_lossy().into_owned(), name.to_owned(), table.contains("linux")));
            }
        }
    }
    depending.sort();
    let source = |name: &str, linux| ("pipeline/source/Cargo.toml".to_owned(), name.to_owned(), linux);
    assert_eq!(
        depending,
        [source("io-uring", true), source("libc", false), source("rustix", true), source("windows-sys", false)]
    );
}

#[test]
fn this_check_can_see() {
    let room = Path::new(ROOM).join("linux/files.rs");
    assert_eq!(words_in(&room, LINUX), ["rustix"]);
    assert_eq!(words_before_tests(&Path::new(ROOM).join("rights.rs"), UNIX), ["std::os::unix"]);
    assert!(
        words_in(Path::new("pipeline/prefetch/src/together.rs"), LINUX).is_empty(),
        "io_uring in a comment is none"
    );
}

/// A run verifies or signs one open descriptor or one buffer, never a name that is opened again:
/// each place that opens a file by its name is here, with what it opens.
#[test]
fn a_name_is_opened_once() {
    const PLACES: &[(&str, usize, &str)] = &[
        ("records/custody/src/key.rs", 1, "a key"),
        ("records/custody/src/seal/files.rs", 1, "a seal"),
        ("records/custody/src/seal/newest.rs", 1, "the lock of the newest seals"),
        ("records/custody/src/seal/replacing.rs", 1, "a manifest that was not replaced, to settle its seal"),
        ("src/check/manifest.rs", 1, "a manifest"),
        ("src/check/signed.rs", 1, "keys of PGP"),
        ("src/check/share/mod.rs", 1, "a manifest, for its lock"),
        ("src/check/share/state.rs", 1, "the state of a share"),
        ("src/plan/merge.rs", 0, "nothing: the parts are read by part.rs"),
        ("src/plan/part.rs", 2, "a part, and the list of a unit"),
        ("src/update/kept.rs", 2, "the manifest that is locked, and its seal, to be copied"),
        ("src/update/request.rs", 1, "the state of a store that is named as a cache"),
        ("src/verify/against.rs", 3, "the other side, by its format"),
        ("src/verify/evidence.rs", 2, "a list beside an image, and its map"),
        ("src/verify/again.rs", 2, "a file of the image, also to be read a second time, which verifies nothing"),
        ("src/verify/examine.rs", 2, "the medium, for its kind; the image as raw, for its size"),
        ("src/verify/imager.rs", 1, "another program's log"),
        ("src/verify/listed.rs", 1, "the start of an image, for its kind"),
        ("src/verify/log.rs", 2, "a log; the first line of a log, for its targets"),
        ("src/verify/opening.rs", 2, "the image, by its format"),
        ("src/verify/reading.rs", 1, "the image, to try lost areas again"),
        ("src/verify/request.rs", 1, "a log and certificates, to be refused early"),
        ("src/verify/stamp.rs", 1, "a time stamp"),
    ];
    const CALLS: &[&str] = &[
        "File::open(",
        "Document::file(",
        "Document::read(",
        "Document::read_text(",
        "Stream::document(",
        "fs::read(",
        "read_to_string(path",
        "read_to_string(&path",
        "OpenOptions::new()",
    ];
    const MORE: &[&str] = &["open_evidence(", "Image::open", "Medium::open("];
    let rooms = ["records/custody/src", "records/ledger/src", "src/check", "src/update", "src/verify"];
    let more = ["src/plan/merge.rs", "src/plan/part.rs"];
    let is_source = |path: &Path| path.extension().is_some_and(|extension| extension == "rs");
    let is_here =
        |path: &Path| rooms.iter().any(|room| path.starts_with(room)) || more.iter().any(|one| path == Path::new(one));
    let files = sources(|path| is_source(path) && is_here(path));
    let mut wrong = Vec::new();
    assert!(files.len() > 40, "only {} files were looked at", files.len());
    for file in files {
        let text = fs::read_to_string(root().join(&file)).expect("a source");
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let calls = |line: &str| CALLS.iter().chain(MORE).map(|call| line.matches(call).count()).sum::<usize>();
        let found: usize = lines.map(calls).sum();
        let name = file.to_string_lossy().replace('\\', "/");
        let known = PLACES.iter().find(|(place, ..)| *place == name).map_or(0, |(_, count, _)| *count);
        if found != known {
            wrong.push(format!("{name}: {found} openings by name, {known} are accounted for"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new(), "read what was opened, or say here why not");
}
