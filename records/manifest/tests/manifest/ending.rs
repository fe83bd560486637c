//! Remarks in manifests: their end, their base, the algorithm of digests that do not tell.

use crate::records::{failed, skipped, stream};
use pfh_digest::{Algorithm, Digest};
use pfh_engine::Summary;
use pfh_manifest::{Decoder, Ending, Fault, Format, FormatFit, Item, Layout, Options, Preamble};
use pfh_source::{Cause, Problem, Skip, Stage};

fn algorithm(name: &str) -> Algorithm {
    name.parse().expect("a known algorithm")
}

/// Three files, an error and a skipped entry, where the format has them.
fn manifest(format: Format, name: &str) -> Vec<u8> {
    let algorithms = [algorithm(name)];
    let mut encoder = format.encoder(Layout::default()).expect("a layout that fits");
    let mut out = Vec::new();
    encoder.head(&mut out, &Preamble { algorithms: &algorithms, ..Preamble::default() }).expect("algorithms");
    for name in ["d/a", "d/back\\slash", "d/c"] {
        let digests = [algorithms[0].digest(name.as_bytes())];
        let record = stream(name.as_bytes(), name.len() as u64, &digests);
        assert_eq!(encoder.record(&mut out, &record).expect("a name that fits"), FormatFit::Yes);
    }
    for record in [failed(b"d/p", Problem::new(Stage::Read, Cause::Os(5))), skipped(b"d/p", Skip::Fifo)] {
        let _ = encoder.record(&mut out, &record).expect("a name that fits");
    }
    encoder.tail(&mut out, &Summary { hashed: 3, bytes: 18, failed: 1, skipped: 1, ..Summary::default() });
    out
}

fn read(list: &[u8], options: &Options) -> (Vec<Item>, Ending, Option<Vec<u8>>) {
    let mut decoder = Decoder::open(list, options).expect("memory");
    let items = decoder.by_ref().map(|item| item.expect("memory").item).collect();
    (items, decoder.ending(), decoder.base().map(<[u8]>::to_vec))
}

fn ending(list: &[u8], format: Format) -> Ending {
    read(list, &Options { format: Some(format), ..Options::default() }).1
}

/// The formats that promise an end, each with an algorithm.
const PROMISING: [(Format, &str); 5] = [
    (Format::Jsonl, "sha256"),
    (Format::Csv, "sha256"),
    (Format::Dfxml, "sha256"),
    (Format::Hashdeep, "sha256"),
    (Format::Sums, "sha3-256"),
];

#[test]
fn a_whole_manifest_ends_and_a_cut_one_does_not() {
    for (format, name) in PROMISING {
        let whole = manifest(format, name);
        assert_eq!(ending(&whole, format), Ending::Whole, "{format}");
        // Where the last bytes are no more than white space nothing is missing.
        let least = String::from_utf8_lossy(&whole).trim_end().len();
        for cut in 0..least {
            let ending = ending(&whole[..cut], format);
            // A list is known to be ours by its first line; before that there is no record either.
            let first = whole.windows(3).position(|window| window == b"d/a").expect("a record");
            assert!(
                matches!(ending, Ending::Missing | Ending::Broken | Ending::Contradicted { .. } | Ending::OtherNames)
                    || cut <= first,
                "{format} cut at {cut}: {ending:?}"
            );
        }
    }
    for format in [Format::Sums, Format::Bsd] {
        assert_eq!(ending(&manifest(format, "sha256"), format), Ending::Unmarked);
    }
}

#[test]
fn a_line_less_or_more_contradicts_the_end() {
    for (format, name) in PROMISING.into_iter().filter(|(format, _)| *format != Format::Dfxml) {
        let whole = manifest(format, name);
        let lines: Vec<&[u8]> = whole.split_inclusive(|&byte| byte == b'\n').collect();
        let record = lines.iter().position(|line| line.windows(3).any(|w| w == b"d/a")).expect("a record");
        let without = [&lines[..record], &lines[record + 1..]].concat().concat();
        let twice = [&lines[..=record], &lines[record..]].concat().concat();
        for list in [without, twice] {
            assert!(matches!(ending(&list, format), Ending::Contradicted { .. }), "{format}");
        }
        // One behind the other: each has its end.
        if !matches!(format, Format::Csv) {
            assert_eq!(ending(&whole.repeat(2), format), Ending::Whole, "{format}");
        }
        let headless = [&whole[..], lines[record]].concat();
        let expected = if matches!(format, Format::Sums | Format::Hashdeep | Format::Csv) {
            Ending::Whole
        } else {
            Ending::Missing
        };
        assert_eq!(ending(&headless, format), expected, "{format}");
    }
}

/// Each record in the place of each other one: the number is right, and the names are not.
#[test]
fn a_record_in_the_place_of_another_contradicts_the_end() {
    for (format, name) in PROMISING {
        let whole = String::from_utf8(manifest(format, name)).unwrap();
        let names = ["d/a", "d/c"];
        for (one, other) in names.iter().flat_map(|one| names.iter().map(move |other| (*one, *other))) {
            let found = ending(whole.replace(one, other).as_bytes(), format);
            let expected = if one == other { Ending::Whole } else { Ending::OtherNames };
            assert_eq!(found, expected, "{format}: {other} in the place of {one}");
        }
        // An end without a sum, as of pfh before it had one, counts and no more.
        let (before, behind) = match format {
            Format::Jsonl => (",\"names\":\"", "\""),
            Format::Dfxml => (" names='", "'"),
            Format::Csv => (" names=", ""),
            _ => ("names=", " "),
        };
        let (start, rest) = whole.rsplit_once(before).expect("a sum");
        let older = [start, rest[16..].strip_prefix(behind).expect("16 digits")].concat();
        assert_eq!(ending(older.as_bytes(), format), Ending::Whole, "{format}: {older}");
    }
}

#[test]
fn what_the_list_says_goes_before_what_lengths_say() {
    let list = manifest(Format::Sums, "sha3-256");
    let (items, ..) = read(&list, &Options::default());
    let sha3 = algorithm("sha3-256");
    for item in &items {
        let Item::Entry(entry) = item else { panic!("{item:?}") };
        assert_eq!((entry.digests[0].algorithm(), entry.guessed), (sha3, false));
    }
    assert_eq!(items.len(), 3);
    // Behind its end lengths count again; -a goes before everything; a hint before the usual ones.
    let more = [&list[..], format!("{}  d/x\n", algorithm("sha256").digest(b"x")).as_bytes()].concat();
    let last = |options: &Options| match read(&more, options).0.pop() {
        Some(Item::Entry(entry)) => (entry.digests[0].algorithm(), entry.guessed),
        other => panic!("{other:?}"),
    };
    assert_eq!(last(&Options::default()), (algorithm("sha256"), true));
    assert_eq!(
        last(&Options { assumed: vec![algorithm("blake3")], ..Options::default() }),
        (algorithm("blake3"), false)
    );
    assert_eq!(
        last(&Options { hints: vec![algorithm("blake2s")], ..Options::default() }),
        (algorithm("blake2s"), true)
    );
    // Lengths that are not usual are given by the list, or by a caller that wants all.
    let crc = format!("{}  d/x\n", algorithm("crc32").digest(b"x"));
    assert!(matches!(read(crc.as_bytes(), &Options::default()).0[..], [Item::Fault(_)]));
    assert!(matches!(read(crc.as_bytes(), &Options { any: true, ..Options::default() }).0[..], [Item::Entry(_)]));
    let named = format!("# pfh begin algorithms=snefru\n{}  d/x\n", algorithm("sha256").digest(b"x"));
    assert!(matches!(&read(named.as_bytes(), &Options::default()).0[..],
        [Item::Fault(Fault::UnknownAlgorithm(name))] if &**name == "snefru"));
}

#[test]
fn weak_checksums_are_no_alternatives() {
    static LISTS: [&[pfh_digest::Row]; 1] = [&pfh_digest::ROWS];
    let alternatives = |digest: &Digest| -> Vec<String> {
        let found = pfh_manifest::digits::alternatives(pfh_digest::Registry::new(&LISTS), digest);
        found.iter().map(Algorithm::to_string).collect()
    };
    let of_md5 = alternatives(&algorithm("md5").digest(b""));
    assert!(!of_md5.contains(&"xxh3-128".to_owned()) && of_md5.contains(&"shake128:16".to_owned()), "{of_md5:?}");
    let of_sha256 = alternatives(&algorithm("sha256").digest(b""));
    assert_eq!(of_sha256[..4], ["sha512-256", "sha3-256", "shake128", "blake2s"]);
    assert_eq!(alternatives(&algorithm("crc32").digest(b""))[..3], ["crc32c", "adler32", "xxh32"]);
}

#[test]
fn tags_that_others_pad_and_spell() {
    let md5 = algorithm("md5").digest(b"abc");
    for line in [format!("MD5   (f) = {md5}\n"), format!("MD5 (f) = {md5}\n"), format!("MD5(f)= {md5}\n")] {
        assert!(
            matches!(&read(line.as_bytes(), &Options::default()).0[..], [Item::Entry(e)] if e.digests == [md5.clone()])
        );
    }
    let xxh = algorithm("xxh3-128").digest(b"abc");
    for tag in ["XXH128", "XXH3-128"] {
        let line = format!("{tag} (f) = {xxh}\n");
        assert!(
            matches!(&read(line.as_bytes(), &Options::default()).0[..], [Item::Entry(e)] if e.digests == [xxh.clone()])
        );
    }
    // xxhsum's XXH3 has 64 bits, and without a tag a mark in front.
    let short = algorithm("xxh3-64").digest(b"abc");
    for line in [format!("XXH3 (f) = {short}\n"), format!("XXH3_{short}  f\n"), format!("XXH3-64 (f) = {short}\n")] {
        assert!(
            matches!(&read(line.as_bytes(), &Options::default()).0[..], [Item::Entry(e)] if e.digests == [short.clone()]),
            "{line}"
        );
    }
    // RHash writes trees of file sharing in base32, as those networks do.
    let tth = algorithm("tth").digest(b"abc");
    for text in ["asd4ujseh5m47pdyb46kbtsqtsgdklbhyxomuia", "ASD4UJSEH5M47PDYB46KBTSQTSGDKLBHYXOMUIA"] {
        let line = format!("TTH   (f) = {text}\n");
        assert!(
            matches!(&read(line.as_bytes(), &Options::default()).0[..], [Item::Entry(e)] if e.digests == [tth.clone()]),
            "{line}"
        );
    }
    let short = algorithm("blake2b:32").digest(b"abc");
    let line = format!("BLAKE2b-256 (f) = {short}\n");
    assert!(
        matches!(&read(line.as_bytes(), &Options::default()).0[..], [Item::Entry(e)] if e.digests == [short.clone()])
    );
    let unknown = format!("SNEFRU-256 (f) = {}\n", algorithm("sha256").digest(b""));
    assert_eq!(
        read(unknown.as_bytes(), &Options::default()).0,
        [Item::Fault(Fault::OfUnknown(b"f"[..].into(), "SNEFRU-256".into()))]
    );
}

#[test]
fn what_a_spreadsheet_made_of_it() {
    let whole = String::from_utf8(manifest(Format::Csv, "sha256")).expect("ASCII");
    let fields: Vec<Vec<&str>> = whole.lines().map(|line| line.split(',').collect()).collect();
    let expected = read(whole.as_bytes(), &Options::default());
    let write = |order: &[usize], separator: &str, quote: &str, end: &str| -> String {
        let line = |row: &Vec<&str>| {
            let cells: Vec<String> = order.iter().map(|&at| format!("{quote}{}{quote}", row[at])).collect();
            cells.join(separator) + end
        };
        fields.iter().map(line).collect()
    };
    let all: Vec<usize> = (0..fields[0].len()).collect();
    let back: Vec<usize> = all.iter().rev().copied().collect();
    for (order, separator, quote, end) in
        [(&all, ",", "\"", "\n"), (&all, ";", "", "\r\n"), (&back, ";", "\"", "\n"), (&back, "\t", "", "\n")]
    {
        let list = write(order, separator, quote, end);
        assert_eq!(read(list.as_bytes(), &Options::default()), expected, "{list}");
    }
    // Path and digest alone, with the columns that were not thought worth keeping gone.
    let column = |name: &str| fields[0].iter().position(|field| *field == name).expect("a column");
    let few = write(&[column("sha256"), column("path")], ",", "", "\n");
    let (items, ending, _) = read(few.as_bytes(), &Options::default());
    let names: Vec<&Item> = items.iter().filter(|item| matches!(item, Item::Entry(_))).collect();
    assert_eq!((names.len(), ending), (3, Ending::Unmarked), "{few}");
    // An entry that is no longer a file is not taken for one.
    assert!(items.iter().filter(|item| matches!(item, Item::Fault(_))).count() >= 2, "{items:?}");
}

#[test]
fn directories_of_fiwalk_are_no_files() {
    let md5 = algorithm("md5").digest(b"");
    let object = |name: &str, kind: &str, digest: bool| {
        let digest = if digest { format!("<hashdigest type='md5'>{md5}</hashdigest>") } else { String::new() };
        format!("<fileobject><filename>{name}</filename><name_type>{kind}</name_type>{digest}</fileobject>")
    };
    let list = format!(
        "<?xml version='1.0'?><dfxml>{}{}{}{}</dfxml>",
        object(".", "d", true),
        object("a", "r", true),
        object("l", "l", false),
        object("b", "-", true)
    );
    let (items, ending, _) = read(list.as_bytes(), &Options::default());
    assert!(
        matches!(
            &items[..],
            [Item::Fault(Fault::NoFile("directory")), Item::Entry(_), Item::Unhashed(_), Item::Entry(_)]
        ),
        "{items:?}"
    );
    assert_eq!(ending, Ending::Unmarked, "a document of others promises no summary");
    assert_eq!(ending_of_cut(&list), Ending::Broken);
}

fn ending_of_cut(list: &str) -> Ending {
    ending(&list.as_bytes()[..list.len() - 3], Format::Dfxml)
}

/// The exact name of a table and the shown one are of one file.
#[test]
fn a_shown_name_is_the_exact_one() {
    let table = |shown: &str| format!("type,path,path_b64,size,md5\r\nfile,{shown},/w==,3,{}\r\n", "0".repeat(32));
    let options = Options { format: Some(Format::Csv), ..Options::default() };
    for (shown, is_one) in [("", true), ("\\xff", true), ("\u{fffd}", true), ("other", false)] {
        let (items, ..) = read(table(shown).as_bytes(), &options);
        assert_eq!(matches!(&items[..], [Item::Entry(entry)] if entry.name == [0xff]), is_one, "{shown}: {items:?}");
        assert_eq!(matches!(&items[..], [Item::Fault(Fault::Malformed(_))]), !is_one, "{shown}: {items:?}");
    }
}
