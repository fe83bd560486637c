//! A crew gives the bytes, and the errors, that one decoder gives.

use super::*;
use crate::crew::{Crew, DecodedBytes, Hands, Open, Pending, Rest};
use ::bzip2::Compression;
use ::bzip2::write::BzEncoder;
use flate2::write::DeflateEncoder;
use lz4_flex::frame::{BlockMode, BlockSize, FrameEncoder, FrameInfo};
use proptest::prelude::*;
use std::io::{Read, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A crew without threads: parts are decoded when they are begun, or when they are waited for.
struct Crews {
    memory: usize,
    is_late: bool,
    begun: AtomicUsize,
    /// Streams that were not cut, and their bytes.
    alone: (AtomicUsize, AtomicUsize),
}

fn decoded(most: usize, open: Open) -> DecodedBytes {
    let mut bytes = Vec::new();
    let rest = match open().and_then(|reader| {
        let mut reader = reader.take(most as u64);
        reader.read_to_end(&mut bytes).map(|_| reader.into_inner())
    }) {
        Ok(_) if bytes.len() < most => Rest::Ended,
        Ok(reader) => Rest::More(reader),
        Err(error) => Rest::Failed(error),
    };
    DecodedBytes { bytes: Box::new(bytes), rest }
}

impl Crew for Crews {
    fn width(&self) -> usize {
        3
    }

    fn memory(&self) -> usize {
        self.memory
    }

    fn alone(&self, is_new: bool, bytes: u64) {
        self.alone.0.fetch_add(usize::from(is_new), Ordering::SeqCst);
        self.alone.1.fetch_add(bytes as usize, Ordering::SeqCst);
    }

    fn begin(&self, most: usize, window: u64, open: Open) -> Result<Pending, Open> {
        if most + window as usize > self.memory {
            return Err(open);
        }
        self.begun.fetch_add(1, Ordering::SeqCst);
        if self.is_late {
            return Ok(Box::new(move || decoded(most, open)));
        }
        let done = decoded(most, open);
        Ok(Box::new(|| done))
    }
}

/// All that comes, in reads of this size, and the error at its end.
fn read(packing: Packing, stream: &[u8], limits: &Limits, size: usize) -> (Vec<u8>, Option<String>) {
    let bytes: Arc<dyn Bytes> = Arc::new(stream.to_vec());
    let mut reader = match open(packing, &bytes, limits) {
        Ok(reader) => reader,
        Err(error) => return (Vec::new(), Some(error.to_string())),
    };
    let (mut all, mut buffer) = (Vec::new(), vec![0; size]);
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return (all, None),
            Ok(got) => all.extend_from_slice(&buffer[..got]),
            Err(error) => return (all, Some(error.to_string())),
        }
    }
}

fn content(length: usize) -> Vec<u8> {
    let line = |number: usize| format!("{number} {}\n", number.wrapping_mul(2_654_435_761) % 10_007);
    (0..).flat_map(|number| line(number).into_bytes()).take(length).collect()
}

/// Members of gzip that state their lengths, as bgzip writes them.
fn blocks_of_gzip(content: &[u8]) -> Vec<u8> {
    let mut all = Vec::new();
    for block in content.chunks(60_000).chain([&[][..]]) {
        let mut encoder = DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(block).unwrap();
        let packed = encoder.finish().unwrap();
        all.extend_from_slice(&[0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 255, 6, 0, b'B', b'C', 2, 0]);
        all.extend_from_slice(&(packed.len() as u16 + 25).to_le_bytes());
        all.extend_from_slice(&packed);
        all.extend_from_slice(&crc32fast::hash(block).to_le_bytes());
        all.extend_from_slice(&(block.len() as u32).to_le_bytes());
    }
    all
}

fn bzip2_of(content: &[u8]) -> Vec<u8> {
    let stream = |content: &[u8], level| {
        let mut encoder = BzEncoder::new(Vec::new(), Compression::new(level));
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    };
    // Blocks of 100 kB, an empty stream, blocks of 200 kB.
    let (first, second) = content.split_at(content.len() / 2);
    [stream(first, 1), stream(b"", 9), stream(second, 2)].concat()
}

fn lz4_of(content: &[u8], has_sums: bool, block: BlockSize) -> Vec<u8> {
    let frame = |content: &[u8]| {
        let info = FrameInfo::new().block_mode(BlockMode::Independent).block_size(block);
        let mut encoder =
            FrameEncoder::with_frame_info(info.content_checksum(has_sums).block_checksums(has_sums), Vec::new());
        encoder.write_all(content).unwrap();
        encoder.finish().unwrap()
    };
    let (first, second) = content.split_at(content.len() / 3);
    [frame(first), frame(b""), frame(second)].concat()
}

/// Streams that are cut, each with its content.
fn streams() -> Vec<(Packing, Vec<u8>, Vec<u8>)> {
    let content = content(3_500_000);
    let of = |packing, stream| (packing, stream, content.clone());
    vec![
        of(Packing::Gzip, blocks_of_gzip(&content)),
        of(Packing::Bzip2, bzip2_of(&content)),
        of(Packing::Lz4, lz4_of(&content, true, BlockSize::Max64KB)),
        of(Packing::Lz4, lz4_of(&content, false, BlockSize::Max64KB)),
        of(Packing::Lz4, lz4_of(&content, true, BlockSize::Max1MB)),
    ]
}

#[test]
fn parts_give_the_content() {
    for (packing, stream, content) in streams() {
        assert_eq!(read(packing, &stream, &Limits::default(), 1 << 16), (content.clone(), None), "{packing:?} alone");
        for (memory, is_late) in [(64 << 20, false), (64 << 20, true), (9 << 20, true), (0, true)] {
            let crew = Arc::new(Crews { memory, is_late, begun: AtomicUsize::new(0), alone: Default::default() });
            let limits = Limits { crew: Hands::of(crew.clone()), ..Limits::default() };
            let (found, error) = read(packing, &stream, &limits, 100_003);
            assert!(found == content && error.is_none(), "{packing:?} {memory} {error:?}");
            assert_eq!(crew.begun.load(Ordering::SeqCst) > 2, memory > 0, "{packing:?} {memory}: it is cut");
        }
    }
}

/// Blocks of 4 MiB are decoded whole ahead, where there is memory.
#[test]
fn a_long_block_is_one_request() {
    let content = content(11_000_000);
    let stream = lz4_of(&content, true, BlockSize::Max4MB);
    for memory in [64 << 20, 10 << 20] {
        let crew = Arc::new(Crews { memory, is_late: false, begun: AtomicUsize::new(0), alone: Default::default() });
        let limits = Limits { crew: Hands::of(crew.clone()), ..Limits::default() };
        assert!(read(Packing::Lz4, &stream, &limits, 1 << 20) == (content.clone(), None));
        let begun = crew.begun.load(Ordering::SeqCst);
        // Frames of 3.7 MB, none and 7.3 MB: one part, an empty one, and two.
        assert_eq!(begun == 4, memory == 64 << 20, "{begun} requests with {memory} bytes");
    }
}

/// A stream that cannot be cut is counted once, with all its bytes, however little memory there is.
#[test]
fn a_stream_of_one_thread_is_counted_once() {
    let content = content(3_500_000);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(&content).unwrap();
    let stream = encoder.finish().unwrap();
    for memory in [64 << 20, 0] {
        let crew = Arc::new(Crews { memory, is_late: true, begun: AtomicUsize::new(0), alone: Default::default() });
        let limits = Limits { crew: Hands::of(crew.clone()), ..Limits::default() };
        assert_eq!(read(Packing::Gzip, &stream, &limits, 50_000), (content.clone(), None));
        let counted = (crew.alone.0.load(Ordering::SeqCst), crew.alone.1.load(Ordering::SeqCst));
        assert_eq!(counted, (1, content.len()), "{memory} bytes of memory");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    /// Bits that changed, streams that are cut off, and bytes behind them.
    #[test]
    fn damage_is_said_as_one_decoder_says_it(
        which in 0..5_usize, flip in prop::option::of(any::<prop::sample::Index>()), bit in 0..8_u32,
        cut in prop::option::of(any::<prop::sample::Index>()), behind in prop::collection::vec(0..3_u8, 0..9),
        is_late: bool, size in 1..200_000_usize,
    ) {
        let (packing, mut stream, _) = streams().swap_remove(which);
        if let Some(at) = flip {
            let at = at.index(stream.len());
            stream[at] ^= 1_u8 << bit;
        }
        if let Some(at) = cut {
            stream.truncate(at.index(stream.len()));
        }
        stream.extend(behind);
        let alone = read(packing, &stream, &Limits::default(), size);
        let crew = Arc::new(Crews { memory: 32 << 20, is_late, begun: AtomicUsize::new(0), alone: Default::default() });
        let limits = Limits { crew: Hands::of(crew), ..Limits::default() };
        prop_assert!(read(packing, &stream, &limits, size) == alone, "{packing:?}: {:?}", alone.1);
    }
}
