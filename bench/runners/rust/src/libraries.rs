//! The libraries compared, each as a function from a message to its digest.

/// The timed work: everything from a fresh state to the digest's bytes.
type Hash = Box<dyn Fn(&[u8]) -> Vec<u8>>;

/// One library's way to one algorithm.
pub struct Contestant {
    /// The library and what it runs on.
    pub provider: String,
    /// Messages hashed per call; the time of a call is divided by it.
    pub messages: i64,
    /// Hashes one message, or [`messages`](Self::messages) copies of it.
    pub hash: Hash,
}

/// The values of `--library`.
pub const NAMES: [&str; 5] = ["rustcrypto", "openssl", "aws-lc", "pfh", "pfh-many"];

/// How many short messages `pfh-many` hashes at a time: a multiple of every kernel's lanes.
const MANY: usize = 192;

/// From here on a message fills its lane by itself, and `pfh-many` takes one for each lane.
const LONG: usize = 1 << 20;

/// The contestant for a library and an algorithm, unless the library lacks it; `bytes` is the
/// length of the messages.
pub fn find(library: &str, algorithm: &str, bytes: usize) -> Option<Contestant> {
    let (provider, messages, hash) = match library {
        "rustcrypto" => ("RustCrypto".to_owned(), 1, rustcrypto(algorithm)?),
        "openssl" => (openssl::version::version().to_owned(), 1, openssl(algorithm)?),
        "aws-lc" => ("AWS-LC".to_owned(), 1, aws_lc(algorithm)?),
        "pfh" => ("pfh-digest".to_owned(), 1, pfh(algorithm)?),
        "pfh-many" => {
            let (messages, hash) = pfh_many(algorithm, bytes)?;
            (format!("pfh-digest, {messages} messages"), messages as i64, hash)
        }
        _ => return None,
    };
    Some(Contestant { provider, messages, hash })
}

fn with_digest<D: sha2::Digest + 'static>() -> Hash {
    Box::new(|message| {
        let mut hasher = D::new();
        hasher.update(message);
        hasher.finalize().to_vec()
    })
}

fn rustcrypto(algorithm: &str) -> Option<Hash> {
    Some(match algorithm {
        "md5" => with_digest::<md5::Md5>(),
        "sha1" => with_digest::<sha1::Sha1>(),
        "sha256" => with_digest::<sha2::Sha256>(),
        "sha512" => with_digest::<sha2::Sha512>(),
        "sha3-256" => with_digest::<sha3::Sha3_256>(),
        "blake3" => Box::new(|message| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(message);
            hasher.finalize().as_bytes().to_vec()
        }),
        _ => return None,
    })
}

fn openssl(algorithm: &str) -> Option<Hash> {
    use openssl::hash::{Hasher, MessageDigest};
    let method = match algorithm {
        "md5" => MessageDigest::md5(),
        "sha1" => MessageDigest::sha1(),
        "sha256" => MessageDigest::sha256(),
        "sha512" => MessageDigest::sha512(),
        "sha3-256" => MessageDigest::sha3_256(),
        _ => return None,
    };
    Some(Box::new(move |message| {
        let mut hasher = Hasher::new(method).expect("libcrypto has the algorithm");
        hasher.update(message).expect("libcrypto hashes");
        hasher.finish().expect("libcrypto finishes").to_vec()
    }))
}

fn aws_lc(algorithm: &str) -> Option<Hash> {
    use aws_lc_rs::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY, SHA3_256, SHA256, SHA512};
    let method = match algorithm {
        "sha1" => &SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => &SHA256,
        "sha512" => &SHA512,
        "sha3-256" => &SHA3_256,
        _ => return None,
    };
    Some(Box::new(move |message| {
        let mut hasher = Context::new(method);
        hasher.update(message);
        hasher.finish().as_ref().to_vec()
    }))
}

fn pfh(algorithm: &str) -> Option<Hash> {
    let algorithm: pfh_digest::Algorithm = algorithm.parse().ok()?;
    Some(Box::new(move |message| {
        let mut hasher = algorithm.hasher();
        hasher.update(message);
        hasher.finalize().bytes().to_vec()
    }))
}

fn pfh_many(algorithm: &str, bytes: usize) -> Option<(usize, Hash)> {
    let algorithm: pfh_digest::Algorithm = algorithm.parse().ok()?;
    // BLAKE3 has no lanes of ours: its row is the one of single messages.
    algorithm.kernels()?;
    let messages = if bytes < LONG { MANY } else { algorithm.lanes() };
    let hash: Hash = Box::new(move |message| {
        let digests = pfh_digest::hash_many(algorithm, &vec![message; messages]);
        let first = digests[0].bytes().to_vec();
        assert!(digests.iter().all(|digest| digest.bytes() == first), "lanes disagree");
        first
    });
    Some((messages, hash))
}
