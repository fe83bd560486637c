//! Lx01, after the sections on EWF2-Lx01 of J. Metz, "EWF 2 specification".

use super::l01::{self, Named, file, sample};
use super::{adler, faults, files, hex, noise, sum, zlib};

const CHUNK: usize = 64 * 512;

/// How an image is written.
#[derive(Clone, Copy)]
struct Style {
    /// Whether the tree is compressed.
    packs: bool,
    /// Whether it begins with a byte-order mark.
    marks: bool,
    /// Whether the length of a stored chunk counts its checksum.
    counts: bool,
}

/// As EnCase writes one.
const PLAIN: Style = Style { packs: false, marks: false, counts: true };

struct Segment {
    bytes: Vec<u8>,
    previous: u64,
}

impl Segment {
    fn new(number: u32) -> Segment {
        let bytes = [&b"LEF2\r\n\x81\0\x02\x01\x01\0"[..], &number.to_le_bytes(), &[7; 16]].concat();
        Segment { bytes, previous: 0 }
    }

    /// Puts data, padded to 16 bytes, and their descriptor behind them.
    fn section(&mut self, kind: u32, data: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend(data);
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        let length = self.bytes.len() - start;
        let mut descriptor = [kind, 1].map(u32::to_le_bytes).concat();
        descriptor.extend([self.previous, length as u64].map(u64::to_le_bytes).concat());
        descriptor.extend([64, (length - data.len()) as u32].map(u32::to_le_bytes).concat());
        descriptor.extend(sum("md5", &self.bytes[start..]));
        descriptor.extend([0; 12]);
        descriptor.extend(adler(&descriptor));
        self.previous = self.bytes.len() as u64;
        self.bytes.extend(descriptor);
    }

    /// Chunks from the number `first` on, and their table.
    fn chunks(&mut self, first: u64, media: &[u8], counts: bool) {
        let (mut data, mut entries) = (Vec::new(), Vec::new());
        for chunk in media.chunks(CHUNK) {
            entries.extend(((self.bytes.len() + data.len()) as u64).to_le_bytes());
            let packed = zlib(chunk);
            if packed.len() < chunk.len() {
                entries.extend([packed.len() as u32, 1].map(u32::to_le_bytes).concat());
                data.extend(packed);
            } else {
                let length = chunk.len() + if counts { 4 } else { 0 };
                entries.extend([length as u32, 2].map(u32::to_le_bytes).concat());
                data.extend([chunk, &adler(chunk)].concat());
            }
            data.resize(data.len().next_multiple_of(16), 0);
        }
        self.section(3, &data);
        let mut table = first.to_le_bytes().to_vec();
        table.extend([(entries.len() / 16) as u32, 0].map(u32::to_le_bytes).concat());
        table.extend(adler(&table));
        table.resize(32, 0);
        table.extend(&entries);
        table.extend(adler(&entries));
        self.section(4, &table);
    }
}

/// A table of names and values.
fn text(names: &str, values: &str) -> Vec<u8> {
    zlib(&utf16(&format!("\u{feff}1\nmain\n{names}\n{values}\n\n")))
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn image((media, tree): (Vec<u8>, String), segments: usize, style: Style) -> Vec<Vec<u8>> {
    let each = media.len().div_ceil(CHUNK).div_ceil(segments) * CHUNK;
    let mut out = Vec::new();
    for (at, part) in media.chunks(each.max(CHUNK)).enumerate() {
        let mut segment = Segment::new(at as u32 + 1);
        segment.section(2, &text("nm\tcp\tsb", "name\t1\t64"));
        segment.chunks((at * each / CHUNK) as u64, part, style.counts);
        let is_last = (at + 1) * each >= media.len();
        if is_last {
            let tree = utf16(&if style.marks { format!("\u{feff}{tree}") } else { tree.clone() });
            segment.section(0x20, &if style.packs { zlib(&tree) } else { tree });
        }
        segment.section(1, &text("ts\tdt\tbp", "0\tl\t512"));
        segment.section(if is_last { 15 } else { 13 }, &[]);
        out.push(segment.bytes);
    }
    out
}

/// The image of these entries in this number of segments.
pub fn write(entries: &[Named], segments: usize) -> Vec<Vec<u8>> {
    image(l01::tree(entries), segments, PLAIN)
}

#[test]
fn files_with_their_digests() {
    let other = Style { packs: true, marks: true, counts: false };
    for (segments, style) in [(1, PLAIN), (1, other), (3, PLAIN), (2, Style { packs: false, ..other })] {
        // A last chunk that is stored, and one that is compressed.
        for last in [file("last", super::pst::random(999)), file("last", vec![b'x'; 999])] {
            let mut entries = sample();
            entries.push(last);
            let image = image(l01::tree(&entries), segments, style);
            assert_eq!(image.len(), segments);
            let found = files(&image);
            let names: Vec<&str> = found.keys().map(String::as_str).collect();
            assert_eq!(names, ["C/a.bin", "C/inner/b.txt", "C/inner/empty", "last", "odd%2Fname"]);
            assert_eq!(found["C/a.bin"], noise(70_000));
            assert_eq!(found["C/inner/b.txt"], b"the second".repeat(9000));
            assert_eq!((found["last"].len(), &found["odd%2Fname"][..]), (999, &b"x"[..]));
        }
    }
    let found = files(&write(&[file("a\u{1}b\u{3}c", b"x".to_vec())], 1));
    assert_eq!(found.into_keys().collect::<Vec<_>>(), ["a\nb\tc"]);
}

#[test]
fn files_of_several_extents() {
    let content = [&b"one"[..], &b"two"[..], &b"three"[..]].concat();
    let (media, text) = l01::tree(&[file("f", content.clone())]);
    let with = |extents: &str| image((media.clone(), text.replace("\t1 0 b\t", &format!("\t{extents}\t"))), 1, PLAIN);
    assert_eq!(files(&with("3 0 3 3 3 6 5"))["f"], content);
    let found = faults(&with("3 6 5 3 3 0 3"));
    assert!(found.contains("f: its bytes have the md5"), "{found}");
    for (extents, what) in [
        ("2 0 3 3 7", "11 bytes are stated, and 10 stored"),
        ("2 0 3 8000 8", "its bytes, 8 from 32768 on, leave the media data"),
        ("3 0 3 3 8", "the extents \"3 0 3 3 8\": not read"),
        ("1 S 0 b", "the extents \"1 S 0 b\": not read"),
        ("1 0", "the extents \"1 0\": not read"),
        ("", "11 bytes, and no place of them is stated"),
        ("2 0 ffffffffffffffff 0 2", "11 bytes are stated"),
    ] {
        assert!(faults(&with(extents)).contains(&format!("f: {what}")), "{extents}: {}", faults(&with(extents)));
    }
}

#[test]
fn what_contradicts_itself_is_named() {
    let whole = write(&sample(), 2);
    assert!(faults(&whole[..1]).contains("are missing"), "{}", faults(&whole[..1]));
    assert!(faults(&[whole[1].clone(), whole[0].clone()]).contains("segment 1 belongs to another image"));
    assert!(faults(&[whole[1].clone()]).contains("elsewhere in it"));
    // A byte of a chunk: the files in it alone.
    let mut bad = whole.clone();
    let at = whole[0].windows(2).position(|window| window == zlib(&noise(9))[..2].to_vec()).expect("a stream");
    let chunk = whole[0][at + 2..].windows(2).position(|window| window == [0x78, 0x9c]).expect("a chunk") + at + 2;
    bad[0][chunk + 500] ^= 1;
    let found = faults(&bad);
    assert!(found.contains("C/a.bin: ") && found.contains("chunk 0") && found.lines().count() == 1, "{found}");
    // A byte of the tree, of its descriptor, and of a table.
    let tree = whole[1].windows(14).position(|window| window == utf16("entry\n9")).expect("the tree");
    let mut bad = whole.clone();
    bad[1][tree] ^= 1;
    assert!(faults(&bad).contains("the tree's digest differs"), "{}", faults(&bad));
    let mut bad = whole.clone();
    let end = bad[1].len() - 8;
    bad[1][end] ^= 1;
    assert!(faults(&bad).contains("length or checksum of a section's descriptor"), "{}", faults(&bad));
    // Less media data than the tree states, and none for a file.
    let (media, text) = l01::tree(&sample());
    let short = faults(&image((media[..CHUNK].to_vec(), text.clone()), 1, PLAIN));
    assert!(short.contains(&format!("media data of {}", media.len())), "{short}");
    // A digest that is another file's.
    let [md5, wrong] = [&b"x"[..], b"y"].map(|bytes| hex(&sum("md5", bytes)));
    let found = faults(&image((media, text.replace(&md5, &wrong)), 1, PLAIN));
    assert!(found.contains("odd%2Fname: its bytes have the md5") && found.lines().count() == 1, "{found}");
    // Neither compressed nor a text, and no tree.
    let mut segment = Segment::new(1);
    segment.section(0x20, b"no tree");
    segment.section(15, &[]);
    assert!(faults(&[segment.bytes]).contains("the tree: "));
    let mut segment = Segment::new(1);
    segment.section(15, &[]);
    assert!(faults(&[segment.bytes]).contains("no section holds the tree"));
}
