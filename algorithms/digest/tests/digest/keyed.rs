//! Functions of a key and a message.

use pfh_digest::{Algorithm, Mac, ROWS, Registry};

static OWN: Registry = Registry::new(&[&ROWS]);

fn under(name: &str, key: &'static [u8]) -> Algorithm {
    name.parse::<Algorithm>().unwrap().with_key(key).unwrap()
}

/// RFC 2202 and RFC 4231, test cases 1, 2 and 6: a short key, text, and a key longer than a block.
/// Of SHA-3 the values of OpenSSL 3 (`openssl dgst -mac HMAC`).
#[test]
fn hmac_by_the_vectors_of_its_standards() {
    let jefe = (&b"Jefe"[..], &b"what do ya want for nothing?"[..]);
    let short: (&[u8], &[u8]) = (&[0x0b; 20], b"Hi There");
    let long: (&[u8], &[u8]) = (&[0xaa; 131], b"Test Using Larger Than Block-Size Key - Hash Key First");
    for (name, (key, message), digest) in [
        ("hmac-md5", jefe, "750c783e6ab0b503eaa86e310a5db738"),
        ("hmac-sha1", short, "b617318655057264e28bc0b6fb378c8ef146be00"),
        ("hmac-sha1", jefe, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        ("hmac-sha224", short, "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"),
        ("hmac-sha256", short, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        ("hmac-sha256", jefe, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        ("hmac-sha256", long, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        (
            "hmac-sha512",
            jefe,
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
        ),
        ("hmac-sha3-256", jefe, "c7d4072e788877ae3596bbb0da73b887c9171f93095b294ae857fbe2645e1ba5"),
        (
            "hmac-sha3-512",
            jefe,
            "5a4bfeab6166427c7a3647b747292b8384537cdb89afb3bf5665e4c5e709350b287baec921fd7ca0ee7a0c31d022a95e1fc92ba9d77df883960275beb4e62024",
        ),
    ] {
        assert_eq!(under(name, key).digest(message).to_string(), digest, "{name}");
    }
}

/// BLAKE3's own vector of nothing under its context, to the last byte of the key's length.
#[test]
fn derived_keys_by_blake3s_own_vector() {
    let derived = under("blake3-derive-key", b"BLAKE3 2019-12-27 16:29:52 test vectors context");
    let stated = "2cc39783c223154fea8dfb7c1b1660f2ac2dcbd1c1de8277b0b0dd39b7e50d7d";
    assert_eq!(derived.digest(b"").to_string(), stated);
    let row: Algorithm = "blake3-derive-key".parse().unwrap();
    assert!(row.with_key(b"").is_err() && row.with_key(b"\xff").is_err());
}

/// The two cases of BLAKE3's own vectors that one look can compare: nothing, and 1023 bytes, under
/// their key.
#[test]
fn keyed_blake3_by_its_own_vectors() {
    let keyed = under("blake3-keyed", b"whats the Elvish word for friend");
    for (length, start) in [(0, "92b2b75604ed3c761f9d6f62392c8a92"), (1, "6d7878dfff2f485635d39013278ae14f")] {
        let message: Vec<u8> = (0..length).map(|i| (i % 251) as u8).collect();
        assert!(keyed.digest(&message).to_string().starts_with(start), "{length}");
    }
}

#[test]
fn a_keyed_row_is_found_by_name_alone_and_takes_its_keys_alone() {
    assert!(OWN.all().all(|algorithm| !algorithm.is_keyed()));
    assert_eq!(OWN.keyed().count(), 10);
    for algorithm in OWN.keyed() {
        assert!(algorithm.lacks_key() && algorithm.with_key(b"").is_err(), "{algorithm}");
        assert_eq!(algorithm.to_string().parse(), Ok(algorithm));
        let keyed = algorithm.with_key(&[7; 32]).unwrap();
        assert!(keyed.is_keyed() && !keyed.lacks_key() && keyed == algorithm);
        let message = [5; 1000];
        let digest = keyed.digest(&message);
        assert_ne!(digest, algorithm.with_key(&[8; 32]).unwrap().digest(&message), "{algorithm}");
        let mut hasher = keyed.hasher();
        message.chunks(7).for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.clone().finalize(), digest, "{algorithm}");
        hasher.reset();
        hasher.update(&message);
        assert_eq!(hasher.finalize(), digest, "{algorithm}");
        // The same under a key that is not kept.
        let mut hasher = algorithm.hasher_under(&[7; 32]).unwrap();
        hasher.update(b"other");
        hasher.reset();
        hasher.update(&message);
        assert_eq!((hasher.clone().finalize(), hasher.algorithm()), (digest.clone(), algorithm));
        assert!(algorithm.hasher_under(b"").is_err());
        assert_eq!(pfh_digest::hash_many(keyed, &[&message, &message]), [digest.clone(), digest]);
    }
    let blake3: Algorithm = "blake3-keyed".parse().unwrap();
    assert!(blake3.with_key(&[7; 31]).is_err() && blake3.with_key(&[7; 33]).is_err());
    let sha256: Algorithm = "sha256".parse().unwrap();
    assert_eq!(sha256.with_key(b"key").unwrap().digest(b""), sha256.digest(b""));
    assert_eq!(sha256.hasher_under(b"key").unwrap().finalize(), sha256.digest(b""));
}

/// PBKDF2 by RFC 6070: its first two vectors and the fifth.
#[test]
fn keys_are_derived_as_the_standard_has_it() {
    let long = (&b"passwordPASSWORDpassword"[..], &b"saltSALTsaltSALTsaltSALTsaltSALTsalt"[..]);
    for ((password, salt), rounds, expected) in [
        ((&b"password"[..], &b"salt"[..]), 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        ((b"password", b"salt"), 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        (long, 4096, "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"),
    ] {
        let mut key = vec![0; expected.len() / 2];
        Mac::new("sha1".parse().unwrap(), password).derive(salt, rounds, &mut key);
        assert_eq!(key.iter().map(|byte| format!("{byte:02x}")).collect::<String>(), expected);
    }
}
