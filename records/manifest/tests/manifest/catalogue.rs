//! Dumps of storage sites, in which a name stands before an Adler-32, and lines that must not be
//! taken for one.

use pfh_digest::{Registry, Row};
use pfh_manifest::{Decoder, Format, Item, Options, hints};

static LISTS: [&[Row]; 2] = [&pfh_digest::ROWS, &pfh_similarity::ROWS];

/// Name, size and digest of each entry, `?` behind a guess; a fault is `!`.
fn read(text: &str, assumed: &str, list: &str) -> (Format, Vec<String>) {
    let registry = Registry::new(&LISTS);
    let assumed = registry.find(assumed).into_iter().collect();
    let options = Options { assumed, hints: hints(registry, list), any: true, ..Options::default() };
    let decoder = Decoder::with_registry(text.as_bytes(), &options, registry).expect("memory");
    let format = decoder.format();
    let row = |item| match item {
        Item::Entry(entry) => {
            let size = entry.size.map(|size| format!(" {size}")).unwrap_or_default();
            let digest = &entry.digests[0];
            let mark = if entry.guessed { "?" } else { "" };
            format!("{}{size} {}:{digest}{mark}", String::from_utf8_lossy(&entry.name), digest.algorithm())
        }
        _ => "!".to_owned(),
    };
    (format, decoder.map(|item| row(item.expect("memory").item)).collect())
}

#[track_caller]
fn reads(text: &str, expected: &[&str]) {
    let found = read(text, "", "dump");
    assert_eq!(
        (found.0, found.1.iter().map(String::as_str).collect::<Vec<_>>()),
        (Format::Catalogue, expected.to_vec())
    );
}

#[test]
fn a_name_then_a_checksum() {
    reads("/store/a 03da0195\n/store/b c 00000001\n", &["/store/a adler32:03da0195?", "/store/b c adler32:00000001?"]);
    // Without leading zeros, as a number is printed; one line of eight digits says what they are.
    reads(
        "/store/a 13da0195\n/store/b 3da0195\n/e 1\n",
        &["/store/a adler32:13da0195?", "/store/b adler32:03da0195?", "/e adler32:00000001?"],
    );
    // As gfal-sum prints.
    reads("root://host:1094//store/a 03da0195\n", &["root://host:1094//store/a adler32:03da0195?"]);
    // The list says so: any name, no guess.
    reads("store/a adler32:03da0195\nb ADLER32:1\n", &["store/a adler32:03da0195", "b adler32:00000001"]);
    reads("# dump of 2026-11-22\n\nstore/a\tadler32:03da0195\n", &["store/a adler32:03da0195"]);
}

#[test]
fn sizes_between_them() {
    for separator in ["\t", ",", ";", "|", " "] {
        let text = "/a b,123,03da0195\n/c,5,11111111\n".replace(',', separator);
        reads(&text, &["/a b 123 adler32:03da0195?", "/c 5 adler32:11111111?"]);
    }
    // Of one line nobody can tell: the name may end with a number.
    reads("/a 123 03da0195\n", &["/a 123 adler32:03da0195?"]);
    reads("/a 123\t03da0195\n/b\t03da0195\n", &["/a 123 adler32:03da0195?", "/b adler32:03da0195?"]);
    // A later line without a size is none of this list's.
    reads(
        "/a\t1\t03da0195\n/c\t2\t03da0196\n/f\t3\t1\n/d\t03da0195\n/e\t1\tnothex\n",
        &["/a 1 adler32:03da0195?", "/c 2 adler32:03da0196?", "/f 3 adler32:00000001?", "!", "!"],
    );
}

#[test]
fn the_reader_states_it() {
    let list = "a 03da0195\nb 1\n";
    for (assumed, name) in [("adler32", "dump"), ("", "site.adler32")] {
        let found = read(list, assumed, name);
        assert_eq!(found, (Format::Catalogue, vec!["a adler32:03da0195".into(), "b adler32:00000001".into()]));
    }
    // The other order is that of any list, and the option or the name states the algorithm.
    let found = read("3da0195 /store/a\n03da0196 /store/b\n", "adler32", "dump");
    assert_eq!(found, (Format::Sums, vec!["/store/a adler32:03da0195".into(), "/store/b adler32:03da0196".into()]));
    let found = read("adler32:3da0195 /store/a\n", "", "dump");
    assert_eq!(found, (Format::Sums, vec!["/store/a adler32:03da0195".into()]));
}

#[test]
fn other_lists_are_what_they_were() {
    for (text, format) in [
        ("a b ED6F7A7A\n", Format::Sfv),
        ("; made by cksfv\n/a ED6F7A7A\n", Format::Sfv),
        ("12345678  deadbeef\n", Format::Sums),
        ("12345678 /deadbeef\n", Format::Sums),
        ("900150983cd24fb0d6963f7d28e17f72  /a 03da0195\n", Format::Sums),
        ("MD5 (/a) = 900150983cd24fb0d6963f7d28e17f72\n", Format::Sums),
        ("/usr/bin/run add\n", Format::Sums),
        ("/a 900150983cd24fb0d6963f7d28e17f72\n", Format::Sums),
    ] {
        assert_eq!(read(text, "", "list").0, format, "{text}");
    }
    assert_eq!(read("/a ED6F7A7A\n", "crc32", "list"), (Format::Sfv, vec!["/a crc32:ed6f7a7a".into()]));
    assert_eq!(read("/a ED6F7A7A\n", "", "list.crc32").0, Format::Sfv);
    // Prose is not a list of digests, though `add` and `1` are hexadecimal digits.
    assert_eq!(read("add the file\n1 more\n", "", "list").1, ["!", "!"]);
}
