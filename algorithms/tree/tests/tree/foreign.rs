//! Roots of other programs: published values, and plain programs written from the same pages.

use pfh_digest::Algorithm;
use pfh_tree::foreign::{Foreign, Hash, Part, obao};
use pfh_tree::outboard::{Builder, Function, Key, Outboard, Parameters};

fn noise(length: usize) -> Vec<u8> {
    (0..length as u64).map(|i| (i.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8).collect()
}

fn digest(name: &str, bytes: &[u8]) -> Vec<u8> {
    name.parse::<Algorithm>().unwrap().digest(bytes).bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn in_pieces(mut root: Foreign, data: &[u8], piece: usize) -> String {
    data.chunks(piece).for_each(|piece| root.update(piece));
    root.finish()
}

/// The values of the kernel's and the tool's own tests (fsverity-utils,
/// testprogs/test_compute_digest.c uses the same descriptor).
#[test]
fn fs_verity_of_nothing() {
    let root = Foreign::fs_verity(Hash::Sha256, 4096, b"").unwrap();
    assert_eq!(root.finish(), "sha256:3d248ca542a24fc62d1c43b916eae5016878e2533c88238480b26128a1f1af95");
    assert!(Foreign::fs_verity(Hash::Sha256, 4095, b"").is_none());
    assert!(Foreign::fs_verity(Hash::Sha512, 4096, &[0; 33]).is_none());
}

#[test]
fn glacier_is_pairs_of_pairs() {
    for length in [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20, (5 << 20) + 7, 17 << 20, 33 << 20] {
        let data = noise(length);
        let mut values: Vec<Vec<u8>> = data.chunks(1 << 20).map(|leaf| digest("sha256", leaf)).collect();
        if values.is_empty() {
            values.push(digest("sha256", b""));
        }
        while values.len() > 1 {
            let up =
                |pair: &[Vec<u8>]| if pair.len() == 2 { digest("sha256", &pair.concat()) } else { pair[0].clone() };
            values = values.chunks(2).map(up).collect();
        }
        for piece in [1 << 16, 3_000_001, 1 << 30] {
            assert_eq!(in_pieces(Foreign::glacier(), &data, piece), hex(&values[0]), "{length} bytes");
        }
    }
}

#[test]
fn s3_joins_the_digests_of_parts() {
    let data = noise(20_000);
    let etag = |length: usize, part| in_pieces(Foreign::s3(Part::ETag, part).unwrap(), &data[..length], 777);
    assert_eq!(etag(0, 5000), "d41d8cd98f00b204e9800998ecf8427e");
    assert_eq!(etag(4999, 5000), hex(&digest("md5", &data[..4999])));
    assert_eq!(etag(5000, 5000), format!("{}-1", hex(&digest("md5", &digest("md5", &data[..5000])))));
    let parts =
        [digest("md5", &data[..5000]), digest("md5", &data[5000..10_000]), digest("md5", &data[10_000..10_001])];
    assert_eq!(etag(10_001, 5000), format!("{}-3", hex(&digest("md5", &parts.concat()))));
    let parts = [digest("sha256", &data[..10_000]), digest("sha256", &data[10_000..])];
    let sha256 = in_pieces(Foreign::s3(Part::Sha256, 10_000).unwrap(), &data, 777);
    assert!(sha256.ends_with("=-2") && sha256.len() == 46, "{sha256}");
    assert_eq!(decode64(&sha256[..44]), digest("sha256", &parts.concat()));
    assert!(Foreign::s3(Part::Sha1, 0).is_none());
}

fn decode64(text: &str) -> Vec<u8> {
    let digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<u32> = text.trim_end_matches('=').chars().map(|c| digits.find(c).unwrap() as u32).collect();
    let bits: Vec<u32> = bits.iter().flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1)).collect();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |value, bit| value << 1 | *bit as u8)).collect()
}

fn build(leaf: usize, data: &[u8]) -> Outboard {
    let mut builder = Builder::new(Parameters::new(Function::Blake3, leaf).unwrap());
    builder.update(data);
    builder.finish()
}

fn decoded(bytes: &[u8], leaf: usize) -> Result<Outboard, pfh_tree::WireError> {
    obao::decode(bytes, leaf, obao::parameters(None).unwrap())
}

/// The same form under a key: root and leaves are those of BLAKE3's keyed mode, and another key, or
/// none, does not read it.
#[test]
fn baos_form_under_a_key() {
    let (key, other) = (Key::new(&[7; 32]), Key::new(&[8; 32]));
    let under = |key, leaf| Parameters::under(Function::Blake3Keyed, leaf, Some(key)).unwrap().unwrap();
    for length in [1025, 5000, 100_000, 1 << 20] {
        let data = noise(length);
        let build = |leaf| {
            let mut builder = Builder::new(under(key, leaf));
            builder.update(&data);
            builder.finish()
        };
        let tree = build(1024);
        assert_eq!(tree.root(), blake3::keyed_hash(&[7; 32], &data).as_bytes(), "{length}");
        let bytes = obao::encode(&tree).unwrap();
        assert_eq!(bytes.len(), bao::encode::outboard(&data).0.len(), "{length}");
        for leaf in [1024, 4096, 1 << 20] {
            let read = obao::decode(&bytes, leaf, obao::parameters(Some(key)).unwrap()).unwrap();
            assert_eq!(read, build(leaf), "{length} in leaves of {leaf}");
        }
        let wrong = |parameters| obao::decode(&bytes, 1024, parameters).is_ok_and(|read| read.root() == tree.root());
        assert!(!wrong(obao::parameters(Some(other)).unwrap()) && !wrong(obao::parameters(None).unwrap()), "{length}");
    }
    assert!(obao::parameters(Some(Key::new(b"short"))).is_err());
}

#[test]
fn what_bao_writes_is_what_is_written_and_read() {
    for length in [0, 1, 1024, 1025, 2048, 2049, 3072, 5000, 16_384, 16_385, 100_000, 1 << 20, (1 << 20) + 1] {
        let data = noise(length);
        let (theirs, hash) = bao::encode::outboard(&data);
        let tree = build(1024, &data);
        assert_eq!(tree.root(), hash.as_bytes(), "{length}");
        assert_eq!(obao::encode(&tree).unwrap(), theirs, "{length}");
        for leaf in [1024, 4096, 16_384, 1 << 20] {
            match decoded(&theirs, leaf) {
                Ok(read) => assert_eq!(read, build(leaf, &data), "{length} in leaves of {leaf}"),
                Err(_) => assert!(length <= 1024, "{length}"),
            }
        }
        for wrong in [&theirs[..theirs.len() - 1], &[&theirs[..], b"x"].concat()] {
            assert!(decoded(wrong, 1024).is_err(), "{length}");
        }
        for at in (8 * 8..8 * theirs.len()).step_by(997) {
            let mut wrong = theirs.clone();
            wrong[at / 8] ^= 1 << (at % 8);
            // A changed leaf value is that of another file: the root says so.
            assert!(
                decoded(&wrong, 1024).is_ok_and(|tree| tree.root() != hash.as_bytes())
                    || decoded(&wrong, 1024).is_err()
            );
        }
    }
    assert!(obao::encode(&build(4096, b"")).is_none());
    assert!(decoded(&u64::MAX.to_le_bytes(), 1024).is_err());
}
