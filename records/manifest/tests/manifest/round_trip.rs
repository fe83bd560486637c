//! Every format reads back its own records: any name, any size, any time.

use std::io::BufReader;

use crate::records::{FILE, cut, failed, file, noted, skipped, stream};
use pfh_digest::{Algorithm, Digest, Registry, Row as Registered};
use pfh_engine::{Piece, Summary};
use pfh_manifest::{Decoder, End, Entry, Format, FormatFit, Item, Layout, Marker, Options, Preamble, Reason, Times};
use pfh_source::{Cause, Note, Problem, Skip, Stage, Time};
use proptest::prelude::*;

static LISTS: [&[Registered]; 2] = [&pfh_digest::ROWS, &pfh_similarity::ROWS];
const REGISTRY: Registry = Registry::new(&LISTS);

fn algorithms(format: Format) -> Vec<Algorithm> {
    let names: &[&str] = match format {
        Format::Hashdeep => &["md5", "sha1", "sha256"],
        Format::Sums => &["md5", "sha256", "sha512", "ssdeep", "sdhash", "sdhash-dd", "mrsh-v2", "tlsh"],
        Format::Bsd => &["md5", "sha256", "sha3-256", "shake128:20", "shake256:70", "blake2b", "sha512-256", "crc32"],
        Format::Ssdeep => &["ssdeep"],
        Format::Sdbf => &["sdhash-dd"],
        Format::Mrsh => &["mrsh-v2"],
        Format::Sfv => &["crc32"],
        _ => {
            &["md5", "sha256", "sha3-256", "shake128:20", "shake256:70", "crc32", "ssdeep", "sdhash", "mrsh-v2", "tlsh"]
        }
    };
    names.iter().map(|name| REGISTRY.find(name).expect("a known algorithm")).collect()
}

/// Of the message often enough that every method has a digest of it.
fn digests(algorithms: &[Algorithm], message: &[u8]) -> Vec<Digest> {
    let message = message.repeat(600_usize.div_ceil(message.len()));
    algorithms.iter().map(|algorithm| algorithm.digest(&message)).collect()
}

/// Formats of one method, whose names have limits.
fn is_of_one(format: Format) -> bool {
    matches!(format, Format::Ssdeep | Format::Sdbf | Format::Mrsh | Format::Sfv)
}

fn name() -> impl Strategy<Value = Vec<u8>> {
    let odd = prop::sample::select(&b"\\\n\r\t\x1b\x7f,;\"'= +-@()<>&# *%\xff\xc2\x85\xe2\x80\xaen0/"[..]);
    prop_oneof![
        prop::collection::vec(prop_oneof![odd, 1..=255_u8], 1..30),
        "\\PC{1,20}".prop_map(String::into_bytes),
        // Names of files here that are whole paths on Windows.
        "([A-Za-z]:|\\\\)\\\\[a-z\\\\/]{0,6}".prop_map(String::into_bytes),
        ("[a-z]{1,5}", 0..99_u64, 0..99_u64).prop_map(|(name, a, b)| format!("{name} offset {a}-{b}").into_bytes()),
    ]
}

fn time() -> impl Strategy<Value = Time> {
    (-70_000_000_000_i64..250_000_000_000, 0..1_000_000_000_u32)
        .prop_map(|(seconds, nanoseconds)| Time { seconds, nanoseconds })
}

/// The mark of binary lists and a name that begins with a blank look like the mark of `git lfs`.
#[test]
fn a_name_behind_the_mark_keeps_its_blank() {
    for end in [End::Nul, End::Line] {
        let mut encoder = Format::Sums.encoder(Layout { end, marker: Marker::Binary }).expect("a layout that fits");
        for algorithms in [&["md5"][..], &["sha512"], &["md5", "sha256", "mrsh-v2"]] {
            let algorithms: Vec<Algorithm> =
                algorithms.iter().map(|name| REGISTRY.find(name).expect("a row")).collect();
            let mut out = Vec::new();
            let carried = encoder.record(&mut out, &stream(b" x", 600, &digests(&algorithms, b" x")));
            assert!(carried.is_ok());
            let found = read(&out, &Options { end, format: Some(Format::Sums), ..Options::default() });
            assert_eq!(found.len(), algorithms.len());
            for item in found {
                assert!(matches!(&item, Item::Entry(entry) if entry.name == b" x"), "{item:?}");
            }
        }
    }
}

fn read(out: &[u8], options: &Options) -> Vec<Item> {
    // A small buffer, so that nothing depends on where reads end.
    let reader = BufReader::with_capacity(7, out);
    let decoder = Decoder::with_registry(reader, options, REGISTRY).expect("memory");
    decoder.map(|item| item.expect("memory").item).collect()
}

fn sorted(mut digests: Vec<Digest>) -> Vec<Digest> {
    digests.sort();
    digests
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]
    #[test]
    fn rows(
        format in prop::sample::select(&Format::ALL[..]),
        nul in any::<bool>(), binary in any::<bool>(),
        names in prop::collection::vec(name(), 1..5),
        size in any::<u64>(), stated in prop::option::of([time(), time(), time()]),
    ) {
        let end = if nul && matches!(format, Format::Sums | Format::Bsd) { End::Nul } else { End::Line };
        let marker = if binary { Marker::Binary } else { Marker::Text };
        let algorithms = algorithms(format);
        let [modified, changed, accessed] = stated.map_or([None; 3], |times| times.map(Some));
        let times = Times { modified, changed, accessed };
        let mut encoder = format.encoder(Layout { end, marker }).expect("a layout that fits");
        let mut out = Vec::new();
        encoder.head(&mut out, &Preamble { algorithms: &algorithms, version: "1", ..Preamble::default() }).expect("algorithms");
        let mut expected = Vec::new();
        for name in &names {
            let digests = digests(&algorithms, name);
            let before = out.len();
            let record = match stated {
                Some(times) => file(name, size, &digests, FILE, times),
                None => stream(name, size, &digests),
            };
            match encoder.record(&mut out, &noted(record, &[Note::Retried])) {
                Ok(_) => expected.push((name.clone(), digests)),
                Err(_) => {
                    prop_assert_eq!(before, out.len());
                    prop_assert!(format == Format::Hashdeep || is_of_one(format));
                }
            }
        }
        encoder.tail(&mut out, &Summary::default());
        let mut seen: Vec<(Vec<u8>, Vec<Digest>)> = Vec::new();
        for item in read(&out, &Options { end, format: Some(format), ..Options::default() }) {
            let Item::Entry(entry) = item else { return Err(TestCaseError::fail(format!("{item:?}"))) };
            prop_assert!(entry.pieces.is_empty());
            match format {
                // A line per algorithm.
                Format::Sums | Format::Bsd => match seen.last_mut() {
                    Some(last) if last.1.len() < algorithms.len() => {
                        prop_assert_eq!(&last.0, &entry.name);
                        last.1.extend(entry.digests);
                    }
                    _ => seen.push((entry.name, entry.digests)),
                },
                _ => {
                    if !is_of_one(format) {
                        prop_assert_eq!(entry.size, Some(size));
                    }
                    if !is_of_one(format) && format != Format::Hashdeep {
                        prop_assert_eq!(entry.times, times);
                    }
                    seen.push((entry.name, entry.digests));
                }
            }
        }
        let sort = |list: Vec<(Vec<u8>, Vec<Digest>)>| -> Vec<_> { list.into_iter().map(|(n, d)| (n, sorted(d))).collect() };
        prop_assert_eq!(sort(seen), sort(expected));
    }

    #[test]
    fn pieces(
        format in prop::sample::select(&[Format::Hashdeep, Format::Dfxml, Format::Jsonl, Format::Csv][..]),
        name in name(), length in 1..1000_u64, count in 1..4_u64,
    ) {
        let algorithms = algorithms(format);
        let digests = digests(&algorithms, &name);
        let mut encoder = format.encoder(Layout::default()).expect("a layout that fits");
        let mut out = Vec::new();
        encoder.head(&mut out, &Preamble { algorithms: &algorithms, ..Preamble::default() }).expect("algorithms");
        let pieces: Vec<Piece> =
            (0..count).map(|n| Piece { offset: n * length, length, digests: digests.clone() }).collect();
        let record = cut(stream(&name, length * count, &digests), pieces.clone());
        if encoder.record(&mut out, &record).is_err() {
            prop_assert!(name.contains(&b'\n'));
            return Ok(());
        }
        encoder.tail(&mut out, &Summary::default());
        let mut windows: Vec<Piece> = Vec::new();
        for item in read(&out, &Options::default()) {
            let Item::Entry(entry) = item else { return Err(TestCaseError::fail(format!("{item:?}"))) };
            prop_assert_eq!(&entry.name, &name);
            windows.extend(entry.pieces);
        }
        prop_assert_eq!(windows.len() as u64, count);
        for (window, piece) in windows.into_iter().zip(&pieces) {
            prop_assert_eq!((window.offset, window.length), (piece.offset, piece.length));
            prop_assert_eq!(sorted(window.digests), sorted(digests.clone()));
        }
    }

    #[test]
    fn problems(
        format in prop::sample::select(&Format::ALL[..]), name in name(), has_failed in any::<bool>(), offset in any::<Option<u64>>(),
        cause in prop_oneof![(1..40_i32).prop_map(Cause::Os), "\\PC{0,20}".prop_map(|what| Cause::Image(what.into()))],
        skip in prop::sample::select(&[Skip::Symlink, Skip::Fifo, Skip::OtherFileSystem, Skip::Own][..]),
    ) {
        let algorithms = algorithms(format);
        let mut encoder = format.encoder(Layout::default()).expect("a layout that fits");
        let mut out = Vec::new();
        encoder.head(&mut out, &Preamble { algorithms: &algorithms, ..Preamble::default() }).expect("algorithms");
        let before = out.len();
        let problem = Problem { offset, length: offset, ..Problem::new(Stage::Read, cause) };
        let (reason, code) = if has_failed { (Reason::Failed, problem.code()) } else { (Reason::Skipped, skip.reason()) };
        let record = if has_failed { failed(&name, problem) } else { skipped(&name, skip) };
        let carried = encoder.record(&mut out, &record).expect("every name fits, or none is written");
        if is_of_one(format) || matches!(format, Format::Sums | Format::Bsd | Format::Hashdeep) {
            prop_assert_eq!((carried, out.len()), (FormatFit::No, before));
            return Ok(());
        }
        prop_assert_eq!(carried, FormatFit::Yes);
        encoder.tail(&mut out, &Summary::default());
        let items = read(&out, &Options::default());
        let [Item::Unhashed(unhashed)] = &items[..] else { return Err(TestCaseError::fail(format!("{items:?}"))) };
        prop_assert_eq!((&unhashed.name, unhashed.reason, &unhashed.code[..]), (&name, reason, code));
    }

    /// Any input: no panic, and in formats that have lines every physical line is one item or
    /// is neutral.
    #[test]
    fn one_line_one_item(
        format in prop::sample::select([&Format::ALL[..], &[Format::Filehash, Format::Certutil, Format::Table, Format::Catalogue]].concat()),
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        cut in 0..400_usize, flips in prop::collection::vec((0..2000_usize, any::<u8>()), 0..6), valid in any::<bool>(),
    ) {
        let algorithms = algorithms(format);
        let mut out = Vec::new();
        let starts = [&b"Algorithm : MD5\nHash : 00\nPath : p\n"[..], b"MD5 hash of a:\n0\n", b"path,md5\n", b"/a adler32:1\n"];
        match [Format::Filehash, Format::Certutil, Format::Table, Format::Catalogue].iter().position(|read_only| *read_only == format) {
            Some(at) if valid => out.extend_from_slice(starts[at]),
            _ => {}
        }
        if let (true, Ok(mut encoder)) = (valid, format.encoder(Layout::default())) {
            encoder.head(&mut out, &Preamble { algorithms: &algorithms, ..Preamble::default() }).expect("algorithms");
            let backslash = if format == Format::Sfv { &b"b n"[..] } else { b"b\\n" };
            for name in [&b"a"[..], backslash, b"c,\xff"] {
                let digests = digests(&algorithms, name);
                let carried = encoder.record(&mut out, &stream(name, 0, &digests)).expect("a name that fits");
                prop_assert_eq!(carried, FormatFit::Yes);
            }
            for (at, byte) in flips {
                if let Some(flipped) = out.get_mut(at) { *flipped = byte }
            }
        }
        out.extend_from_slice(&bytes[..cut.min(bytes.len())]);
        let limit = 300;
        let options = Options { format: Some(format), limit, ..Options::default() };
        let mut decoder = Decoder::with_registry(&out[..], &options, REGISTRY).expect("memory");
        let mut items = 0;
        for item in decoder.by_ref() {
            let item = item.expect("memory");
            items += 1;
            if let Item::Entry(Entry { name, digests, pieces, .. }) = item.item {
                prop_assert!(!name.is_empty() && !name.contains(&0));
                prop_assert!(!digests.is_empty() || !pieces.is_empty());
            }
        }
        // Marks of UTF-16 change what a line is.
        if format != Format::Dfxml && !out.starts_with(&[0xFF, 0xFE]) && !out.starts_with(&[0xFE, 0xFF]) {
            let out = out.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(&out);
            let lines = out.split_inclusive(|&byte| byte == b'\n').count() as u64;
            prop_assert_eq!(items + decoder.neutral(), lines);
        }
    }
}
