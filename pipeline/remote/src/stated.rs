//! The statements of a store on an object: headers of the answer to `HEAD`.

use reqwest::header::{HeaderMap, HeaderValue};

/// Names of headers, in lower case, and their values.
pub(crate) type Headers = Vec<(Box<str>, Box<str>)>;

/// Headers that describe the bytes, or that say what another header is of.
const SINGLE: [&str; 9] = [
    "etag",
    "content-md5",
    "content-encoding",
    "x-ms-blob-content-md5",
    "x-goog-hash",
    "x-goog-stored-content-encoding",
    "x-amz-server-side-encryption",
    "x-amz-server-side-encryption-customer-algorithm",
    "x-amz-storage-class",
];
const CHECKSUMS: &str = "x-amz-checksum-";

/// Asks S3 for its checksums.
pub(crate) fn asking() -> (&'static str, String) {
    ("x-amz-checksum-mode", "ENABLED".into())
}

/// The statements among the headers of an answer.
pub(crate) fn kept(headers: &HeaderMap) -> Headers {
    let about = |name: &str| SINGLE.contains(&name) || name.starts_with(CHECKSUMS);
    let found = headers.iter().filter(|(name, _)| about(name.as_str()));
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into();
    found.map(|(name, value)| (name.as_str().into(), text(value))).collect()
}
