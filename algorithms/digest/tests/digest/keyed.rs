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

/// The samples 1 and 5 of NIST for KMAC, which have no customization; and values of OpenSSL 3
/// (`openssl mac -macopt size:LENGTH`) of other lengths, under a key longer than a block.
#[test]
fn kmac_by_the_samples_of_its_standard() {
    static KEY: [u8; 32] = *b"@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_";
    static LONG: [u8; 300] = {
        let (mut key, mut at) = ([0; 300], 0);
        while at < key.len() {
            key[at] = (at % 251) as u8;
            at += 1;
        }
        key
    };
    let samples: Vec<u8> = (0..200).collect();
    let message: Vec<u8> = (0..1000).map(|at| (at % 253) as u8).collect();
    for (name, key, message, start) in [
        ("kmac128", &KEY[..], &samples[..4], "e5780b0d3ea6f7d3a429c5706aa43a00fadbd7d49628839e3187243f456ee14e"),
        (
            "kmac256",
            &KEY,
            &samples,
            "75358cf39e41494e949707927cee0af20a3ff553904c86b08f21cc414bcfd691589d27cf5e15369cbbff8b9a4c2eb17800855d0235ff635da82533ec6b759b69",
        ),
        ("kmac256:32", &KEY, &samples, "9477eb6bf866118de63b11676645623bb7a05f9187fea90bd0c5fbe221b37a34"),
        ("kmac128:20", &LONG, &message, "d77904b5c4b6bcdff8fa407706af7928288a5038"),
        ("kmac128:200", &LONG, &message, "83a048e1abede3b866011dc86c6012c3e5a4ca13a1d78a7e2d3f3bbe6ce71153"),
        ("kmac256", &LONG, &message, "26aa9c43689843ff85514c0d0971607c56eeae7a90bb393a7001e07c84b877a0"),
        ("kmac256:300", &LONG, &message, "d6e7faf4a7e39bef4dd70788f795b50efbafe7084c450bee29d5e1858a9a9454"),
    ] {
        let algorithm = under(name, key);
        let digest = algorithm.digest(message);
        assert_eq!(digest.bytes().len(), algorithm.length(), "{name}");
        assert!(digest.to_string().starts_with(start), "{name}: {digest}");
        let mut hasher = algorithm.hasher();
        message.chunks(67).for_each(|piece| hasher.update(piece));
        assert_eq!(hasher.clone().finalize(), digest, "{name}");
        // Another length is another function.
        assert!(hasher.clone().finalize_to(algorithm.length() / 2).is_none() && hasher.output(7).is_none(), "{name}");
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
    assert_eq!(OWN.keyed().count(), 12);
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
