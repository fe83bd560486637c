//! The similarity tools' own files: files of the reference tools are read, and written again byte
//! for byte.

use std::path::Path;

use crate::records::stream;
use pfh_digest::{Algorithm, Digest, Registry, Row as Registered};
use pfh_engine::Summary;
use pfh_manifest::{Decoder, Entry, Fault, Format, FormatFit, Item, Layout, Options, Preamble};

static LISTS: [&[Registered]; 2] = [&pfh_digest::ROWS, &pfh_similarity::ROWS];
const REGISTRY: Registry = Registry::new(&LISTS);

fn vector(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/similarity/expected").join(name);
    std::fs::read(path).expect("a file of the project")
}

fn algorithm(name: &str) -> Algorithm {
    REGISTRY.find(name).expect("a known algorithm")
}

fn items(text: &[u8], options: &Options) -> (Format, Vec<Item>) {
    let decoder = Decoder::with_registry(text, options, REGISTRY).expect("memory");
    (decoder.format(), decoder.map(|located| located.expect("memory").item).collect())
}

fn write(format: Format, algorithms: &[Algorithm], entries: &[Entry]) -> Vec<u8> {
    let mut encoder = format.encoder(Layout::default()).expect("a layout");
    let mut out = Vec::new();
    encoder.head(&mut out, &Preamble { algorithms, ..Preamble::default() }).expect("its algorithm");
    for entry in entries {
        let carried = encoder.record(&mut out, &stream(&entry.name, 0, &entry.digests)).expect("a name that fits");
        assert_eq!(carried, FormatFit::Yes);
    }
    encoder.tail(&mut out, &Summary::default());
    out
}

#[test]
fn files_of_the_reference_tools_come_back_byte_for_byte() {
    for (file, format, name, count) in [
        ("ssdeep_2.14.1.txt", Format::Ssdeep, "ssdeep", 46),
        ("sdhash4_stream.txt", Format::Sdbf, "sdhash", 38),
        ("sdhash4_dd16.txt", Format::Sdbf, "sdhash-dd", 38),
        ("mrshv2.txt", Format::Mrsh, "mrsh-v2", 46),
        ("mrshv2_network.txt", Format::Mrsh, "mrsh-v2-network", 46),
    ] {
        let text = vector(file);
        // Which build of mrsh-v2 wrote it is not in the file.
        let assumed = if name == "mrsh-v2-network" { vec![algorithm(name)] } else { Vec::new() };
        let (found, items) = items(&text, &Options { assumed, ..Options::default() });
        assert_eq!(found, format, "{file}");
        let entries: Vec<Entry> = items
            .into_iter()
            .map(|item| match item {
                Item::Entry(entry) => entry,
                other => panic!("{file}: {other:?}"),
            })
            .collect();
        assert_eq!(entries.len(), count);
        assert!(entries.iter().all(|entry| entry.digests[0].algorithm() == algorithm(name)));
        assert_eq!(write(format, &[algorithm(name)], &entries), text, "{file}");
    }
}

#[test]
fn lists_hold_similarity_digests_beside_others() {
    let message: Vec<u8> = (0..40_000_u32).map(|i| (i.wrapping_mul(i) >> 5) as u8).collect();
    let algorithms: Vec<Algorithm> = ["sha256", "ssdeep", "sdhash", "mrsh-v2", "tlsh"].map(algorithm).to_vec();
    let digests: Vec<Digest> = algorithms.iter().map(|algorithm| algorithm.digest(&message)).collect();
    let entry = Entry { name: b"back\\slash".to_vec(), digests: digests.clone(), ..Entry::default() };
    for format in [Format::Sums, Format::Csv, Format::Jsonl, Format::Dfxml] {
        let text = write(format, &algorithms, std::slice::from_ref(&entry));
        let (_, items) = items(&text, &Options { format: Some(format), ..Options::default() });
        let mut seen: Vec<Digest> = items
            .into_iter()
            .flat_map(|item| match item {
                Item::Entry(entry) => {
                    assert_eq!(entry.name, b"back\\slash");
                    entry.digests
                }
                other => panic!("{format}: {other:?}"),
            })
            .collect();
        let mut expected = digests.clone();
        seen.sort();
        expected.sort();
        assert_eq!(seen, expected, "{format}");
    }
    let tlsh = algorithms[4].digest(&message).to_string();
    let plain = Entry { name: b"a b".to_vec(), digests: vec![digests[4].clone()], ..Entry::default() };
    assert_eq!(write(Format::Sums, &algorithms[4..], &[plain]), format!("{tlsh}  a b\n").as_bytes());
}

#[test]
fn what_a_format_cannot_hold_it_names() {
    for (format, names, why) in [
        (Format::Ssdeep, &["ssdeep", "tlsh"][..], "ssdeep holds digests of one algorithm"),
        (Format::Ssdeep, &["sha256"], "ssdeep holds digests of one algorithm"),
        (Format::Sdbf, &["mrsh-v2"], "sdhash or sdhash-stream or sdhash-dd"),
        (Format::Mrsh, &["sdhash"], "mrsh-v2 or mrsh-v2-network"),
        (Format::Bsd, &["ssdeep"], "whose digests are text"),
        (Format::Hashdeep, &["tlsh"], "md5, sha1, sha256, tiger, whirlpool, not tlsh"),
        (Format::Sums, &["mrsh-v2", "mrsh-v2-network"], "look alike"),
    ] {
        let algorithms: Vec<Algorithm> = names.iter().map(|name| algorithm(name)).collect();
        let mut encoder = format.encoder(Layout::default()).expect("a layout");
        let preamble = Preamble { algorithms: &algorithms, ..Preamble::default() };
        let refused = encoder.head(&mut Vec::new(), &preamble).expect_err("it cannot hold them");
        assert!(refused.to_string().contains(why), "{format}: {refused}");
    }
    for (format, method, name) in [
        (Format::Ssdeep, "ssdeep", &b"a\nb"[..]),
        (Format::Ssdeep, "ssdeep", b"ends in \\"),
        (Format::Ssdeep, "ssdeep", b"\\\""),
        (Format::Sdbf, "sdhash", b"a\nb"),
        (Format::Mrsh, "mrsh-v2", b"a:b"),
        (Format::Mrsh, "mrsh-v2", b"a\nb"),
    ] {
        let digests = [algorithm(method).digest(&[7; 1000])];
        let mut out = Vec::new();
        let record = stream(name, 0, &digests);
        assert!(format.encoder(Layout::default()).expect("a layout").record(&mut out, &record).is_err());
        assert!(out.is_empty());
    }
    // Too short for sdhash: said in words where there is room, refused where there is none.
    let digests = [algorithm("sdhash").digest(b"short")];
    let record = stream(b"a", 0, &digests);
    for (format, holds) in [(Format::Sdbf, false), (Format::Sums, false), (Format::Csv, true), (Format::Jsonl, true)] {
        let mut encoder = format.encoder(Layout::default()).expect("a layout");
        let algorithms = [algorithm("sdhash")];
        let mut out = Vec::new();
        encoder.head(&mut out, &Preamble { algorithms: &algorithms, ..Preamble::default() }).expect("its algorithm");
        assert_eq!(encoder.record(&mut out, &record).is_ok(), holds, "{format}");
        assert_eq!(String::from_utf8_lossy(&out).contains("none"), holds);
    }
}

#[test]
fn one_malformed_digest_is_one_fault() {
    let ssdeep = "ssdeep,1.1--blocksize:hash:hash,filename\n3:a:b,\"x\"\n4:a:b,\"x\"\n3:a:b,\"x\"y\"\n3:a*:b,\"x\"\n3:a:b,\"\"\n3:a:b,\"y\"";
    let (_, found) = items(ssdeep.as_bytes(), &Options::default());
    let faults: Vec<bool> = found.iter().map(|item| matches!(item, Item::Fault(Fault::Malformed(_)))).collect();
    assert_eq!(faults, [false, true, true, true, true, false]);
    let sdbf = String::from_utf8(vector("sdhash4_stream.txt")).expect("ASCII");
    let line = sdbf.lines().next().expect("a line");
    for (damaged, what) in [
        (line.replacen(":sha1:", ":md5_:", 1), "parameters"),
        (line.replacen("sdbf:03:", "sdbf:03:9", 1), "name"),
        (line.replacen(":5:7ff:160:", ":5:7ff:160:9", 1), "length"),
        (line.replacen("sdbf:03", "sdbf:02", 1), "version"),
        (line[..line.len() - 4].to_owned(), "length"),
    ] {
        let options = Options { format: Some(Format::Sdbf), ..Options::default() };
        let (_, found) = items(format!("{damaged}\n{line}\n").as_bytes(), &options);
        let [Item::Fault(fault), Item::Entry(_)] = &found[..] else { panic!("{found:?}") };
        assert!(fault.to_string().contains(what), "{fault} / {what}");
    }
    let mrsh = String::from_utf8(vector("mrshv2.txt")).expect("ASCII");
    let line = mrsh.lines().next().expect("a line");
    for damaged in
        [line.to_ascii_lowercase(), format!("{line}0"), line.replacen(':', ":x", 1), line.replacen(':', "::", 1)]
    {
        let options = Options { format: Some(Format::Mrsh), ..Options::default() };
        let (_, found) = items(format!("{damaged}\n\n{line}\n\n").as_bytes(), &options);
        assert!(matches!(&found[..], [Item::Fault(_), Item::Entry(_)]), "{found:?}");
    }
    for (list, column) in
        [("csv", "type,path,ssdeep\r\nfile,a,3:a*:b\r\nfile,a,3:a:b\r\n"), ("sums", "T1zz  a\n3:a:b  a\n")]
    {
        let format = list.parse().expect("a format");
        let (_, found) = items(column.as_bytes(), &Options { format: Some(format), ..Options::default() });
        assert!(matches!(&found[..], [Item::Fault(_), Item::Entry(_)]), "{found:?}");
    }
}

/// The lines of a file's segments are one entry; the lines of an incomplete file stay apart, and no
/// line is lost from the count.
#[test]
fn segments_are_one_entry() {
    let zeros = data_encoding::BASE64.encode(&[0; 256]);
    let line = |name: &str, size: u64| {
        let filters = size.div_ceil(16 << 10);
        let digest = format!(":00:{zeros}").repeat(filters as usize);
        format!("sdbf-dd:03:{}:{name}:{size}:sha1:256:5:7ff:192:{filters}:16384{digest}\n", name.len())
    };
    let whole: u64 = 128 << 20;
    let entries = |lines: &[(&str, u64)]| {
        let mut text: String = lines.iter().map(|(name, size)| line(name, *size)).collect();
        text.push('\n');
        let options = Options { limit: 1 << 23, ..Options::default() };
        let mut decoder = Decoder::with_registry(text.as_bytes(), &options, REGISTRY).unwrap();
        let mut found = Vec::new();
        for located in decoder.by_ref() {
            let Item::Entry(entry) = located.unwrap().item else { panic!("no entry") };
            found.push((String::from_utf8(entry.name).unwrap(), entry.size.unwrap() / whole));
        }
        // Lines without an item of their own.
        (found, decoder.neutral())
    };
    let found = |lines: &[(&str, u64)]| {
        let (found, neutral) = entries(lines);
        assert_eq!(found.len() as u64 + neutral, lines.len() as u64 + 1);
        found.iter().map(|(name, size)| format!("{name} {size}")).collect::<Vec<_>>()
    };
    // Ended by a short segment, by another file, by another file's first segment, and by the end.
    let (first, second) = (("a.0000M", whole), ("a.0128M", whole));
    assert_eq!(found(&[first, ("a.0128M", 1 << 20), ("a.0256M", 1 << 20)]), ["a 1", "a.0256M 0"]);
    assert_eq!(found(&[first, second, ("b", 1 << 20)]), ["a 2", "b 0"]);
    assert_eq!(found(&[first, second, ("b.0000M", whole), ("b.0128M", whole + 512)]), ["a 2", "b 2"]);
    assert_eq!(found(&[first, second]), ["a 2"]);
    // One missing, another's, out of order, and one alone.
    assert_eq!(found(&[first, ("a.0256M", whole)]), ["a.0000M 1", "a.0256M 1"]);
    assert_eq!(found(&[first, ("b.0128M", whole)]), ["a.0000M 1", "b.0128M 1"]);
    assert_eq!(found(&[second, first]), ["a.0128M 1", "a.0000M 1"]);
    assert_eq!(found(&[("a.0000M", 1 << 20), ("a.0128M", 1 << 20)]), ["a.0000M 0", "a.0128M 0"]);
}
