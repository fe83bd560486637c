//! Writes Ex01 images after the libewf project's specification of EWF2.

use super::sum;

const SECTORS: usize = 64;
const CHUNK: usize = SECTORS * 512;

/// How bytes are compressed, with zlib's head and checksum.
pub type Pack<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

/// The checksum of the format.
pub fn adler(bytes: &[u8]) -> [u8; 4] {
    let mut sum = sum("adler32", bytes);
    sum.reverse();
    sum.try_into().expect("four bytes")
}

/// zlib without compression: stored blocks.
pub fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut out = b"\x78\x01".to_vec();
    let mut pieces = bytes.chunks(60_000).peekable();
    while let Some(piece) = pieces.next() {
        let length = piece.len() as u16;
        out.push(u8::from(pieces.peek().is_none()));
        out.extend([length, !length].map(u16::to_le_bytes).concat());
        out.extend(piece);
    }
    let mut end = adler(bytes);
    end.reverse();
    out.extend(end);
    out
}

/// A segment that is being written.
struct Segment {
    bytes: Vec<u8>,
    previous: u64,
}

impl Segment {
    fn new(number: u32) -> Segment {
        let mut bytes = b"EVF2\r\n\x81\0\x02\x01\x01\0".to_vec();
        bytes.extend(number.to_le_bytes());
        bytes.extend([9; 16]);
        Segment { bytes, previous: 0 }
    }

    /// Puts data, padded to 16 bytes, and their descriptor behind them.
    fn section(&mut self, kind: u32, data: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend(data);
        self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
        let (length, hash) = (self.bytes.len() - start, sum("md5", &self.bytes[start..]));
        let mut descriptor = [kind, 1].map(u32::to_le_bytes).concat();
        descriptor.extend([self.previous, length as u64].map(u64::to_le_bytes).concat());
        descriptor.extend([64, (length - data.len()) as u32].map(u32::to_le_bytes).concat());
        descriptor.extend(hash);
        descriptor.extend([0; 12]);
        let sum = adler(&descriptor);
        descriptor.extend(sum);
        self.previous = self.bytes.len() as u64;
        self.bytes.extend(descriptor);
    }

    /// Chunks from the number `first` on, and the table of them.
    fn chunks(&mut self, first: usize, chunks: &[&[u8]], pack: Pack) {
        let (mut data, mut entries) = (Vec::new(), Vec::new());
        for chunk in chunks {
            let at = (self.bytes.len() + data.len()) as u64;
            let packed = pack(chunk);
            let is_pattern = chunk.chunks(8).all(|word| word == &chunk[..8]);
            let (place, stored, flags) = if is_pattern {
                (u64::from_le_bytes(chunk[..8].try_into().expect("eight bytes")), Vec::new(), 5_u32)
            } else if packed.len() < chunk.len() {
                (at, packed, 1)
            } else {
                (at, [*chunk, &adler(chunk)].concat(), 2)
            };
            entries.extend(place.to_le_bytes());
            entries.extend([stored.len() as u32, flags].map(u32::to_le_bytes).concat());
            data.extend(stored);
            data.resize(data.len().next_multiple_of(16), 0);
        }
        self.section(3, &data);
        let mut table = (first as u64).to_le_bytes().to_vec();
        table.extend([chunks.len() as u32, 0].map(u32::to_le_bytes).concat());
        let sum = adler(&table);
        table.extend(sum);
        table.extend([0; 12]);
        let sum = adler(&entries);
        table.extend(entries);
        table.extend(sum);
        self.section(4, &table);
    }
}

/// A table of names and values, in UTF-16.
fn text(names: &str, values: &str) -> Vec<u8> {
    let text = format!("\u{feff}1\nmain\n{names}\n{values}\n\n");
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// The image of a disk in this number of segments.
pub fn write(disk: &[u8], segments: usize, pack: Pack) -> Vec<Vec<u8>> {
    let chunks: Vec<&[u8]> = disk.chunks(CHUNK).collect();
    let each = chunks.len().div_ceil(segments);
    let device = format!("SERIAL\tKit\tlabel\t{}\t\t\tf\t\t\t\t512\t1", disk.len() / 512);
    let device = text("sn\tmd\tlb\tts\ths\tdc\tdt\tpid\trs\tls\tbp\tph", &device);
    let case =
        format!("name\tcase\t1\tme\tnotes\t7\tLinux\t1700000000\t1700000000\t{}\t1\t{SECTORS}\t1\t", chunks.len());
    let case = text("nm\tcn\ten\tex\tnt\tav\tos\ttt\tat\ttb\tcp\tsb\tgr\twb", &case);
    let mut out = Vec::new();
    for (at, part) in chunks.chunks(each).enumerate() {
        let mut segment = Segment::new(at as u32 + 1);
        segment.section(1, &pack(&device));
        segment.section(2, &pack(&case));
        // Several tables to a segment.
        for (number, group) in part.chunks(20).enumerate() {
            segment.chunks(at * each + number * 20, group, pack);
        }
        if (at + 1) * each >= chunks.len() {
            for (kind, algorithm) in [(8, "md5"), (9, "sha1")] {
                let digest = sum(algorithm, disk);
                let sum = adler(&digest);
                segment.section(kind, &[&digest[..], &sum].concat());
            }
            segment.section(15, &[]);
        } else {
            segment.section(13, &[]);
        }
        out.push(segment.bytes);
    }
    out
}
