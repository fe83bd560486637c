//! The fast implementations against the plain ones: inputs made to hit the edges, in pieces of any
//! length.

use crate::inputs::{low, prng, text};
use pfh_similarity::mrsh_v2::{self, Base, Ends, MrshV2};
use pfh_similarity::sdhash::{self, Sdhash};
use pfh_similarity::shingles::{self, Shingles};
use pfh_similarity::ssdeep::{self, Ssdeep, Target};
use pfh_similarity::strings::{COMMON, MARKS, Strings};
use pfh_similarity::text::Text;
use pfh_similarity::{Hasher, Method, naive};
use proptest::prelude::*;

/// Stretches of different kinds put together: random, low entropy, text, constant runs longer than
/// any tile, repetitions.
fn input() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![0usize..80, 500usize..600, 0usize..5000, 0usize..60_000];
    let stretch = (0u8..7, any::<u64>(), length).prop_map(|(kind, seed, length)| match kind {
        0 => prng(seed, length),
        1 => low(seed, length, 2 + (seed % 6) as u8),
        2 => text(seed, length),
        3 => vec![seed as u8; length],
        4 => prng(seed, 1 + seed as usize % 200).into_iter().cycle().take(length).collect(),
        5 => (0..length).map(|i| (i as u64).wrapping_add(seed) as u8).collect(),
        _ => prng(seed, length).into_iter().map(|byte| if byte > 250 { byte } else { 0 }).collect(),
    });
    prop::collection::vec(stretch, 0..5).prop_map(|stretches| stretches.concat())
}

fn in_pieces<H: Hasher>(mut hasher: H, data: &[u8], pieces: &[usize]) -> H {
    let mut rest = data;
    for &piece in pieces {
        let (head, tail) = rest.split_at(piece.min(rest.len()));
        hasher.update(head);
        rest = tail;
    }
    hasher.update(rest);
    hasher
}

fn pieces() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![0usize..100, 0usize..20_000], 0..30)
}

fn short_pieces() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(prop_oneof![0usize..4, 0usize..100, 0usize..20_000], 0..60)
}

fn ssdeep_agrees(data: &[u8], pieces: &[usize]) {
    let expected = naive::ssdeep::digest(data, false, false);
    assert_eq!(Ssdeep.digest(data).unwrap().to_string(), expected);
    let generator = in_pieces(Ssdeep.hasher(), data, pieces);
    assert_eq!(generator.clone().finalize().unwrap().to_string(), expected);
    let untruncated = generator.finalize_untruncated().unwrap().collapsed().to_string();
    assert_eq!(untruncated, naive::ssdeep::digest(data, true, true));
}

fn mrsh_v2_agrees(data: &[u8], pieces: &[usize], method: MrshV2, b: u32, max: u32, network: bool) {
    let expected = naive::mrsh_v2::print(&naive::mrsh_v2::digest(data, b, max, network), "");
    assert!(method.digest(data).unwrap().to_string() == expected);
    assert!(in_pieces(method.hasher(), data, pieces).finalize().unwrap().to_string() == expected);
}

fn sdhash_agrees(data: &[u8], pieces: &[usize]) {
    let print = |digest: Option<naive::sdhash::Digest>| digest.map(|digest| naive::sdhash::print(&digest));
    for (method, expected) in [
        (Sdhash::STREAM, naive::sdhash::stream(data, "")),
        (Sdhash::BLOCKS, naive::sdhash::blocks(data, "", 16 << 10)),
        (Sdhash::with_blocks(1).unwrap(), naive::sdhash::blocks(data, "", 1 << 10)),
    ] {
        let expected = print(expected);
        assert!(method.digest(data).ok().map(|digest| digest.to_string()) == expected);
        let found = in_pieces(method.hasher(), data, pieces).finalize().ok().map(|digest| digest.to_string());
        assert!(found == expected);
    }
}

/// Windows have names of 58 bits: as many different names as windows, and the same level.
fn shingles_agree(data: &[u8], pieces: &[usize]) {
    let expected = naive::shingles::windows(data).map(|(level, windows)| (level, windows.len()));
    let whole = Shingles.digest(data).ok();
    assert_eq!(whole.as_ref().map(|digest| (digest.level(), digest.windows().len())), expected);
    assert_eq!(in_pieces(Shingles.hasher(), data, pieces).finalize().ok(), whole);
    if let Some(digest) = whole {
        assert_eq!(digest.to_string().parse(), Ok(digest));
    }
}

/// Strings have names of 58 bits: as many different names as strings, where all of them fit.
fn strings_agree(data: &[u8], pieces: &[usize]) {
    let is_executable = data.len() >= 6 && MARKS.iter().any(|mark| data.starts_with(mark));
    let expected = is_executable.then(|| naive::strings::strings(data).len()).filter(|&count| count > 0);
    let whole = Strings.digest(data).ok();
    assert_eq!(whole.as_ref().map(|digest| (digest.level(), digest.windows().len())), expected.map(|count| (0, count)));
    assert_eq!(in_pieces(Strings.hasher(), data, pieces).finalize().ok(), whole);
    if let Some(digest) = whole {
        assert_eq!(digest.to_string().parse(), Ok(digest));
    }
}

/// The digest of a text has the windows of the plain one's normal form.
fn text_agrees(data: &[u8], pieces: &[usize]) {
    let expected = naive::text::normal(data).and_then(|normal| Shingles.digest(normal.as_bytes()).ok());
    let whole = Text.digest(data).ok();
    assert_eq!(in_pieces(Text.hasher(), data, pieces).finalize().ok(), whole);
    let parts = |digest: shingles::Digest| (digest.length(), digest.level(), digest.windows().to_vec());
    assert_eq!(whole.map(parts), expected.map(parts));
}

/// Stretches of an executable: printable in ASCII and UTF-16LE, anything, zeros.
fn program() -> impl Strategy<Value = Vec<u8>> {
    let wide = |text: String| text.bytes().flat_map(|byte| [byte, 0]).collect::<Vec<u8>>();
    let stretch = prop_oneof![
        "[ -~\\t]{0,12}".prop_map(String::into_bytes),
        "[ -~]{0,12}".prop_map(wide),
        prop::sample::select(COMMON.lines().collect::<Vec<_>>()).prop_map(|line| format!("{line}\0").into_bytes()),
        prop::collection::vec(any::<u8>(), 0..9),
        prop::collection::vec(Just(0u8), 0..4),
        prop::collection::vec(prop_oneof![Just(0u8), Just(b'a'), Just(b'b')], 0..40),
    ];
    let mark = prop_oneof![prop::sample::select(MARKS.to_vec()), Just(&b"MX"[..]), Just(&b""[..])];
    (mark, prop::collection::vec(stretch, 0..30)).prop_map(|(mark, stretches)| [mark, &stretches.concat()].concat())
}

/// Segments of a JPEG file, some of them damaged, and bytes behind them.
fn picture() -> impl Strategy<Value = Vec<u8>> {
    let marker = prop_oneof![
        prop::sample::select(vec![0xc0u8, 0xc4, 0xdb, 0xdd, 0xe0, 0xe1, 0xe2, 0xed, 0xee, 0xfe, 0xda, 0xd9]),
        any::<u8>(),
    ];
    let body = prop::collection::vec(any::<u8>(), 0..120);
    let segment = (0..3usize, marker, body, 0..20u8).prop_map(|(fill, marker, body, wrong)| {
        let length = body.len() as u16 + if wrong == 0 { 1 } else { 2 };
        [&[0xff].repeat(fill + usize::from(wrong != 1)), &[marker][..], &length.to_be_bytes(), &body].concat()
    });
    let rest = prop::collection::vec(any::<u8>(), 0..200);
    let signature = prop_oneof![9 => Just(&[0xff, 0xd8][..]), 1 => Just(&[0xff][..])];
    (signature, prop::collection::vec(segment, 0..7), rest)
        .prop_map(|(signature, segments, rest)| [signature, &segments.concat(), &rest].concat())
}

/// Text in each encoding, with stretches that are of none.
fn written() -> impl Strategy<Value = Vec<u8>> {
    let words = prop_oneof![
        "[a-zA-Z .,\\r\\n\\t]{0,60}",
        "[äÖßéñ\u{a0}\u{3000}\u{2028}ЖжΣςİ€𝔸\u{10400} x\\n]{0,30}",
        "[\\x00-\\x20\\x7f]{0,1}",
        "(one and the same line\\r?\\n){0,20}",
    ];
    let text = prop::collection::vec(words, 0..12).prop_map(|words| words.concat());
    let bytes =
        prop_oneof![Just(Vec::new()), prop::collection::vec(128u8.., 0..9), prop::collection::vec(any::<u8>(), 0..3)];
    (text, 0..6, bytes).prop_map(|(text, encoding, bytes)| {
        let units = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
        let written = match encoding {
            0 => [b"\xff\xfe", &units(u16::to_le_bytes)[..]].concat(),
            1 => [b"\xfe\xff", &units(u16::to_be_bytes)[..]].concat(),
            2 => [b"\xef\xbb\xbf", text.as_bytes()].concat(),
            3 => text.chars().filter_map(|c| u8::try_from(u32::from(c)).ok()).collect(),
            _ => text.into_bytes(),
        };
        [written, bytes].concat()
    })
}

/// Two inputs share the windows that the plain method counts at the coarser of their levels.
fn shingles_share(a: &[u8], b: &[u8]) {
    let (Some(first), Some(second)) = (naive::shingles::windows(a), naive::shingles::windows(b)) else { return };
    let expected = first.1.intersection(&second.1).count() as u64;
    let [a, b] = [a, b].map(|data| Shingles.digest(data).unwrap());
    assert_eq!(a.shared(&b), expected);
    let common = first.0.max(second.0);
    let of =
        |digest: &shingles::Digest| digest.windows().iter().filter(|name| (*name & 63) as u8 >= common).count() as u64;
    let [in_b, in_a] = shingles::SharedWindows::new(expected, &a.outline(), &b.outline()).contained();
    for (share, of) in [(in_b, of(&a)), (in_a, of(&b))] {
        assert_eq!(share == 0, expected == 0);
        assert_eq!(share == 100, expected > 0 && expected == of);
        assert!(of == 0 || share <= 1 || (u64::from(share) * of).abs_diff(100 * expected) <= of);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn ssdeep(data in input(), pieces in pieces()) {
        ssdeep_agrees(&data, &pieces);
    }

    #[test]
    fn shingles(data in input(), pieces in pieces()) {
        shingles_agree(&data, &pieces);
    }

    #[test]
    fn shingles_of_pictures(data in picture(), pieces in short_pieces()) {
        shingles_agree(&data, &pieces);
    }

    #[test]
    fn strings(
        data in prop_oneof![program(), input().prop_map(|data| [b"\x7fELF", &data[..]].concat())],
        pieces in short_pieces(),
    ) {
        strings_agree(&data, &pieces);
    }

    #[test]
    fn text_in_its_normal_form(data in prop_oneof![written(), input()], pieces in short_pieces()) {
        text_agrees(&data, &pieces);
    }

    #[test]
    fn shared_windows(a in input(), b in input(), common in input()) {
        shingles_share(&[&a[..], &common].concat(), &[&common[..], &b].concat());
    }

    #[test]
    fn mrsh_v2(data in input(), pieces in pieces(), b in 8u32..400, max in 8u32..300) {
        mrsh_v2_agrees(&data, &pieces, MrshV2::PLAIN, 160, 160, false);
        mrsh_v2_agrees(&data, &pieces, MrshV2::NETWORK, 160, 160, true);
        let method = MrshV2::with_parameters(b, max, 8, Ends::Kept).unwrap();
        mrsh_v2_agrees(&data, &pieces, method, b, max, false);
    }

    #[test]
    fn sdhash(data in input(), pieces in pieces()) {
        sdhash_agrees(&data, &pieces);
    }

    /// Letters of a small alphabet, so that parts share grams and have runs.
    #[test]
    fn ssdeep_scores(a in "(3|6|12|24|48|96):[ABCabc/+]{0,64}:[ABCabc/+]{0,64}", cut in 0usize..64, level in 0usize..6) {
        let x: ssdeep::Digest = a.parse().unwrap();
        let (first, second) = (x.first().to_string(), x.second().to_string());
        let swapped = format!("{}{}", &first[cut.min(first.len())..], &first[..cut.min(first.len())]);
        for b in [
            format!("{}:{swapped}:{second}", 3 << level),
            format!("{}:{second}:{swapped}", 3 << level),
            format!("{}:{first}:{second}", 3 << level),
            format!("{}:{first}:{}", x.block_size(), &second[..second.len() / 2]),
        ] {
            let y: ssdeep::Digest = b.parse().unwrap();
            let expected = naive::ssdeep::compare(&a, &b).unwrap();
            prop_assert_eq!(u32::from(Target::new(&x).score(&y.collapsed())), expected);
            prop_assert_eq!(u32::from(Target::new(&y).score(&x.collapsed())), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn scores_of_relatives(a in input(), b in input(), head in 0usize..100_000) {
        let b = [&a[..head.min(a.len())], &b].concat();
        let naive_mrsh = |data: &[u8]| naive::mrsh_v2::digest(data, 160, 160, false);
        let (x, y) = (MrshV2::PLAIN.digest(&a).unwrap(), MrshV2::PLAIN.digest(&b).unwrap());
        for (base, fragment) in [(Base::Smaller, false), (Base::Larger, true)] {
            let expected = naive::mrsh_v2::compare(&naive_mrsh(&a), &naive_mrsh(&b), 8, fragment);
            prop_assert_eq!(u32::from(mrsh_v2::compare(&MrshV2::PLAIN, &x, &y, base)), expected);
        }
        for method in [Sdhash::STREAM, Sdhash::with_blocks(4).unwrap()] {
            let naive_sdhash = |data: &[u8], name: &str| match method {
                Sdhash::STREAM => naive::sdhash::stream(data, name),
                _ => naive::sdhash::blocks(data, name, 4 << 10),
            };
            let (Ok(x), Ok(y)) = (method.digest(&a), method.digest(&b)) else { continue };
            for (first, second) in [("a", "b"), ("b", "a"), ("", "")] {
                let naive = [(&a, first), (&b, second)].map(|(data, name)| naive_sdhash(data, name).unwrap());
                let expected = naive::sdhash::compare(&naive[0], &naive[1]);
                prop_assert_eq!(sdhash::compare(&x, &y, first.cmp(second)).map(u32::from), expected);
            }
        }
    }
}

/// Lengths around every edge: windows, blocks of the kernels, tiles, steps.
#[test]
fn lengths_at_edges() {
    let random = prng(99, 140_000);
    let edges = [7, 64, 128, 192, 384, 512, 1024, 3072, 12_288, 16_384, 16_640, 65_536, 131_072];
    for length in edges.into_iter().flat_map(|edge| edge - 7..edge + 9) {
        let data = &random[..length];
        ssdeep_agrees(data, &[]);
        mrsh_v2_agrees(data, &[], MrshV2::PLAIN, 160, 160, false);
        if length % 3 == 0 {
            sdhash_agrees(data, &[]);
        }
    }
}

/// Stream mode's chunks of 32 MiB: no feature straddles two of them, and the last may be too short
/// for any.
#[test]
fn sdhash_chunks() {
    const CHUNK: usize = 32 << 20;
    let random = prng(5, CHUNK + 70_000);
    for length in [CHUNK, CHUNK + 64, CHUNK + 70_000] {
        let data = &random[..length];
        let expected = naive::sdhash::stream(data, "").map(|digest| naive::sdhash::print(&digest));
        let found = in_pieces(Sdhash::STREAM.hasher(), data, &[1_000_000, 1, 31_000_000]).finalize().unwrap();
        assert!(Some(found.to_string()) == expected, "{length}");
    }
}

/// A long input keeps fewer windows; one that repeats itself keeps all that it has.
#[test]
fn long_inputs_have_a_coarser_level() {
    let long = prng(7, 5 << 20);
    shingles_agree(&long, &[1 << 20, 31, 32, 33, 1 << 16]);
    assert!(Shingles.digest(&long).unwrap().level() > shingles::LEVEL);
    let again = long[..1 << 16].repeat(80);
    assert_eq!(Shingles.digest(&again).unwrap().level(), shingles::LEVEL);
    shingles_share(&long, &long[1 << 20..][..1 << 16]);
}

/// Equal bytes are chosen wherever they lie, and the share of the smaller input is the score.
#[test]
fn a_fragment_is_found_at_any_offset() {
    let (host, other) = (prng(1, 400_000), prng(2, 300_000));
    for (from, length, before) in [(12_345, 20_000, 0), (1, 4_096, 77), (399_000, 1_000, 3)] {
        let mut part = other[..before].to_vec();
        part.extend_from_slice(&host[from..from + length]);
        let compared = Shingles.compare(&Shingles.digest(&part).unwrap(), &Shingles.digest(&host).unwrap());
        assert!(compared.score.number() >= 90, "{from} {length} {before}: {compared:?}");
        assert!(compared.evidence.shared_bytes.unwrap().abs_diff(length as u64) < length as u64 / 3, "{compared:?}");
    }
    let strange = Shingles.compare(&Shingles.digest(&host).unwrap(), &Shingles.digest(&other).unwrap());
    assert_eq!((strange.score.number(), strange.evidence.shared_bytes), (0, Some(0)));
}

#[test]
fn inputs_without_a_window_have_no_digest() {
    for plain in [vec![0; 100_000], b"ab".repeat(9_999), vec![7; 31], Vec::new()] {
        assert!(Shingles.digest(&plain).is_err());
    }
}

#[test]
fn malformed_texts_of_shingles_are_refused() {
    let good = Shingles.digest(&prng(3, 200)).unwrap().to_string();
    assert!(good.parse::<shingles::Digest>().is_ok());
    let fields: Vec<&str> = good.split(':').collect();
    let with = |at: usize, value: &str| {
        let mut changed = fields.clone();
        changed[at] = value;
        changed.join(":")
    };
    let bad = [
        with(0, "shingle"),
        with(1, "2"),
        with(2, "31"),
        with(2, "0200"),
        with(3, "0"),
        with(3, "9"),
        with(4, "0"),
        with(4, "99999999999"),
        with(5, ""),
        format!("{good}:"),
        format!("{good}A"),
    ];
    for text in bad {
        assert!(text.parse::<shingles::Digest>().is_err(), "{text}");
    }
}
