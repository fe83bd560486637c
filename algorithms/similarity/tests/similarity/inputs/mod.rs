//! `vectors/similarity/gen_inputs.py` in Rust, checked against `MANIFEST.json` before anything is
//! built on it.
#![allow(dead_code)] // Each test takes what it needs.

use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where the reference tools' digests lie.
pub fn vectors() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/similarity")
}

/// One of the expected outputs.
pub fn expected(name: &str) -> String {
    let path = vectors().join("expected").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// SplitMix64 as little-endian words.
pub fn prng(seed: u64, length: usize) -> Vec<u8> {
    let mut state = seed;
    let mut out = Vec::with_capacity(length + 8);
    while out.len() < length {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        out.extend_from_slice(&(z ^ (z >> 31)).to_le_bytes());
    }
    out.truncate(length);
    out
}

const WORDS: &str = "the of and to in is that for it as was with be by on not he his but at are this have from or had an \
                     hash file digest forensic image block entropy feature window bloom filter score match evidence disk \
                     sector thread prefetch cache reader worker table queue parallel framework signature compare cluster \
                     fragment";

/// Words with capitals, full stops and line ends.
pub fn text(seed: u64, length: usize) -> Vec<u8> {
    let words: Vec<&str> = WORDS.split_whitespace().collect();
    let random = prng(seed, 4 * length);
    let mut out = Vec::with_capacity(length + 32);
    let mut column = 0;
    for four in random.chunks_exact(4) {
        if out.len() >= length {
            break;
        }
        let v = u32::from_le_bytes(four.try_into().unwrap());
        let mut word = words[v as usize % words.len()].to_string();
        if v >> 24 < 16 {
            word[..1].make_ascii_uppercase();
        }
        if (v >> 16) & 0xff < 20 {
            word.push('.');
        }
        out.extend_from_slice(word.as_bytes());
        column += word.len();
        out.push(if column > 70 { b'\n' } else { b' ' });
        if column > 70 {
            column = 0;
        }
    }
    out.truncate(length);
    out
}

/// Bytes of a small alphabet.
pub fn low(seed: u64, length: usize, letters: u8) -> Vec<u8> {
    prng(seed, length).into_iter().map(|byte| byte % letters).collect()
}

fn records(seed: u64, length: usize) -> Vec<u8> {
    let random = prng(seed, length);
    let mut out = Vec::new();
    let mut i = 0;
    while out.len() < length {
        out.extend_from_slice(&(i as u32).to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        out.extend_from_slice(&random[i * 4..i * 4 + 4]);
        out.extend_from_slice(b"REC\0");
        out.extend_from_slice(&[0; 16]);
        i += 1;
    }
    out.truncate(length);
    out
}

fn replaced(bytes: &[u8], from: &str, to: &str) -> Vec<u8> {
    String::from_utf8(bytes.to_vec()).unwrap().replace(from, to).into_bytes()
}

/// Every input by its file name (`….bin`), in the order of the names.
pub fn inputs() -> BTreeMap<String, Vec<u8>> {
    let flip = |bytes: &[u8], every: usize| -> Vec<u8> {
        bytes.iter().enumerate().map(|(i, byte)| if i % every == 0 { !byte } else { *byte }).collect()
    };
    let a = prng(6, 1 << 20);
    let t = text(13, 200_000);
    let hex: String = prng(24, 32768).iter().map(|byte| format!("{byte:02x}")).collect();
    let upper = [&t[..80000], &t[80000..120_000].to_ascii_uppercase(), &t[120_000..]].concat();
    let ten_per_cent = [prng(43, 471_859), a[500_000..604_858].to_vec(), prng(44, 471_859)].concat();
    let all: Vec<(&str, Vec<u8>)> = vec![
        ("empty", vec![]),
        ("one", b"a".to_vec()),
        ("hello", b"Hello, World!\n".to_vec()),
        ("zero_4096", vec![0; 4096]),
        ("zero_65536", vec![0; 65536]),
        ("ff_8192", vec![0xff; 8192]),
        ("count_65536", (0..65536).map(|i| i as u8).collect()),
        ("rand_49", prng(1, 49)),
        ("rand_50", prng(1, 50)),
        ("rand_255", prng(1, 255)),
        ("rand_256", prng(1, 256)),
        ("rand_511", prng(2, 511)),
        ("rand_512", prng(2, 512)),
        ("rand_4096", prng(3, 4096)),
        ("rand_4097", prng(3, 4097)),
        ("rand_16384", prng(4, 16384)),
        ("rand_65536", prng(5, 65536)),
        ("rand_1m_p333", prng(7, (1 << 20) + 333)),
        ("text_700", text(11, 700)),
        ("text_20k", text(12, 20000)),
        ("low2_65536", low(21, 65536, 2)),
        ("low4_65536", low(22, 65536, 4)),
        ("low16_65536", low(23, 65536, 16)),
        ("hex_65536", hex.into_bytes()),
        ("rec_100k", records(31, 100_000)),
        ("zero_rand_mix", [vec![0; 3000], prng(32, 3000)].concat().repeat(12)),
        ("rand_300k_rep4", prng(33, 75000).repeat(4)),
        ("A_ins1", [&a[..500_000], b"X", &a[500_000..]].concat()),
        ("A_del100", [&a[..300_000], &a[300_100..]].concat()),
        ("A_head_25pct", a[..262_144].to_vec()),
        ("A_mid_50pct", a[262_144..786_432].to_vec()),
        ("A_frag_5pct", a[400_000..452_428].to_vec()),
        ("A_flip_4k", flip(&a, 4096)),
        ("A_flip_512", flip(&a, 512)),
        ("A_swap_halves", [&a[524_288..], &a[..524_288]].concat()),
        ("A_prefix_rand_10pct", [&prng(41, 104_857)[..], &a].concat()),
        ("A_share_50pct", [&a[..524_288], &prng(42, 524_288)].concat()),
        ("A_share_10pct", ten_per_cent),
        ("T_edit", replaced(&replaced(&t, "forensic", "FORENSIC"), "cluster.", "clustering.")),
        ("T_ins_line", [&t[..90000], b"\n*** inserted line of text ***\n", &t[90000..]].concat()),
        ("T_half", t[..100_000].to_vec()),
        ("T_upper_mid", upper),
        ("rand_1m_eq_count_a", [&a[..600_000], &prng(45, 448_576)].concat()),
        ("rand_1m_eq_count_b", [&prng(46, 448_576), &a[..600_000]].concat()),
        ("rand_1m", a),
        ("text_200k", t),
    ];
    let all: BTreeMap<String, Vec<u8>> = all.into_iter().map(|(name, data)| (format!("{name}.bin"), data)).collect();
    check(&all);
    all
}

/// Every input must be the one that the reference tools were given.
fn check(all: &BTreeMap<String, Vec<u8>>) {
    let manifest = std::fs::read_to_string(vectors().join("MANIFEST.json")).unwrap();
    let quoted: Vec<&str> = manifest.split('"').collect();
    let mut seen = 0;
    for at in (1..quoted.len()).filter(|&at| quoted[at].ends_with(".bin")) {
        let (name, sha256) = (quoted[at], quoted[at + 6]);
        let hex: String = Sha256::digest(&all[name]).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, sha256, "{name}");
        seen += 1;
    }
    assert_eq!(seen, all.len());
}
