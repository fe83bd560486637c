//! Pictures: the reference packages' digests, the plain twins, and hostile files.

use crate::inputs::prng;
use pfh_similarity::crops::{self, Crops};
use pfh_similarity::index::{self, Hit, Pairs, Share};
use pfh_similarity::naive::pictures as naive;
use pfh_similarity::pdq::{Orientation, Pdq, SampledPicture, nearest};
use pfh_similarity::phash::{Phash, ScaledPicture};
use pfh_similarity::pictures::{Bits, Kind, LARGEST, Rows, decode};
use pfh_similarity::{Hasher, Method, NoDigest, Score};
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
        assert!(SampledPicture::of(bytes).unwrap().quality().abs_diff(*quality) <= 1, "{name}");
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
        let upright = SampledPicture::of_luma(&luma).digest().unwrap();
        for (at, orientation) in Orientation::ALL.into_iter().enumerate() {
            let turned = laid(&luma, at & 1 != 0, at & 2 != 0, at & 4 != 0);
            let own = SampledPicture::of_luma(&turned).digest().unwrap();
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
            let (mut of_pdq, mut of_phash, mut of_crops) = (Pdq.hasher(), Phash.hasher(), Crops.hasher());
            for piece in bytes.chunks(size) {
                of_pdq.update(piece);
                of_phash.update(piece);
                of_crops.update(piece);
            }
            assert_eq!((of_pdq.finalize(), of_phash.finalize()), (pdq, phash), "{name} {size}");
            assert_eq!(of_crops.finalize(), Crops.digest(&bytes), "{name} {size}");
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
        let sampled = SampledPicture::of_luma(&luma);
        near(&sampled.luma(), &naive::sampled(&plain), 0.01);
        if let Ok(digest) = sampled.digest() {
            let coefficients = naive::coefficients(&sampled.luma(), 1, 16);
            let median = sorted(&coefficients)[127];
            same_bits(&coefficients, median, 1e-6, |at| digest.0[at / 64] >> (at % 64) & 1 == 1);
        }
        let scaled = ScaledPicture::of_luma(&luma);
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

/// A part of a picture.
fn part(rows: &[Vec<u8>], [x, y, width, height]: [usize; 4]) -> Vec<Vec<u8>> {
    rows[y..y + height].iter().map(|row| row[x..x + width].to_vec()).collect()
}

/// A picture of soft spots in three sizes.
fn spots(seed: u32, width: usize, height: usize) -> Vec<Vec<u8>> {
    let layer = |cell: usize| {
        let columns = width / cell + 2;
        let greys = prng(1000 * u64::from(seed) + cell as u64, columns * (height / cell + 2));
        move |x: usize, y: usize| {
            let (left, top, across, down) = (x / cell, y / cell, x % cell, y % cell);
            let at = |column: usize, line: usize| usize::from(greys[line * columns + column]);
            let row = |line: usize| at(left, line) * (cell - across) + at(left + 1, line) * across;
            (row(top) * (cell - down) + row(top + 1) * down) / (cell * cell)
        }
    };
    let layers = [layer(8), layer(17), layer(40)];
    let luma = |x: usize, y: usize| (layers.iter().map(|layer| layer(x, y)).sum::<usize>() / 3) as u8;
    (0..height).map(|y| (0..width).map(|x| luma(x, y)).collect()).collect()
}

/// Parts in every orientation have places in common with the whole, and no two pictures of chance
/// have; the search finds the same pairs as a comparison of each two.
#[test]
fn parts_have_places_in_common_with_the_whole() {
    let mut digests = Vec::new();
    for seed in 0..12 {
        let luma = spots(seed, 480, 360);
        digests.push(Crops.digest(&bitmap(&luma)).unwrap());
        let cut = part(&luma, [40 + 8 * seed as usize, 36, 300, 240]);
        let at = seed as usize % 8;
        digests.push(Crops.digest(&bitmap(&laid(&cut, at & 1 != 0, at & 2 != 0, at & 4 != 0))).unwrap());
    }
    let mut expected = Vec::new();
    for (b, other) in digests.iter().enumerate() {
        for (a, one) in digests[..b].iter().enumerate() {
            let common = crops::common(one, other);
            assert_eq!(common >= 20, a / 2 == b / 2, "{a} {b} {common}");
            assert!(!(6..20).contains(&common), "{a} {b} {common}");
            if common >= 6 {
                expected.push((a as u32, b as u32, Score::Similarity(common)));
            }
        }
    }
    assert_eq!(expected.len(), 12);
    let mut found: Vec<Hit> = Vec::new();
    for part in 0..3 {
        assert!(index::crops_share(&digests, Pairs::All, 6, Share { part, of: 3 }, &mut found).is_continue());
    }
    let mut found: Vec<_> = found.iter().map(|hit| (hit.a, hit.b, hit.score)).collect();
    found.sort_by_key(|(a, b, _)| (*a, *b));
    assert_eq!(found, expected);
}

/// One text for each digest, and no other text is one.
#[test]
fn the_text_of_places_is_strict() {
    let digest = Crops.digest(&bitmap(&spots(1, 480, 360))).unwrap();
    let text = digest.to_string();
    assert_eq!(text.parse(), Ok(digest.clone()));
    let points = digest.points().len();
    let body = text.rsplit(':').next().unwrap();
    let shifted = format!("crops:1:{points}:{}{}", &body[52..104], &body[52..]);
    for bad in [&text[1..], &text[..text.len() - 4], "crops:1:0:", "crops:1:251:", &shifted] {
        assert!(bad.parse::<crops::Digest>().is_err(), "{bad}");
    }
}

/// A picture in a format that is not read is not a file of another kind.
#[test]
fn other_pictures_are_named() {
    for first in [
        &b"II*\0\x08\0\0\0"[..],
        b"MM\0*\0\0\0\x08",
        b"\0\0\0\x18ftypheic\0\0\0\0mif1",
        b"\0\0\0\x18ftypavif\0\0\0\0mif1",
        b"\0\0\0\x0cJXL \r\n\x87\n",
        b"\0\0\0\x0cjP  \r\n\x87\n",
    ] {
        for length in [first.len(), 100, 5000] {
            let mut bytes = first.to_vec();
            bytes.resize(length, 0);
            assert_eq!(Pdq.digest(&bytes), Err(NoDigest::OtherPicture));
            let mut hasher = Crops.hasher();
            bytes.chunks(7).for_each(|piece| hasher.update(piece));
            assert_eq!(hasher.finalize(), Err(NoDigest::OtherPicture));
        }
    }
    assert_eq!(Pdq.digest(b"\0\0\0\x18ftypisom and a film"), Err(NoDigest::OtherKind));
}
