//! The digest of `abc` under every algorithm, from the standards' own examples.

use pfh_digest::{Algorithm, hash_many};

#[test]
fn the_digest_of_abc() {
    let known = [
        ("md5", "900150983cd24fb0d6963f7d28e17f72"),
        ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ("sha256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        ("sha3-256", "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        ("ripemd160", "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"),
        ("blake2s", "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"),
        ("blake3", "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"),
        ("crc32", "352441c2"),
        ("adler32", "024d0127"),
        ("xxh3-128", "06b05ab6733a618578af5f94892f3950"),
    ];
    for (name, digest) in known {
        let algorithm: Algorithm = name.parse().unwrap();
        assert_eq!(algorithm.digest(b"abc").to_string(), digest, "{name}");
        assert_eq!(hash_many(algorithm, &[b"abc"])[0].to_string(), digest, "{name}");
    }
}
