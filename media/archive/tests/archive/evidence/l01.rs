//! L01, after the sections on EWF-L01 of J. Metz, "Expert Witness Compression Format (EWF)".

use super::{adler, faults, files, hex, noise, sum, zlib};

const CHUNK: usize = 64 * 512;

/// A file or directory of an image.
pub struct Named {
    pub name: &'static str,
    pub bytes: Option<Vec<u8>>,
    pub below: Vec<Named>,
}

pub fn file(name: &'static str, bytes: Vec<u8>) -> Named {
    Named { name, bytes: Some(bytes), below: Vec::new() }
}

pub fn directory(name: &'static str, below: Vec<Named>) -> Named {
    Named { name, bytes: None, below }
}

/// Directories with names that no path of a system could hold.
pub fn deep() -> Named {
    let name = "n".repeat(20_000).leak();
    (0..5).fold(file("f", b"1".to_vec()), |below, _| directory(name, vec![below]))
}

struct Segment(Vec<u8>);

impl Segment {
    fn new(number: u16) -> Segment {
        Segment([&b"LVF\x09\x0d\x0a\xff\x00\x01"[..], &number.to_le_bytes(), &[0, 0]].concat())
    }

    fn section(&mut self, kind: &str, payload: &[u8]) {
        let at = self.0.len() as u64;
        let size = if matches!(kind, "next" | "done") { 0 } else { 76 + payload.len() as u64 };
        let mut head = kind.as_bytes().to_vec();
        head.resize(16, 0);
        head.extend([at + size, size].map(u64::to_le_bytes).concat());
        head.resize(72, 0);
        head.extend(adler(&head));
        self.0.extend(head);
        self.0.extend(payload);
    }

    /// Chunks and their tables.
    fn chunks(&mut self, media: &[u8]) {
        let start = self.0.len() + 76;
        let (mut data, mut entries) = (Vec::new(), Vec::new());
        for chunk in media.chunks(CHUNK) {
            let packed = zlib(chunk);
            let at = (start + data.len()) as u32;
            if packed.len() < chunk.len() {
                entries.extend((at | 1 << 31).to_le_bytes());
                data.extend(packed);
            } else {
                entries.extend(at.to_le_bytes());
                data.extend(chunk);
                data.extend(adler(chunk));
            }
        }
        self.section("sectors", &data);
        let mut table = ((entries.len() / 4) as u32).to_le_bytes().to_vec();
        table.resize(20, 0);
        table.extend(adler(&table));
        let sum = adler(&entries);
        table.extend(entries);
        table.extend(sum);
        self.section("table", &table);
        self.section("table2", &table);
    }
}

fn volume() -> Vec<u8> {
    let mut bytes = vec![0x0e, 0, 0, 0, 0, 0, 0, 0];
    bytes.extend([64_u32, 512].map(u32::to_le_bytes).concat());
    bytes.extend(9_u64.to_le_bytes());
    bytes.resize(1048, 0);
    bytes.extend(adler(&bytes));
    bytes
}

/// Adds an entry and those below it to the tree, and its bytes to the media data.
fn add(named: &Named, media: &mut Vec<u8>, text: &mut String) {
    let (flags, size, place) = match &named.bytes {
        Some(bytes) => {
            let at = media.len();
            media.extend(bytes);
            // An empty file has a byte, too.
            if bytes.is_empty() {
                media.push(0);
            }
            (0, bytes.len(), format!("1 {at:x} {:x}", bytes.len().max(1)))
        }
        None => (0x0200_0000, 0, "1 0 0".to_owned()),
    };
    let (md5, sha1) = match &named.bytes {
        Some(bytes) => (hex(&sum("md5", bytes)), hex(&sum("sha1", bytes))),
        None => ("0".repeat(32), String::new()),
    };
    let parent = if named.bytes.is_none() { "1" } else { "" };
    text.push_str(&format!("26\t{}\n", named.below.len()));
    text.push_str(&format!("{parent}\t{}\t7\t{flags}\t{size}\t{place}\t1142163845\t{md5}\t{sha1}\n", named.name));
    named.below.iter().for_each(|below| add(below, media, text));
}

/// The media data of these entries, and the text of their tree.
pub fn tree(entries: &[Named]) -> (Vec<u8>, String) {
    let (mut media, mut listed) = (Vec::new(), String::new());
    entries.iter().for_each(|entry| add(entry, &mut media, &mut listed));
    let perm = "perm\n0\t1\np\tn\ts\tpr\tnta\tnti\n0\t0\n1\t\t\t10\t\t\n\n";
    let srce = "srce\n0\t1\np\tn\tid\n0\t0\n\t\t\n\n";
    let sub = "sub\n0\t1\np\tn\tid\n0\t0\n\t\t\n\n";
    let text = format!(
        "5\nrec\ntb\tcl\n{}\t1\n\n{perm}{srce}{sub}\
         entry\n9\t1\np\tn\tid\topr\tls\tbe\twr\tha\tsha\n26\t{}\n1\tLogicalEntries\t\t\t\t1 0 0\t\t\t\n{listed}\n",
        media.len(),
        entries.len()
    );
    (media, text)
}

/// The image of these entries in this number of segments.
pub fn write(entries: &[Named], segments: usize) -> Vec<Vec<u8>> {
    let (media, text) = tree(entries);
    let data: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut head = sum("md5", &data);
    head.extend((data.len() as u64).to_le_bytes());
    head.resize(48, 0);
    let seal = adler(&head);
    head[24..28].copy_from_slice(&seal);
    let each = media.len().div_ceil(CHUNK).div_ceil(segments) * CHUNK;
    let mut out = Vec::new();
    for (at, part) in media.chunks(each.max(CHUNK)).enumerate() {
        let mut segment = Segment::new(at as u16 + 1);
        segment.section(if at == 0 { "volume" } else { "data" }, &volume());
        segment.chunks(part);
        let is_last = (at + 1) * each >= media.len();
        if is_last {
            segment.section("ltypes", &[0; 6]);
            segment.section("ltree", &[&head[..], &data].concat());
        }
        segment.section(if is_last { "done" } else { "next" }, &[]);
        out.push(segment.0);
    }
    out
}

pub fn sample() -> Vec<Named> {
    let inner = vec![file("b.txt", b"the second".repeat(9000)), file("empty", Vec::new()), directory("none", vec![])];
    vec![directory("C", vec![file("a.bin", noise(70_000)), directory("inner", inner)]), file("odd/name", b"x".to_vec())]
}

#[test]
fn files_with_their_digests() {
    for segments in [1, 3] {
        let image = write(&sample(), segments);
        assert_eq!(image.len(), segments);
        let found = files(&image);
        let names: Vec<&str> = found.keys().map(String::as_str).collect();
        assert_eq!(names, ["C/a.bin", "C/inner/b.txt", "C/inner/empty", "odd%2Fname"]);
        assert_eq!(found["C/a.bin"], noise(70_000));
        assert_eq!(found["C/inner/b.txt"], b"the second".repeat(9000));
        assert_eq!((&found["C/inner/empty"][..], &found["odd%2Fname"][..]), (&b""[..], &b"x"[..]));
    }
}

#[test]
fn what_contradicts_itself_is_named() {
    let mut entries = sample();
    let image = write(&entries, 2);
    assert!(faults(&image[..1]).contains("are missing"), "{}", faults(&image[..1]));
    assert!(faults(&[image[1].clone(), image[0].clone()]).contains("it is segment 2"));
    // A byte of a stored chunk: that chunk's files alone.
    let mut bad = image.clone();
    bad[0][13 + 76 + 1052 + 76 + 100] ^= 1;
    let found = faults(&bad);
    assert!(found.contains("C/a.bin: ") && found.contains("chunk 0") && found.lines().count() == 1, "{found}");
    // A byte of the tree.
    let mut bad = image.clone();
    let at = bad[1].len() - 200;
    bad[1][at] ^= 1;
    assert!(faults(&bad).contains("the tree's digest"), "{}", faults(&bad));
    assert!(faults(&write(&[deep()], 1)).contains("more than 64 KiB: nothing below it"));
    // A digest that is another file's.
    entries[1].bytes = Some(b"y".to_vec());
    let other = write(&entries, 1).remove(0);
    let [md5, wrong] = [&b"x"[..], b"y"].map(|bytes| hex(&sum("md5", bytes)));
    let text = |digest: &str| -> Vec<u8> { digest.encode_utf16().flat_map(u16::to_le_bytes).collect() };
    let place = other.windows(64).position(|window| window == text(&wrong)).expect("the digest");
    let mut bad = other.clone();
    bad[place..place + 64].copy_from_slice(&text(&md5));
    assert!(faults(&[reseal(bad)]).contains("odd%2Fname: its bytes have the md5"));
}

/// The same image with a right digest of its tree.
fn reseal(mut image: Vec<u8>) -> Vec<u8> {
    let head = image.windows(5).rposition(|window| window == b"ltree").expect("a tree") + 76;
    let length = u64::from_le_bytes(image[head + 16..head + 24].try_into().expect("eight")) as usize;
    let digest = sum("md5", &image[head + 48..head + 48 + length]);
    image[head..head + 16].copy_from_slice(&digest);
    image[head + 24..head + 28].fill(0);
    let seal = adler(&image[head..head + 48]);
    image[head + 24..head + 28].copy_from_slice(&seal);
    image
}
