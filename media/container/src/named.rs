//! The formats that names of files promise: by their endings, by those of documents, and by the
//! numbers of pieces. They are asked where the bytes state no format.

/// Name endings, in lower case, of documents that are zips (Office Open XML, OpenDocument, EPUB)
/// and others.
const ZIPPED: &[&str] = &[
    ".docx", ".docm", ".dotx", ".xlsx", ".xlsm", ".xltx", ".pptx", ".pptm", ".potx", ".ppsx", ".vsdx", ".odt", ".ods",
    ".odp", ".odg", ".odf", ".ott", ".ots", ".otp", ".epub", ".war", ".ear", ".aar", ".xpi", ".ipa", ".whl", ".kmz",
    ".3mf", ".nupkg", ".vsix", ".cbz",
];

/// Whether a file of that ending is another one by custom: a document under a password (an OLE
/// file), an owner file of an editor, or the resources of macOS (AppleDouble).
fn is_customary(name: &[u8], start: &[u8]) -> bool {
    let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let others: [&[u8]; 2] = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"\0\x05\x16\x07"];
    last.starts_with(b"~$") || last.starts_with(b"._") || others.iter().any(|other| start.starts_with(other))
}

/// The format that the name of a document promises, where these first bytes are not those that such
/// a file has by custom.
pub fn by_document(name: &[u8], start: &[u8]) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let has = |ending: &&&str| lower.ends_with(ending.as_bytes());
    ZIPPED.iter().find(has).filter(|_| !start.is_empty() && !is_customary(name, start)).map(|_| "zip")
}

/// Whether a name is that of a document or a package whose bytes hide its contents: a compressed
/// document, PDF, a jar, an app. Archives are not among them.
pub fn is_document(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    let others = [".pdf", ".jar", ".apk"].into_iter().any(|ending| lower.ends_with(ending.as_bytes()));
    (others && !is_customary(name, b"")) || by_document(name, b"PK").is_some()
}

/// Whether a name is that of a package of many files, each with contents of its own: where two have
/// some in common they are related. Two texts or sheets may have their form in common.
pub fn is_package(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    let packages: [&[u8]; 12] =
        [b".jar", b".war", b".ear", b".aar", b".apk", b".ipa", b".xpi", b".whl", b".nupkg", b".vsix", b".cbz", b".zip"];
    packages.into_iter().any(|ending| lower.ends_with(ending))
}

/// Name endings, in lower case, that promise a container.
const NAMES: &[(&str, &str)] = &[
    (".e01", "E01"),
    (".ex01", "Ex01"),
    (".l01", "L01"),
    (".ad1", "AD1"),
    (".pst", "PST"),
    (".ost", "OST"),
    (".aff4", "AFF4"),
    (".vhd", "VHD"),
    (".vhdx", "VHDX"),
    (".vmdk", "VMDK"),
    (".qcow2", "QCOW2"),
    (".7z", "7z"),
    (".zip", "zip"),
    (".jar", "zip"),
    (".apk", "zip"),
    (".tar", "tar"),
    (".gz", "gzip"),
    (".tgz", "gzip"),
    (".bz2", "bzip2"),
    (".tbz2", "bzip2"),
    (".xz", "xz"),
    (".txz", "xz"),
    (".zst", "Zstandard"),
    (".rar", "RAR"),
    (".cab", "CAB"),
    (".wim", "WIM"),
    (".esd", "WIM"),
    (".cpio", "cpio"),
    (".deb", "Debian package"),
    (".rpm", "RPM package"),
    (".lha", "LHA"),
    (".lzh", "LHA"),
    (".arj", "ARJ"),
    (".lzma", "LZMA alone"),
    (".lz4", "LZ4"),
    (".iso", "ISO 9660"),
    (".vma", "VMA (Proxmox)"),
    (".vbk", "Veeam backup (VBK)"),
    (".vib", "Veeam backup (VIB)"),
    (".vrb", "Veeam backup (VRB)"),
];

/// The format that a name promises. A further piece of a split archive has no signature at all.
pub fn by_name(name: &[u8]) -> Option<&'static str> {
    let last = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default().to_ascii_lowercase();
    let has = |ending: &str| last.len() > ending.len() && last.ends_with(ending.as_bytes());
    // An extent of a virtual disk is raw, and belongs to a file that describes it.
    if ["-flat.vmdk", "-rdm.vmdk", "-delta.vmdk"].into_iter().any(has) || is_flat(&last) {
        return None;
    }
    NAMES.iter().find(|(ending, _)| has(ending)).map(|(_, format)| *format)
}

/// `-f001.vmdk`
fn is_flat(name: &[u8]) -> bool {
    let number = name.strip_suffix(b".vmdk").and_then(|name| name.split_last_chunk::<3>());
    number.is_some_and(|(before, digits)| before.ends_with(b"-f") && digits.iter().all(u8::is_ascii_digit))
}

/// The archive that a name says to be cut into pieces, `.7z.002` or `.z02`, with the number of the
/// piece.
pub fn piece(name: &[u8]) -> Option<(&'static str, u32)> {
    let dot = name.iter().rposition(|byte| *byte == b'.')?;
    let (whole, digits) = (&name[..dot], std::str::from_utf8(&name[dot + 1..]).ok()?);
    if let [b'z' | b'Z', number @ ..] = digits.as_bytes()
        && number.len() == 2
        && number.iter().all(u8::is_ascii_digit)
    {
        return Some(("zip", digits[1..].parse().ok()?));
    }
    let number =
        (digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())).then(|| digits.parse().ok())??;
    let archives = ["7z", "zip", "tar", "RAR", "gzip", "xz", "bzip2", "Zstandard"];
    by_name(whole).filter(|format| archives.contains(format)).map(|format| (format, number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings_and_numbers_are_of_a_name() {
        assert_eq!((by_name(b"d/A.E01"), by_name(b".zip"), by_name(b"zip")), (Some("E01"), None, None));
        assert_eq!((piece(b"a.7z.002"), piece(b"a.doc.002"), piece(b"a.7z.2b2")), (Some(("7z", 2)), None, None));
        assert_eq!((piece(b"a.z02"), piece(b"a.z5"), piece(b"a.x02")), (Some(("zip", 2)), None, None));
    }

    #[test]
    fn a_document_is_promised_where_its_bytes_are_not_customary() {
        assert_eq!((by_document(b"d/A.DOCX", b"text"), by_document(b"a.txt", b"text")), (Some("zip"), None));
        assert_eq!((by_document(b"d/~$a.docx", b"text"), by_document(b"a.docx", b"")), (None, None));
        assert_eq!(by_document(b"a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), None);
    }
}
