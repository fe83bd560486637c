//! The roles of columns, members, elements and the keys of lines, by their labels: one table for
//! every form of list.

use pfh_digest::{Algorithm, Output, Registry};

use crate::others::algorithm;

/// The contents of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The name of a file; of several the one with the lowest rank, and of those the first.
    Name(u8),
    /// The name in base64, exactly.
    Exact,
    /// The directory of the file that another field names.
    Folder,
    /// The version of a package.
    Version,
    /// The size in bytes.
    Size,
    /// The algorithm of the field of digests.
    Algorithm,
    /// A digest of the algorithm that another field names, or of one of its length.
    Hash,
    /// A digest of this algorithm.
    Digest(Algorithm),
    /// The kind of thing: a file or a folder.
    Kind,
    /// The permissions with the kind, as `stat` has them, in octal digits.
    Mode,
    /// Anything else.
    Other,
}

/// Words beside an algorithm in a label that change nothing: `hashes_MD5`, `file.sha256`,
/// `contentMd5`.
const FILLERS: [&str; 14] = [
    "computed",
    "hash",
    "hashes",
    "checksum",
    "checksums",
    "digest",
    "digests",
    "sum",
    "value",
    "file",
    "hex",
    "string",
    "content",
    "source",
];

/// The role that a label names: `SHA-256`, `hashes_MD5`, `Full Path`.
pub(crate) fn of(registry: Registry, label: &str) -> Role {
    let label = label.trim().trim_start_matches('\u{feff}');
    let text = label.to_ascii_lowercase();
    let plain: String = text.chars().filter(|c| !matches!(c, ' ' | '_' | '-' | '.')).collect();
    match plain.as_str() {
        "pathb64" => Role::Exact,
        "path" | "filepath" | "fullpath" | "fullname" | "relpath" | "relativepath" | "pathname" | "ospath"
        | "itempath" | "truepath" | "originalname" => Role::Name(0),
        "folder" | "foldername" | "directory" | "dir" | "parentfolder" | "parentpath" | "directorylabel" => {
            Role::Folder
        }
        "version" => Role::Version,
        "filename" | "filenames" | "originalfilename" | "file" | "location" | "destinationfile" => Role::Name(1),
        "name" => Role::Name(2),
        "size" | "filesize" | "length" | "bytes" | "sizebytes" | "sizeinbytes" | "filesizebytes" | "mediasize"
        | "contentlength" => Role::Size,
        "algorithm"
        | "alg"
        | "algo"
        | "hashtype"
        | "hashalgorithm"
        | "hashname"
        | "oidtype"
        | "checksumtype"
        | "checksumalgorithm"
        | "digestalgorithm"
        | "messagedigestalgorithm" => Role::Algorithm,
        "hash" | "digest" | "checksum" | "hashvalue" | "checksumvalue" | "filechecksum" | "integrity" | "oid"
        | "v1hash" | "v3hash" | "v4hash" | "hash1" | "hash2" | "messagedigest" => Role::Hash,
        "crc" => registry.find("crc32").map_or(Role::Other, Role::Digest),
        "type" | "isdir" | "isdirectory" | "entrytype" => Role::Kind,
        "perm" | "mode" => Role::Mode,
        _ => {
            let of = digest_label(registry, &text).or_else(|| digest_label(registry, &apart(label)));
            of.map_or(Role::Other, Role::Digest)
        }
    }
}

/// The words of a label that capitals separate: `SourceFileSha1` is `source file sha1`.
fn apart(label: &str) -> String {
    let mut words = String::with_capacity(label.len() + 4);
    let mut before = ' ';
    for letter in label.chars() {
        if letter.is_ascii_uppercase() && before.is_ascii_lowercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
        before = letter;
    }
    words
}

/// The algorithm that a label names, alone or beside [`FILLERS`].
fn digest_label(registry: Registry, text: &str) -> Option<Algorithm> {
    let find = |text: &str| algorithm(registry, text).filter(|algorithm| algorithm.output() != Output::Text);
    // MHL's name of the value as it is printed everywhere else; `xxhash64` is a decimal number.
    if text == "xxhash64be" {
        return registry.find("xxh64").ok();
    }
    find(text).or_else(|| {
        // An address is not a label.
        let words = text.split(['_', '.', ' ', ':', '(', ')']).take(if text.contains('/') { 0 } else { usize::MAX });
        let words: Vec<&str> = words.filter(|word| !word.is_empty() && !FILLERS.contains(word)).collect();
        let [first, rest @ ..] = &words[..] else { return None };
        match rest {
            [] => find(first).or_else(|| find(first.strip_prefix("hash")?)),
            [bits] if bits.bytes().all(|byte| byte.is_ascii_digit()) => find(&format!("{first}-{bits}")),
            _ => None,
        }
    })
}

/// Whether the name of something with a version is that of a package: it is not said to be a
/// file's, and looks like no path.
pub(crate) fn is_of_package(rank: u8, name: &str) -> bool {
    rank >= 2 && !name.contains(['.', '/', '\\'])
}

/// Whether a word stands for a folder in a field of kinds.
pub(crate) fn is_folder(word: &[u8]) -> bool {
    let lower = word.trim_ascii().to_ascii_lowercase();
    matches!(&lower[..], b"folder" | b"directory" | b"dir" | b"d" | b"true")
}

/// A header line of a list of plain lines: `SHA256  File name`. Every word is of a label, and one
/// is of a digest.
pub(crate) fn is_heading(registry: Registry, line: &[u8]) -> bool {
    let Ok(line) = str::from_utf8(line) else { return false };
    let is_label = |word: &str| {
        FILLERS.contains(&word) || matches!(word, "name" | "names" | "path" | "size" | "filename" | "filepath")
    };
    let (mut words, mut digest) = (0, false);
    for word in line.split(|c: char| c.is_whitespace() || matches!(c, '|' | '#' | '"')).filter(|word| !word.is_empty())
    {
        let lower = word.to_ascii_lowercase();
        let named = algorithm(registry, &lower).is_some();
        if !named && !is_label(&lower) {
            return false;
        }
        digest |= named || matches!(lower.as_str(), "hash" | "checksum" | "digest");
        words += 1;
    }
    digest && words > 1
}
