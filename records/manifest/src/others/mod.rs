//! Lists that other programs write, in dialects of their own. Most are of Windows, whose names
//! separate directories by `\`; such names are read with `/` in its place.

pub(crate) mod aide;
pub(crate) mod catalogue;
pub(crate) mod certutil;
pub(crate) mod deep;
pub(crate) mod distinfo;
pub(crate) mod filehash;
pub(crate) mod gentoo;
pub(crate) mod gpg;
pub(crate) mod links;
pub(crate) mod mtree;
pub(crate) mod ocfl;
pub mod sfv;
pub(crate) mod trailing;

use pfh_digest::{Algorithm, Registry};

/// A name of Windows: `\` separates.
pub(crate) fn windows_name(name: &[u8]) -> Vec<u8> {
    name.iter().map(|&byte| if byte == b'\\' { b'/' } else { byte }).collect()
}

/// Whether a name begins as whole paths of Windows do: with a drive (`C:\`) or a server (`\\`).
pub(crate) fn is_windows_path(name: &[u8]) -> bool {
    matches!(name, [b'\\', b'\\', ..]) || matches!(name, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic())
}

/// Whether a line is a comment in lists of Windows: `;` in SFV, TeraCopy and FastSum, `//` in FCIV.
/// No digest starts so.
pub(crate) fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b";") || line.starts_with(b"//")
}

/// The kind of a text that holds digests, but not of the files that it names.
pub(crate) fn foreign(start: &[u8]) -> Option<&'static str> {
    let start = start.trim_ascii_start();
    let holds = |word: &[u8]| start.windows(word.len()).any(|window| window == word);
    if start.starts_with(b"# Report by fclones") || start.starts_with(b"size,hash,count,files") {
        Some("a report of fclones")
    } else if start.starts_with(b"Open Source Tripwire") || start.starts_with(b"Tripwire(R)") {
        Some("a report of Tripwire")
    } else if (start.starts_with(b"{") && holds(b"\"lockfileVersion\":"))
        || holds(b"[[package]]\nname = ")
        || start.starts_with(b"# yarn lockfile")
        || holds(b"/go.mod h1:")
        || start.starts_with(b"lockfileVersion:")
        || (start.starts_with(b"{") && holds(b"\"specifiers\": {"))
    {
        Some("a lock file, whose digests are of packages")
    } else if start.starts_with(b"10 ") && (holds(b" ima-ng ") || holds(b" ima-sig ")) {
        Some("measurements of Linux IMA")
    } else if start.starts_with(b"{") && holds(b"\"providers\"") && holds(b"\"checksum_type\"") {
        Some("boxes of Vagrant")
    } else if start.starts_with(b"Created By AccessData") {
        Some("a log of FTK Imager, whose digests are of an image's content")
    } else {
        None
    }
}

/// An algorithm as people and Windows spell it: `SHA256`, `SHA-256`, `md5 hash`, `MD5Hash`, `SHA1
/// checksum`; and as XML Signature does, `http://www.w3.org/2000/09/xmldsig#sha1`.
pub(crate) fn algorithm(registry: Registry, text: &str) -> Option<Algorithm> {
    let lower = text.trim().to_ascii_lowercase();
    let address = lower.strip_prefix("http").and_then(|rest| rest.rsplit_once('#'));
    let lower = address.map_or(&*lower, |(_, name)| name);
    let bare = ["hash", "checksum", "sum", "digest"].iter().find_map(|end| lower.strip_suffix(end)).unwrap_or(lower);
    let bare = bare.trim_end_matches([' ', '_', '-']);
    // SHA-1, SHA-256: without the hyphen; SHA3-256 keeps its own.
    let joined = bare.strip_prefix("sha-").map(|rest| format!("sha{rest}"));
    [Some(bare), joined.as_deref()].into_iter().flatten().find_map(|name| registry.find(name).ok())
}
