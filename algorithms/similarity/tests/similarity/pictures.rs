//! Pictures: the reference packages' digests, the plain twins, and hostile files.

use crate::inputs::prng;
use pfh_similarity::naive::pictures as naive;
use pfh_similarity::pdq::{Orientation, Pdq, Sampled, nearest};
use pfh_similarity::phash::{Phash, Scaled};
use pfh_similarity::pictures::{Bits, Kind, LARGEST, Rows, decode};
use pfh_similarity::{Hasher, Method, NoDigest};
use proptest::prelude::*;
use std::fs;
use std::path::PathBuf;

/// A bitmap of 24 bits for a pixel, of grey.
pub fn bitmap(luma: &[Vec<u8>]) -> Vec<u8> {
    let (width, height) = (luma[0].len(), luma.len());
    let mut bytes = b"BM".to_vec();
    for number in [0, 0, 54, 40, width as u32, height as u32, 1 | 24 << 16, 0, 0, 0, 0, 0, 0] {
        bytes.extend_from_slice(&number.to_le_bytes());
    }
    for row in luma.iter().rev() {
        row.iter().for_each(|grey| bytes.extend_from_slice(&[*grey; 3]));
        let row = 3 * width;
        bytes.extend(std::iter::repeat_n(0, row.next_multiple_of(4) - row));
    }
    bytes
}

/// Rows of blocks of chance.
pub fn blocks(seed: u64, width: usize, height: usize, block: usize) -> Vec<Vec<u8>> {
    let across = width.div_ceil(block);
    let greys = prng(seed, across * height.div_ceil(block));
    (0..height).map(|y| (0..width).map(|x| greys[y / block * across + x / block]).collect()).collect()
}

fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/similarity/pictures")
}

/// Each with its name, its bytes, and both digests and the quality by the reference packages.
fn expected() -> Vec<(String, Vec<u8>, Bits<4>, u32, Bits<1>)> {
    let text = fs::read_to_string(vectors().join("pictures.tsv")).expect("a file of the project");
    let row = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, pdq, quality, phash] = fields[..] else { panic!("{line}") };
        let bytes = fs::read(vectors().join(name)).expect("a file of the project");
        (name.to_owned(), bytes, pdq.parse().unwrap(), quality.parse().unwrap(), phash.parse().unwrap())
    };
    text.lines().map(row).collect()
}

#[test]
fn digests_are_those_of_the_reference_packages() {
    let all = expected();
    assert_eq!(all.len(), 26);
    let mut differ = [0; 2];
    for (name, bytes, pdq, quality, phash) in &all {
        let own = [Pdq.digest(bytes).unwrap().distance(pdq), Phash.digest(bytes).unwrap().distance(phash)];
        // Decoders and scalers round otherwise: some coefficients are as good as the median.
        assert!(own[0] <= 4 && own[1] <= 2, "{name}: {own:?}");
        differ = [0, 1].map(|i| differ[i] + own[i]);
        assert!(Sampled::of(bytes).unwrap().quality().abs_diff(*quality) <= 1, "{name}");
    }
    assert!(differ[0] <= 40 && differ[1] <= 4, "{differ:?} bits of all");
}

#[test]
fn one_picture_in_any_form_is_near_and_others_are_far() {
    let all = expected();
    let first = &all[0];
    for (name, bytes, ..) in &all {
        let pdq = Pdq.digest(bytes).unwrap().distance(&first.2);
        // A picture that fades into white, or has few colours, is another one to PDQ.
        let is_far = !name.starts_with("0-") || name.contains("alpha");
        let is_coarse =
            ["one.png", "1.bmp", "4.bmp", "palette.png", "moving.gif"].iter().any(|end| name.ends_with(end));
        assert!(is_coarse || (pdq > 31) == is_far, "{name}: {pdq}");
    }
}

/// The rows of a picture in an orientation.
fn laid(rows: &[Vec<u8>], across: bool, down: bool, diagonal: bool) -> Vec<Vec<u8>> {
    let mut rows = rows.to_vec();
    if across {
        rows.iter_mut().for_each(|row| row.reverse());
    }
    if down {
        rows.reverse();
    }
    if diagonal {
        rows = (0..rows[0].len()).map(|x| rows.iter().map(|row| row[x]).collect()).collect();
    }
    rows
}

/// A turned picture has the turned digest but for the bits of coefficients near the median. Windows
/// of an even number of pixels reach one further on one side, by which small pictures are shifted.
#[test]
fn a_turned_picture_is_near_in_its_orientation_and_others_are_far_in_all() {
    let (mut furthest, mut pictures) = (0, Vec::new());
    for (seed, (width, height)) in (0..40).zip([(640, 448), (600, 800), (1000, 300), (127, 100)].iter().cycle()) {
        let luma = blocks(seed, *width, *height, width / 12);
        let upright = Sampled::of_luma(&luma).digest().unwrap();
        for (at, orientation) in Orientation::ALL.into_iter().enumerate() {
            let turned = laid(&luma, at & 1 != 0, at & 2 != 0, at & 4 != 0);
            let own = Sampled::of_luma(&turned).digest().unwrap();
            let distance = own.distance(&orientation.of(&upright));
            assert!(nearest(&own, &upright).0 <= distance);
            furthest = furthest.max(distance);
        }
        pictures.push(upright);
    }
    assert!(furthest <= 31, "{furthest}");
    // Those of chance have nothing in common.
    for (at, one) in pictures.iter().enumerate() {
        for other in &pictures[..at] {
            assert_eq!(nearest(one, other).0, nearest(other, one).0);
            assert!(nearest(one, other).0 > 60, "{at}");
        }
    }
}

#[test]
fn any_pieces_give_the_digest_of_the_whole() {
    for (name, bytes, ..) in expected() {
        let (pdq, phash) = (Pdq.digest(&bytes), Phash.digest(&bytes));
        for size in [1, 7, 18, 19, 4096] {
            let (mut of_pdq, mut of_phash) = (Pdq.hasher(), Phash.hasher());
            for piece in bytes.chunks(size) {
                of_pdq.update(piece);
                of_phash.update(piece);
            }
            assert_eq!((of_pdq.finalize(), of_phash.finalize()), (pdq, phash), "{name} {size}");
        }
    }
}

/// The rows of a picture.
#[derive(Default)]
struct Seen {
    size: (usize, usize),
    rows: Vec<Vec<u8>>,
}

impl Rows for Seen {
    fn begin(&mut self, width: usize, height: usize) {
        self.size = (width, height);
    }

    fn row(&mut self, luma: &[u8]) {
        self.rows.push(luma.to_vec());
    }
}

#[test]
fn rows_come_from_the_top_and_transparent_ones_are_white() {
    for (name, bytes, ..) in expected() {
        let mut seen = Seen::default();
        decode(&bytes, &mut seen).unwrap();
        let (width, height) = seen.size;
        assert!(seen.rows.len() == height && seen.rows.iter().all(|row| row.len() == width), "{name}");
        let kind = match name.rsplit('.').next().unwrap() {
            "jpg" => Kind::Jpeg,
            "png" => Kind::Png,
            "gif" => Kind::Gif,
            "webp" => Kind::WebP,
            _ => Kind::Bmp,
        };
        assert_eq!(Kind::of(&bytes), Some(kind));
        // The alpha of this one grows from the top.
        let is_clear = name == "0-alpha.png";
        assert_eq!(seen.rows[0].iter().all(|luma| *luma > 250), is_clear, "{name}");
    }
    let luma = vec![vec![1, 2, 3], vec![4, 5, 6]];
    let mut seen = Seen::default();
    decode(&bitmap(&luma), &mut seen).unwrap();
    assert_eq!(seen.rows, luma);
}

#[test]
fn without_contrast_there_is_no_digest() {
    let plain = fs::read(vectors().join("plain.png")).expect("a file of the project");
    let slope: Vec<Vec<u8>> = (0..90).map(|y| (0..90).map(|x| (x + y) as u8 / 8).collect()).collect();
    for bytes in [plain, bitmap(&slope)] {
        assert_eq!(Pdq.digest(&bytes), Err(NoDigest::LowEntropy));
        assert_eq!(Phash.digest(&bytes), Err(NoDigest::LowEntropy));
    }
    assert!(Pdq.digest(&bitmap(&blocks(3, 90, 90, 9))).is_ok());
}

#[test]
fn other_files_and_those_too_large_have_a_reason() {
    for bytes in [&b""[..], b"BM", b"BMW and other text that begins as a bitmap", b"\x7fELF", b"GIF88a"] {
        assert_eq!(Pdq.digest(bytes), Err(NoDigest::OtherKind));
        let mut hasher = Phash.hasher();
        bytes.iter().for_each(|byte| hasher.update(&[*byte]));
        assert_eq!(hasher.finalize(), Err(NoDigest::OtherKind));
    }
    let mut wide = bitmap(&blocks(1, 90, 90, 9));
    assert_eq!(Pdq.digest(&wide[..2000]), Err(NoDigest::Damaged));
    wide[18..22].copy_from_slice(&60_000u32.to_le_bytes());
    wide[22..26].copy_from_slice(&60_000u32.to_le_bytes());
    assert!(matches!(Pdq.digest(&wide), Err(NoDigest::TooManyPixels(_))));
    // Of a file that is too large nothing is kept.
    let mut hasher = Pdq.hasher();
    let piece = vec![0; 1 << 20];
    hasher.update(&wide);
    (0..LARGEST >> 20).for_each(|_| hasher.update(&piece));
    assert_eq!(hasher.finalize(), Err(NoDigest::TooLong(LARGEST)));
}

/// Where a coefficient is not as good as the median, its bit is that of the twin.
fn same_bits(coefficients: &naive::Picture, median: f64, scale: f64, bit: impl Fn(usize) -> bool) {
    for (at, coefficient) in coefficients.iter().flatten().enumerate() {
        if (coefficient - median).abs() > scale {
            assert_eq!(bit(at), *coefficient > median, "{at}: {coefficient} {median}");
        }
    }
}

fn sorted(coefficients: &naive::Picture) -> Vec<f64> {
    let mut sorted: Vec<f64> = coefficients.iter().flatten().copied().collect();
    sorted.sort_by(f64::total_cmp);
    sorted
}

fn near(own: &[Vec<f64>], other: &naive::Picture, most: f64) {
    let pairs = own.iter().flatten().zip(other.iter().flatten());
    let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst <= most, "{worst}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn digests_are_those_of_the_plain_twins(seed in any::<u64>(), width in 1usize..420, height in 1usize..300, block in 1usize..40) {
        let luma = blocks(seed, width, height, block);
        let plain: naive::Picture = luma.iter().map(|row| row.iter().map(|luma| f64::from(*luma)).collect()).collect();
        let sampled = Sampled::of_luma(&luma);
        near(&sampled.luma(), &naive::sampled(&plain), 0.01);
        if let Ok(digest) = sampled.digest() {
            let coefficients = naive::coefficients(&sampled.luma(), 1, 16);
            let median = sorted(&coefficients)[127];
            same_bits(&coefficients, median, 1e-6, |at| digest.0[at / 64] >> (at % 64) & 1 == 1);
        }
        let scaled = Scaled::of_luma(&luma);
        let [low, high] = naive::scaled(&plain).map(|bound| bound.concat());
        for ((own, low), high) in scaled.luma().concat().iter().zip(low).zip(high) {
            prop_assert!((low..=high).contains(own), "{} {} {}", own, low, high);
        }
        if let Ok(digest) = scaled.digest() {
            let coefficients = naive::coefficients(&scaled.luma(), 0, 8);
            let sorted = sorted(&coefficients);
            same_bits(&coefficients, (sorted[31] + sorted[32]) / 2.0, 1e-6, |at| digest.0[0] >> (63 - at) & 1 == 1);
        }
    }

    /// Damaged files end in a digest or in a reason.
    #[test]
    fn damaged_files_do_no_harm(which in 0usize..26, changes in prop::collection::vec((any::<u32>(), any::<u8>()), 1..6), cut in any::<u32>()) {
        let (name, mut bytes, ..) = expected().swap_remove(which);
        for (at, value) in changes {
            let at = at as usize % bytes.len();
            bytes[at] = value;
        }
        if cut % 4 == 0 {
            bytes.truncate(cut as usize % bytes.len());
        }
        let whole = Pdq.digest(&bytes);
        let mut hasher = Pdq.hasher();
        bytes.chunks(97).for_each(|piece| hasher.update(piece));
        prop_assert_eq!(hasher.finalize(), whole, "{}", name);
    }
}

#[test]
fn texts_are_read_back() {
    let bits = Bits([1, 2, 3, 0xf000_0000_0000_0004]);
    let text = bits.to_string();
    assert!(text.len() == 64 && text.starts_with("f00") && text.ends_with("01"));
    assert_eq!(text.to_uppercase().parse(), Ok(bits));
    for wrong in ["", "00", &"g".repeat(64), &"é".repeat(32), &"0".repeat(65)] {
        assert!(wrong.parse::<Bits<4>>().is_err(), "{wrong}");
    }
    assert_eq!(Bits([0, 0, 0, 0]).distance(&bits), 1 + 1 + 2 + 5);
}
