//! Our manifests as others read them: `sha256sum -c`, `md5sum -c`, `cksum -c`, `hashdeep -a`,
//! `xmllint --schema`. A tool that is not installed is named on standard error and its test has
//! nothing to say; with `PFH_ORACLES=all` its absence is a failure.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::records::{FIFO, FILE, cut, failed, file, noted, skipped, stream};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::{Piece, Summary};
use pfh_manifest::{Decoder, Format, Item, Layout, Marker, Options, Preamble};
use pfh_source::{Cause, Note, Problem, Skip, Stage, Time};

/// Names that have broken others: every byte but `/` and NUL, white space at both ends, quotes,
/// options, markup, bidi, formulas.
fn names() -> Vec<Vec<u8>> {
    let mut names: Vec<Vec<u8>> =
        (1..=255_u8).filter(|&byte| byte != b'/').map(|byte| [b"n", &[byte][..], b"x"].concat()).collect();
    for name in [
        &b"plain"[..],
        b" leading",
        b"trailing ",
        b"*star",
        b" *both",
        b"-",
        b"--help",
        b"a,b,,c",
        b"\\",
        b"\\\\n",
        b"\\n",
        b"cr\r",
        b"lf\n",
        b"\n",
        b"\r",
        b"two\n\nlines\n",
        b"#comment",
        b"x) = y",
        b"SHA256 (a) = b",
        b"(",
        b")",
        b"]]>",
        b"&amp;<b>'\"",
        b"=1+1",
        b"+cmd",
        b"@SUM(1)",
        b"'quoted",
        b"a offset 0-2",
        b"a offset 0-0",
        b"caf\xe9",
        b"\xff\xfe",
        b"\xef\xbb\xbfbom",
        "\u{202e}gpj.exe".as_bytes(),
        "e\u{301}".as_bytes(),
        b"$(id)",
        b"`id`",
        b"a  b",
        b"%s%n",
        b"\x1b]0;title\x07",
        b"\xc2\x9b31m",
        b"\xed\xa0\x80",
        "\u{fffe}\u{ffff}".as_bytes(),
        "\u{fffd}".as_bytes(),
    ] {
        names.push(name.to_vec());
    }
    names.push(vec![b'l'; 255]);
    names
}

struct Tree(PathBuf);

impl Tree {
    /// A directory with a file per name; each holds its own name.
    fn new(label: &str) -> Tree {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{label}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        fs::create_dir_all(root.join("d")).expect("a directory");
        for name in names() {
            fs::write(root.join("d").join(OsStr::from_bytes(&name)), &name).expect("a file");
        }
        Tree(root)
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Option<Output> {
        match Command::new(program).args(arguments).current_dir(&self.0).env("LC_ALL", "C").output() {
            Ok(output) => Some(output),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                assert_ne!(std::env::var("PFH_ORACLES").as_deref(), Ok("all"), "{program} is not installed");
                eprintln!("skipped: {program} is not installed");
                None
            }
            Err(error) => panic!("{program}: {error}"),
        }
    }

    fn write(&self, manifest: &[u8]) {
        fs::write(self.0.join("manifest"), manifest).expect("a file");
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn algorithms(names: &[&str]) -> Vec<Algorithm> {
    names.iter().map(|name| name.parse().expect("a known algorithm")).collect()
}

/// The manifest of the tree and how many names the format could not hold.
fn manifest(format: Format, marker: Marker, algorithms: &[Algorithm]) -> (Vec<u8>, usize) {
    let mut encoder = format.encoder(Layout { marker, ..Layout::default() }).expect("a layout that fits");
    let mut out = Vec::new();
    let preamble = Preamble {
        algorithms,
        command_line: Some(b"pfh hash -r \x1b\xff\n"),
        working_directory: Some(b"/a\nb"),
        base: None,
        version: "1",
        start: Some(Time { seconds: 0, nanoseconds: 1 }),
        volumes: None,
    };
    encoder.head(&mut out, &preamble).expect("algorithms");
    let mut refused = 0;
    let times = [Time { seconds: -1, nanoseconds: 999_999_999 }; 3];
    for name in names() {
        let digests: Vec<Digest> = algorithms.iter().map(|algorithm| algorithm.digest(&name)).collect();
        let path = [b"d/", &name[..]].concat();
        let record = file(&path, name.len() as u64, &digests, FILE, times);
        refused += usize::from(encoder.record(&mut out, &record).is_err());
        if format == Format::Dfxml {
            let problem = Problem::new(Stage::Read, Cause::Image("<&\u{1b}\u{fffe}".into())).at(1);
            let record = if refused % 2 == 0 { failed(&path, problem) } else { skipped(&path, Skip::Fifo) };
            let _ = encoder.record(&mut out, &record);
        }
    }
    encoder.tail(&mut out, &Summary::default());
    (out, refused)
}

#[test]
fn gnu_check_accepts_every_name() {
    let tree = Tree::new("gnu");
    for (program, algorithm) in [("sha256sum", "sha256"), ("md5sum", "md5"), ("b2sum", "blake2b")] {
        for (format, marker) in
            [(Format::Sums, Marker::Text), (Format::Sums, Marker::Binary), (Format::Bsd, Marker::Text)]
        {
            let (list, refused) = manifest(format, marker, &algorithms(&[algorithm]));
            assert_eq!(refused, 0);
            tree.write(&list);
            let Some(output) = tree.run(program, &["-c", "--strict", "manifest"]) else { return };
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{program} {format}: {errors}");
            let verified = output.stdout.split(|&byte| byte == b'\n').filter(|line| line.ends_with(b": OK")).count();
            assert_eq!(verified, names().len(), "{program} {format}");
        }
    }
}

#[test]
fn gnu_lines_are_ours() {
    let tree = Tree::new("lines");
    let paths: Vec<Vec<u8>> = names().iter().map(|name| [b"d/", &name[..]].concat()).collect();
    let print = |options: &[&str]| {
        let mut command = Command::new("sha256sum");
        command.args(options).arg("--").args(paths.iter().map(|path| OsStr::from_bytes(path)));
        command.current_dir(&tree.0).output().ok()
    };
    let sha256 = algorithms(&["sha256"]);
    for (options, format, marker) in [
        (&["-t"][..], Format::Sums, Marker::Text),
        (&["-b"], Format::Sums, Marker::Binary),
        (&["--tag"], Format::Bsd, Marker::Text),
    ] {
        let Some(theirs) = print(options) else {
            tree.run("sha256sum", &["--version"]);
            return;
        };
        assert!(theirs.status.success());
        assert_eq!(
            String::from_utf8_lossy(&manifest(format, marker, &sha256).0),
            String::from_utf8_lossy(&theirs.stdout),
            "{options:?}"
        );
        // And we read theirs.
        let items: Vec<_> = Decoder::open(&theirs.stdout[..], &Options::default()).expect("memory").collect();
        assert_eq!(items.len(), paths.len());
        for (item, path) in items.into_iter().zip(&paths) {
            let Item::Entry(entry) = item.expect("memory").item else { panic!("no entry for {path:?}") };
            assert_eq!(&entry.name, path);
            assert_eq!(entry.digests, [sha256[0].digest(&path[2..])]);
        }
    }
}

#[test]
fn hashdeep_audits_every_name_that_its_format_holds() {
    let tree = Tree::new("hashdeep");
    let (list, refused) = manifest(Format::Hashdeep, Marker::Text, &algorithms(&["md5", "sha1", "sha256"]));
    tree.write(&list);
    // Names with LF, one that ends with CR twice over, and those that read as pieces; hashdeep
    // itself is then not shown them.
    let mut gone = 0;
    for name in names() {
        let path = [b"d/", &name[..]].concat();
        let needle = [b",", &path[..], b"\n"].concat();
        if name.contains(&b'\n') || !list.windows(needle.len()).any(|window| window == needle) {
            fs::remove_file(tree.0.join(OsStr::from_bytes(&path))).expect("it was there");
            gone += 1;
        }
    }
    assert_eq!(refused, gone);
    let Some(output) = tree.run("hashdeep", &["-l", "-r", "-a", "-vv", "-k", "manifest", "d"]) else { return };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("Audit passed"), "{text}");
    assert!(text.contains(&format!("Files matched: {}\n", names().len() - gone)), "{text}");
}

#[test]
fn we_read_what_hashdeep_writes() {
    let tree = Tree::new("theirs");
    for name in
        names().into_iter().filter(|name| name.contains(&b'\n') || name.ends_with(b"\r") || name.contains(&b' '))
    {
        fs::remove_file(tree.0.join("d").join(OsStr::from_bytes(&name))).expect("it was there");
    }
    let left = fs::read_dir(tree.0.join("d")).expect("a directory").count();
    for (arguments, pieces) in [
        (&["-l", "-r", "-c", "md5,sha256,whirlpool", "d"][..], false),
        (&["-l", "-r", "-c", "md5,sha256", "-p", "2", "d"], true),
        (&["-l", "-r", "-d", "-c", "md5,sha256", "d"], false),
    ] {
        // Controls make hashdeep's XML malformed; that is known, and not ours.
        if arguments.contains(&"-d") {
            for name in names().into_iter().filter(|name| !name.iter().all(|&byte| byte.is_ascii_graphic())) {
                let _ = fs::remove_file(tree.0.join("d").join(OsStr::from_bytes(&name)));
            }
        }
        let Some(output) = tree.run("hashdeep", arguments) else { return };
        let mut files = 0;
        for item in Decoder::open(&output.stdout[..], &Options::default()).expect("memory") {
            let located = item.expect("memory");
            let Item::Entry(entry) = located.item else { panic!("{arguments:?}: {located:?}") };
            let name = entry.name.strip_prefix(b"d/").expect("below d");
            let check = |digests: &[Digest], bytes: &[u8]| {
                assert_eq!(digests.len(), arguments.iter().map(|word| word.split(',').count()).max().unwrap_or(0));
                digests.iter().for_each(|digest| assert_eq!(*digest, digest.algorithm().digest(bytes)));
            };
            if pieces {
                let [window] = &entry.pieces[..] else { panic!("no piece in {entry:?}") };
                files += usize::from(window.offset == 0);
                let start = usize::try_from(window.offset).expect("small");
                check(&window.digests, &name[start..][..usize::try_from(window.length).expect("small")]);
            } else {
                files += 1;
                check(&entry.digests, name);
            }
        }
        let expected =
            if arguments.contains(&"-d") { fs::read_dir(tree.0.join("d")).expect("a directory").count() } else { left };
        assert_eq!(files, expected, "{arguments:?}");
    }
}

#[test]
fn dfxml_is_valid() {
    let tree = Tree::new("dfxml");
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/schema/dfxml.xsd");
    let algorithms = algorithms(&["md5", "sha256", "sha512-256", "blake3", "shake128:20"]);
    let (mut list, refused) = manifest(Format::Dfxml, Marker::Text, &algorithms);
    assert_eq!(refused, 0);
    tree.write(&list);
    let lint = || {
        let output = tree.run("xmllint", &["--noout", "--nonet", "--schema", schema, "manifest"])?;
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Some(())
    };
    if lint().is_none() {
        return;
    }
    // Pieces, kinds and notes; years that RFC 3339 does not reach.
    let mut encoder = Format::Dfxml.encoder(Layout::default()).expect("a layout that fits");
    list.clear();
    encoder
        .head(
            &mut list,
            &Preamble { algorithms: &algorithms, version: "1", base: Some(b"/e\xff"), ..Preamble::default() },
        )
        .expect("algorithms");
    let digests: Vec<Digest> = algorithms.iter().map(|algorithm| algorithm.digest(b"")).collect();
    let piece = |offset, length| Piece { offset, length, digests: digests.clone() };
    let times = [Time { seconds: -70_000_000_000, nanoseconds: 0 }; 3];
    let (block, character) = (0o060_600, 0o020_600);
    let kinds = [FILE, block, character, FIFO].map(|mode| file(b"a", 4, &digests, mode, times));
    for record in kinds.into_iter().chain([stream(b"a", 4, &digests)]) {
        let record = noted(cut(record, vec![piece(0, 4), piece(4, 0)]), &[Note::Retried, Note::Reused]);
        let _ = encoder.record(&mut list, &record).expect("a name that fits");
    }
    encoder.tail(&mut list, &Summary::default());
    tree.write(&list);
    lint();
    // No rows at all.
    let mut encoder = Format::Dfxml.encoder(Layout::default()).expect("a layout that fits");
    list.clear();
    encoder.head(&mut list, &Preamble::default()).expect("algorithms");
    encoder.tail(&mut list, &Summary::default());
    tree.write(&list);
    lint();
}
