//! The statements of a store on an object's bytes, read out of the headers of its answer.

use crate::REGISTRY;
use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
use pfh_digest::{Algorithm, Digest};
use std::num::NonZeroU64;

/// A value that a store states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The header that states it: `etag`, `x-amz-checksum-crc64nvme`.
    pub by: Box<str>,
    /// The value.
    pub digest: Digest,
    /// Of how many parts: then the value is of the digests of the parts, one behind the other;
    /// `None` if it is of the object as a whole.
    pub parts: Option<NonZeroU64>,
}

/// All that a store states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Claims {
    /// Values that can be compared.
    pub values: Vec<Claim>,
    /// Values that were stated and are not understood, a sentence each.
    pub unknown: Vec<String>,
    /// Why there is no more, where the store says so, a sentence each.
    pub remarks: Vec<String>,
}

/// The fields that are not values of [`CHECKSUMS`].
const ABOUT: [&str; 3] = ["type", "mode", "algorithm"];
const CHECKSUMS: &str = "x-amz-checksum-";

impl Claims {
    /// Reads the headers, in lower case, of an object of this address. Entity tags are digests in
    /// stores of Amazon's protocol alone.
    pub fn read(address: &[u8], headers: &[(Box<str>, Box<str>)]) -> Claims {
        let mut claims = Claims::default();
        let value = |name: &str| headers.iter().find(|(header, _)| &**header == name).map(|(_, value)| &**value);
        let composite = value("x-amz-checksum-type").is_some_and(|kind| kind.eq_ignore_ascii_case("COMPOSITE"));
        let unpacked = value("x-goog-stored-content-encoding") == Some("gzip") && value("content-encoding").is_none();
        for (header, text) in headers {
            if let Some(name) = header.strip_prefix(CHECKSUMS).filter(|name| !ABOUT.contains(name)) {
                let (text, parts) = parted(text);
                match (REGISTRY.find(named(name)), parts) {
                    (Err(_), _) => claims.unknown.push(format!("{header}: {name} is not an algorithm of this program")),
                    (Ok(_), None) if composite => {
                        claims.unknown.push(format!("{header}: it is of parts, and does not say of how many"));
                    }
                    (Ok(algorithm), parts) => claims.base64(header, algorithm, text, parts),
                }
            } else if &**header == "x-goog-hash" {
                if unpacked {
                    claims.remarks.push(format!("{header} is of the object as it is stored, packed with gzip"));
                    continue;
                }
                for word in text.split(',').map(str::trim) {
                    match word.split_once('=').map(|(name, text)| (REGISTRY.find(name), text)) {
                        Some((Ok(algorithm), text)) => claims.base64(header, algorithm, text, None),
                        _ => claims.unknown.push(format!("{header}: {word}")),
                    }
                }
            } else if matches!(&**header, "content-md5" | "x-ms-blob-content-md5") {
                let algorithm = REGISTRY.find("md5").expect("a row of the registry");
                claims.base64(header, algorithm, text, None);
            }
        }
        if address.starts_with(b"s3://") || address.starts_with(b"s3a://") {
            claims.tag(value("etag"), &value);
        }
        claims
    }

    fn base64(&mut self, header: &str, algorithm: Algorithm, text: &str, parts: Option<NonZeroU64>) {
        let bytes = BASE64.decode(text.as_bytes()).ok();
        match bytes.and_then(|bytes| Digest::from_bytes(algorithm, &bytes).ok()) {
            // Azure states one value under two names.
            Some(digest) if self.values.iter().any(|known| known.digest == digest && known.parts == parts) => {}
            Some(digest) => self.values.push(Claim { by: header.into(), digest, parts }),
            None => self.unknown.push(format!("{header}: {text:?} is not a {algorithm} digest in base64")),
        }
    }

    /// The entity tag: of an object that came in one request, and is not encrypted under a key of
    /// the owner's, the MD5; of one in parts, the MD5 of the MD5s and the number of parts.
    fn tag<'a>(&mut self, tag: Option<&str>, value: &dyn Fn(&str) -> Option<&'a str>) {
        let Some(tag) = tag else { return };
        let encrypted = value("x-amz-server-side-encryption").filter(|by| by.starts_with("aws:kms"));
        let encrypted = encrypted.or(value("x-amz-server-side-encryption-customer-algorithm").map(|_| "customer key"));
        if let Some(by) = encrypted {
            return self.remarks.push(format!("the entity tag is not a digest: the object is encrypted ({by})"));
        }
        if value("x-amz-storage-class") == Some("EXPRESS_ONEZONE") {
            return self.remarks.push("the entity tag is not a digest in a directory bucket".into());
        }
        let (digits, parts) = parted(tag.trim_matches('"'));
        let md5 = REGISTRY.find("md5").expect("a row of the registry");
        let bytes = HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok();
        match bytes.and_then(|bytes| Digest::from_bytes(md5, &bytes).ok()) {
            Some(digest) => self.values.push(Claim { by: "etag".into(), digest, parts }),
            None => self.remarks.push("the entity tag is not a digest".into()),
        }
    }
}

/// The algorithm of a header: S3 has names of its own for those of the xxHash family.
fn named(header: &str) -> &str {
    match header {
        "xxhash64" => "xxh64",
        "xxhash3" => "xxh3-64",
        "xxhash128" => "xxh3-128",
        name => name,
    }
}

/// A value without the number of parts behind it.
fn parted(text: &str) -> (&str, Option<NonZeroU64>) {
    let parts = text.rsplit_once('-').and_then(|(value, parts)| Some((value, Some(parts.parse().ok()?))));
    parts.unwrap_or((text, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(address: &str, headers: &[(&str, &str)]) -> (Vec<String>, usize, usize) {
        let headers: Vec<_> = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let claims = Claims::read(address.as_bytes(), &headers);
        let line = |claim: &Claim| {
            let parts = claim.parts.map(|parts| format!("-{parts}")).unwrap_or_default();
            format!("{} {}:{}{parts}", claim.by, claim.digest.algorithm(), claim.digest)
        };
        (claims.values.iter().map(line).collect(), claims.unknown.len(), claims.remarks.len())
    }

    const TAG: &str = "\"900150983cd24fb0d6963f7d28e17f72\"";
    const MD5: &str = "kAFQmDzST7DWlj99KOF/cg==";

    #[test]
    fn values_of_each_store() {
        let amazon = [
            ("etag", TAG),
            ("x-amz-checksum-crc64nvme", "BeXKuz/B+us="),
            ("x-amz-checksum-type", "FULL_OBJECT"),
            ("x-amz-server-side-encryption", "AES256"),
        ];
        let found = read("s3://b/k", &amazon);
        let md5 = "md5:900150983cd24fb0d6963f7d28e17f72";
        assert_eq!(found.0[0].split(':').next(), Some("x-amz-checksum-crc64nvme crc64nvme"));
        assert_eq!((&found.0[1][..], found.1, found.2), (&*format!("etag {md5}"), 0, 0));
        let google =
            [("etag", "\"CMTX1\""), ("x-goog-hash", "crc32c=Nks/tw=="), ("x-goog-hash", &*format!("md5={MD5}"))];
        let found = read("gs://b/k", &google);
        assert_eq!(found, (vec!["x-goog-hash crc32c:364b3fb7".into(), format!("x-goog-hash {md5}")], 0, 0));
        let azure = [("etag", "0x8D"), ("content-md5", MD5), ("x-ms-blob-content-md5", MD5)];
        assert_eq!(read("az://c/k", &azure), (vec![format!("content-md5 {md5}")], 0, 0));
    }

    /// The values of `xxhsum -H64`, `-H3` and `-H128` of `abc`.
    #[test]
    fn values_of_the_xxhash_family() {
        let stated = [
            ("x-amz-checksum-xxhash64", "RLws9a13CZk="),
            ("x-amz-checksum-xxhash3", "eK9flIkvOVA="),
            ("x-amz-checksum-xxhash128", "BrBatnM6YYV4r1+UiS85UA=="),
        ];
        let wanted = [
            "x-amz-checksum-xxhash64 xxh64:44bc2cf5ad770999",
            "x-amz-checksum-xxhash3 xxh3-64:78af5f94892f3950",
            "x-amz-checksum-xxhash128 xxh3-128:06b05ab6733a618578af5f94892f3950",
        ];
        assert_eq!(read("s3://b/k", &stated), (wanted.map(str::to_owned).to_vec(), 0, 0));
    }

    #[test]
    fn values_of_parts() {
        let sum = "n4bQgYhMfWWaL+qgxVrQFaO/TxsrC4Is0V1sFbDwCgg=-7";
        let found = read(
            "s3://b/k",
            &[
                ("etag", "\"900150983cd24fb0d6963f7d28e17f72-12\""),
                ("x-amz-checksum-sha256", sum),
                ("x-amz-checksum-type", "COMPOSITE"),
            ],
        );
        assert!(
            found.0.iter().any(|line| line.ends_with("7f72-12")) && found.0.iter().any(|line| line.ends_with("-7")),
            "{found:?}"
        );
        let found = read(
            "s3://b/k",
            &[("x-amz-checksum-sha256", sum.strip_suffix("-7").unwrap()), ("x-amz-checksum-type", "COMPOSITE")],
        );
        assert_eq!(found, (vec![], 1, 0));
    }

    #[test]
    fn what_is_no_digest() {
        for with in [
            ("x-amz-server-side-encryption", "aws:kms"),
            ("x-amz-server-side-encryption", "aws:kms:dsse"),
            ("x-amz-server-side-encryption-customer-algorithm", "AES256"),
            ("x-amz-storage-class", "EXPRESS_ONEZONE"),
        ] {
            assert_eq!(read("s3://b/k", &[("etag", TAG), with]), (vec![], 0, 1), "{with:?}");
        }
        assert_eq!(read("s3://b/k", &[("etag", "\"0x8D4BCC2E4835CD0\"")]), (vec![], 0, 1));
        assert_eq!(read("gs://b/k", &[("etag", TAG)]), (vec![], 0, 0));
        assert_eq!(read("s3://b/k", &[("x-amz-checksum-xxh9", "AA==")]), (vec![], 1, 0));
        let packed = [("x-goog-hash", "crc32c=Nks/tw=="), ("x-goog-stored-content-encoding", "gzip")];
        assert_eq!(read("gs://b/k", &packed), (vec![], 0, 1));
    }
}
