//! Lists in the notations of other programs: the records and the faults of each.

use pfh_digest::{Registry, Row};
use pfh_manifest::amend::{Sheet, Unamendable};
use pfh_manifest::{Decoder, Entry, Format, Item, Options};

static LISTS: [&[Row]; 2] = [&pfh_digest::ROWS, &pfh_similarity::ROWS];

pub const MD5: &str = "764efa883dda1e11db47671c4a3bbd9e";
pub const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
pub const SHA256: &str = "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4";
/// The same in the alphabet for addresses, without padding.
const URL: &str = "mOpuTyFvL7S2n_-bOkSELDhobKaF8_VdxIxdP7EQe-Q";

pub fn open<'a>(text: &'a [u8], options: &Options) -> Decoder<'a> {
    Decoder::with_registry(text, options, Registry::new(&LISTS)).expect("memory")
}

/// Name, size and digests of each entry, a fault by its words, `-` and the name of what has no
/// digest by its kind.
pub fn rows(decoder: Decoder<'_>) -> Vec<String> {
    let row = |item: Item| match item {
        Item::Entry(Entry { name, size, digests, guessed, foreign, .. }) => {
            let size = size.map(|size| format!(" {size}")).unwrap_or_default();
            let name_of = |digest: &pfh_digest::Digest| format!(" {}:{}", digest.algorithm(), &digest.to_string()[..4]);
            let digests: String = digests.iter().map(name_of).collect();
            let foreign: String = foreign.iter().map(|name| format!(" ({name})")).collect();
            format!("{}{size}{digests}{}{foreign}", String::from_utf8_lossy(&name), if guessed { "?" } else { "" })
        }
        Item::Fault(fault) => format!("! {fault}"),
        Item::Unhashed(unhashed) => format!("- {}", String::from_utf8_lossy(&unhashed.name)),
    };
    decoder.map(|item| row(item.expect("memory").item)).collect()
}

#[track_caller]
pub fn reads(text: &str, format: Format, expected: &[&str]) {
    let decoder = open(text.as_bytes(), &Options::default());
    let found = decoder.format();
    assert_eq!(
        (found, &rows(decoder)[..]),
        (format, &expected.iter().map(|row| (*row).to_owned()).collect::<Vec<_>>()[..]),
        "{text}"
    );
}

#[test]
fn names_first_that_look_like_comments() {
    let list = format!("#1 a  {MD5}  {SHA1}\n;b  {MD5}  {SHA1}\n//c  {MD5}  {SHA1}\nd e  {MD5}  {SHA1}\n");
    let expected =
        ["#1 a md5:764e sha1:a999?", ";b md5:764e sha1:a999?", "//c md5:764e sha1:a999?", "d e md5:764e sha1:a999?"];
    reads(&list, Format::Sums, &expected);
    // Comments are comments in the same list, and in one with the digest first.
    reads(&format!("# made by x\n{list}"), Format::Sums, &expected);
    reads(&format!("# {MD5}  a\n{MD5}  b\n"), Format::Sums, &["b md5:764e?"]);
    reads(&format!("a\t{MD5}\n"), Format::Table, &["a md5:764e?"]);
    reads(&format!("a b {SHA1}\nc {SHA1}\n"), Format::Sums, &["a b sha1:a999?", "c sha1:a999?"]);
    reads(&format!("a: {SHA1}\n"), Format::Sums, &["a sha1:a999?"]);
    // SFV, whose comments begin alike.
    reads(
        "a 4C7CAF90\n;b 4C7CAF91\n; c 4C7CAF92\n; made 20010312\n",
        Format::Sfv,
        &["a crc32:4c7c?", ";b crc32:4c7c?", "! a comment, or a file whose name begins with a semicolon"],
    );
}

#[test]
fn hexadecimal_is_not_base64() {
    let sha384: pfh_digest::Algorithm = "sha384".parse().expect("an algorithm");
    let options = Options { assumed: vec![sha384], ..Options::default() };
    assert_eq!(rows(open(format!("{SHA256}  a\n").as_bytes(), &options)), ["! digest of a wrong length"]);
    for (from, to) in [(MD5, format!("{}t", &MD5[..31])), (SHA256, format!("{}T", &SHA256[..63]))] {
        assert_eq!(from.len(), to.len());
        let found = rows(open(format!("{to}  a\n").as_bytes(), &Options { any: true, ..Options::default() }));
        assert!(found[0].starts_with("! "), "{found:?}");
    }
}

#[test]
fn marks_bind() {
    reads(&format!("{SHA256} ?SHA3-256*a\n"), Format::Sums, &["a sha3-256:98ea"]);
    reads(&format!("{SHA256} ?BLAKE2sp*a\n"), Format::Sums, &["! unknown algorithm BLAKE2sp"]);
}

#[test]
fn lines_that_other_programs_spoil() {
    let list = format!("\u{feff}{MD5} *a\r\r\n\u{feff}{MD5} *b\r\r\n");
    reads(&list, Format::Sums, &["a md5:764e?", "b md5:764e?"]);
    reads(&format!("MD5 checksum  File name\n{MD5}  a\n"), Format::Sums, &["a md5:764e?"]);
    reads(&format!("nonsense here\n{MD5}  a\n"), Format::Sums, &["! does not start with a digest", "a md5:764e?"]);
}

#[test]
fn manifests_of_gentoo() {
    let list = format!(
        "DIST a-1.tar.gz 3 BLAKE2B {MD5}{MD5}{MD5}{MD5} SHA512 {MD5}{MD5}{MD5}{MD5}\nTIMESTAMP 2026-01-01T00:00:00Z\n\
         AUX b c.patch 4 SHA256 {SHA256} WHIRLPOOL0 {SHA256}\nEBUILD d.ebuild 5 MD6 {SHA256}\nnonsense\n"
    );
    reads(
        &list,
        Format::Sums,
        &[
            "a-1.tar.gz 3 blake2b:764e sha512:764e",
            "files/b c.patch 4 sha256:98ea (WHIRLPOOL0)",
            "! unknown algorithm MD6",
            "! no name",
        ],
    );
}

/// The output of Windows in English, German, French, Spanish and Russian.
#[test]
fn certutil_of_any_language() {
    for head in [
        "SHA256 hash of a b.jar:",
        "SHA256 hash of file a b.jar:",
        "SHA256-Hash von a b.jar:",
        "Hachage SHA256 de a b.jar :",
        "SHA256 hash de a b.jar:",
        "Хэш SHA256 файла a b.jar:",
    ] {
        let list = format!("{head}\r\n{SHA256}\r\nCertUtil: -hashfile x.\r\n");
        reads(&list, Format::Certutil, &["a b.jar sha256:98ea"]);
    }
    let failed = format!("SHA256 hash of a:\n{SHA256}\nCertUtil: ok.\nCertUtil: FAILED: 0x80070020 (WIN32: 32)\n");
    reads(&failed, Format::Certutil, &["a sha256:98ea", "! certutil failed on a file, which has no digest"]);
}

#[test]
fn blocks_of_keys_and_values() {
    let notes = format!("Name:   a.gz\nSize:   2 bytes (0 MiB)\nSHA256: {SHA256}\n\nName: b\nSHA256: {SHA256}\n");
    reads(&notes, Format::Blocks, &["a.gz 2 sha256:98ea", "b sha256:98ea"]);
    let rule = "=".repeat(50);
    let mine = format!("{rule}\r\nFilename : a\r\nMD5 : {MD5}\r\nFull Path : D:\\t\\a\r\nFile Size : 2\r\n{rule}\r\n");
    reads(&mine, Format::Blocks, &["D:/t/a 2 md5:764e"]);
    let release = format!("Origin: D\nMD5Sum:\n {MD5}    2 usr/f\nSHA256:\n {SHA256}    2 usr/f\n not one\n");
    reads(
        &release,
        Format::Blocks,
        &["usr/f 2 md5:764e", "usr/f 2 sha256:98ea", "! does not start with a digest"]
            .map(|row| if row.starts_with('!') { "! digest of a wrong length" } else { row }),
    );
    let changes =
        format!("Changed-By: x\nFiles:\n {MD5} 2 utils optional a_1.dsc\nChecksums-Sha1:\n {SHA1} 2 a_1.dsc\n");
    reads(&changes, Format::Blocks, &["a_1.dsc 2 md5:764e", "a_1.dsc 2 sha1:a999"]);
    let packages =
        format!("Package: a\nFilename: pool/a.deb\nSize: 3\nSHA256: {SHA256}\nDescription: x\n y: z\n\nPackage: b\n");
    reads(&packages, Format::Blocks, &["pool/a.deb 3 sha256:98ea"]);
    let dvc = format!("outs:\n- md5: {MD5}\n  size: 3\n  hash: md5\n  path: a.xml\n- md5: {MD5}.dir\n  path: d\n");
    reads(&dvc, Format::Blocks, &["a.xml 3 md5:764e", "! digests of a directory, not of a file"]);
}

#[test]
fn columns_with_and_without_labels() {
    let record = format!("p/a.py,sha256={URL},4\np-1.dist-info/RECORD,,\n");
    reads(&record, Format::Table, &["p/a.py 4 sha256:98ea", "- p-1.dist-info/RECORD"]);
    assert_eq!(
        open(record.as_bytes(), &Options::default()).remarks(),
        ["read as: column 1 name, column 2 digest, column 3 size"]
    );
    // DROID's folders have no content of their own.
    let droid = format!(
        "\"FILE_PATH\",\"NAME\",\"TYPE\",\"MD5_HASH\"\n\"C:\\T\",\"T\",\"Folder\",\"\"\n\"C:\\T\\a\",\"a\",\"File\",\"{MD5}\"\n"
    );
    reads(&droid, Format::Table, &["- C:/T", "C:/T/a md5:764e"]);
    // HashMyFiles without its header: the whole path is the name.
    let mine = format!("a\t{MD5}\t{SHA1}\t0badcafe\tD:\\t\\a\t01/02/2022 10:00:00\n");
    reads(&mine, Format::Table, &["D:/t/a md5:764e sha1:a999?"]);
    let prefixed = format!("file_name,hashes_MD5,imphash\na,{MD5},{MD5}\n");
    reads(&prefixed, Format::Table, &["a md5:764e"]);
    let aide =
        format!("@@begin_db\n@@db_spec name perm size md5\n/etc/a%20b 100644 3 {MD5}\n/etc 40755 0 0\n@@end_db\n");
    reads(&aide, Format::Table, &["/etc/a b 3 md5:764e", "- /etc"]);
    reads(&format!("{MD5},3,a\n"), Format::Table, &["a 3 md5:764e?"]);
    // Columns that the reader of the list states go first.
    let labels = ["name", "-", "sha3-256"].map(str::to_owned).to_vec();
    let options = Options { columns: labels, ..Options::default() };
    assert_eq!(rows(open(format!("x;y;z\na;{MD5};{SHA256}\n").as_bytes(), &options)), ["a sha3-256:98ea"]);
}

#[test]
fn xml_of_other_programs() {
    let mhl = format!(
        "<hashlist version='1.1'><hash><file>d/f</file><size>2</size><md5>{MD5}</md5></hash><hash><file>g</file></hash></hashlist>"
    );
    reads(&mhl, Format::Xml, &["d/f 2 md5:764e", "! no digest of g"]);
    let asc = format!(
        "<hashlist xmlns='urn:ASC:MHL:v2.0'><processinfo><roothash><content><md5>{MD5}</md5></content></roothash></processinfo>\
         <hashes><hash><path size='2'>f</path><xxh64 action='original'>0011223344556677</xxh64><c4>c4x</c4></hash>\
         <directoryhash><path>d</path><content><md5>{MD5}</md5></content></directoryhash></hashes></hashlist>"
    );
    reads(&asc, Format::Xml, &["f 2 xxh64:0011 (c4)", "- directory"]);
    let metalink = format!(
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='f'><size>2</size><hash type='sha-256'>{SHA256}</hash>\
         <pieces length='1' type='sha-1'><hash>{SHA1}</hash></pieces></file></metalink>"
    );
    reads(&metalink, Format::Xml, &["f 2 sha256:98ea"]);
    let mine = format!(
        "<hash_list><item><filename>a</filename><md5>{MD5}</md5><sha_512></sha_512><full_path>D:\\t\\a</full_path></item></hash_list>"
    );
    reads(&mine, Format::Xml, &["D:/t/a md5:764e"]);
    // Anything else is named, and not called broken.
    for (text, what) in [
        ("<?xml version='1.0'?><rss><x/></rss>", "an XML document <rss>"),
        ("<!DOCTYPE html><html><br>", "a page in HTML"),
        ("<html><head>", "a page in HTML"),
    ] {
        let mut decoder = open(text.as_bytes(), &Options::default());
        let found: Vec<_> = decoder.by_ref().map(|item| item.expect("memory").item).collect();
        assert_eq!(found, [Item::Fault(pfh_manifest::Fault::NotUnderstood(what.into()))]);
        assert_eq!(decoder.ending(), pfh_manifest::Ending::Unmarked);
    }
    let cut = &mhl[..mhl.len() - 11];
    reads(cut, Format::Xml, &["d/f 2 md5:764e", "! no digest of g", "! the document is cut off"]);
    // One that breaks off before its first record is not another document.
    for cut in ["<?xml version='1.0'", "<?xml version='1.0'?>\n", "<?xml version='1.0'?><hashlist>"] {
        let mut decoder = open(cut.as_bytes(), &Options::default());
        assert!(
            decoder
                .by_ref()
                .all(|item| matches!(item.expect("memory").item, Item::Fault(pfh_manifest::Fault::Malformed(_)))),
            "{cut}"
        );
        assert_eq!(decoder.ending(), pfh_manifest::Ending::Broken, "{cut}");
    }
}

#[test]
fn json_without_digests_is_named() {
    for none in
        ["\"sha256\":\"\"", "\"sha256\":null", "\"size\":2", "\"hashes\":{}", "\"hashes\":[]", "\"checksum\":12345"]
    {
        for list in [
            format!(r#"{{"files":[{{"path":"a","sha256":"{SHA256}"}},{{"path":"b",{none}}}]}}"#),
            format!(r#"{{"files":[{{"path":"b",{none}}},{{"path":"a","sha256":"{SHA256}"}}]}}"#),
        ] {
            let mut found = rows(open(list.as_bytes(), &Options::default()));
            found.sort();
            assert_eq!(found, ["! no digest of b", "a sha256:98ea"], "{list}");
        }
    }
    reads(&format!(r#"[{{"md5":"{MD5}","relpath":"a"}}]"#), Format::Json, &["a md5:764e"]);
    // Neither a library nor a folder is a file.
    let bom = format!(
        r#"{{"components":[{{"type":"library","name":"l"}},{{"type":"directory","path":"d"}},{{"type":"file","name":"a","hashes":[{{"alg":"MD5","content":"{MD5}"}}]}}]}}"#
    );
    reads(&bom, Format::Json, &["a md5:764e"]);
}

/// A list that is signed is read as it is, and never written to.
#[test]
fn clear_signed_lists() {
    let list = format!(
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{SHA256}  a\n- -----x\n-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n"
    );
    let mut decoder = open(list.as_bytes(), &Options::default());
    assert!(decoder.is_signed() && decoder.remarks()[0].contains("not checked"));
    let lines: Vec<u64> = decoder.by_ref().map(|item| item.expect("memory").line).collect();
    assert_eq!(lines, [4, 5]);
    let refused = Sheet::parse(list.clone().into_bytes(), &Options::default(), Registry::new(&LISTS));
    assert!(matches!(refused, Err(Unamendable::Signed)));
    let list = format!("untrusted comment: verify with x.pub\nRWRGj1pRpprAfgeF\nSHA256 (a) = {SHA256}\n");
    let refused = Sheet::parse(list.into_bytes(), &Options::default(), Registry::new(&LISTS));
    assert!(matches!(refused, Err(Unamendable::Signed)));
}

/// A long list, and one line of 64 MiB, in every family: nothing is lost, and memory is bounded by
/// the limit.
#[test]
fn long_lists_and_long_lines() {
    use std::io::{BufReader, Read};
    let long = |start: &'static str| {
        let options = Options { limit: 1 << 16, ..Options::default() };
        let reader = BufReader::new(start.as_bytes().chain(std::io::repeat(b'a').take(64 << 20)));
        let decoder = Decoder::with_registry(reader, &options, Registry::new(&LISTS)).expect("memory");
        rows(decoder)
    };
    for start in ["", "x ", "[\"", "<a b='", "Name: ", "name,md5\n", "-----BEGIN PGP SIGNED MESSAGE-----\n\n"] {
        let found = long(start);
        assert!(found.len() == 1 && found[0].starts_with("! "), "{start}: {found:?}");
    }
    for (head, line) in [
        (String::new(), format!("a\t{MD5}\n")),
        (String::new(), format!("Name: a\nMD5: {MD5}\n\n")),
        ("path,md5\n".to_owned(), format!("a,{MD5}\n")),
        ("[".to_owned(), format!("{{\"path\":\"a\",\"md5\":\"{MD5}\"}},\n")),
    ] {
        let text = head + &line.repeat(100_000);
        let count = open(text.as_bytes(), &Options::default())
            .filter(|item| matches!(item.as_ref().map(|located| &located.item), Ok(Item::Entry(_))))
            .count();
        assert_eq!(count, 100_000, "{line}");
    }
}

/// As gpg 2 prints the digests of empty files.
#[test]
fn gpg_prints_digits_in_groups() {
    let md5 = "D4 1D 8C D9 8F 00 B2 04  E9 80 09 98 EC F8 42 7E";
    let sha512 = "x.tgz: CF83E135 7EEFB8BD F1542850 D66D8007 D620E405 0B5715DC 83F4A921 D36CE9CE\n       \
                  47D0D13C 5D85F2B0 FF8318D2 877EEC2F 63B931BD 47417A81 A538327A F927DA3E\n";
    reads(&format!("x: {md5}\n"), Format::Gpg, &["x md5:d41d?"]);
    reads(sha512, Format::Gpg, &["x.tgz sha512:cf83?"]);
    reads(&format!("{sha512}y: z: {md5}\n"), Format::Gpg, &["x.tgz sha512:cf83?", "y: z md5:d41d?"]);
    // A long name has a line of its own, and the last line may have one group.
    let long = format!("{}.txt", "long".repeat(10));
    let several = format!(
        "{long}: \n   MD5 = {md5}\n{long}: \nRMD160 = 9C11 85A5 C5E9 FC54 6128  0897 7EE8 F548 B225 8D31\n{long}: \n\
         SHA224 = D14A028C 2A3A2BC9 476102BB 288234C4 15A2B01F\n         828EA62A\n         C5B3E42F\n"
    );
    reads(
        &several,
        Format::Gpg,
        &[&format!("{long} md5:d41d"), &format!("{long} ripemd160:9c11"), &format!("{long} sha224:d14a")],
    );
    // A damaged line makes neither another list nor another digest of its neighbour.
    let damaged = format!("a: {md5}\nb: XY{}\nc: {md5}\n", &md5[2..]);
    let fault = "! no digits in groups, as gpg --print-md prints them";
    reads(&damaged, Format::Gpg, &["a md5:d41d?", fault, "c md5:d41d?"]);
    reads(&sha512.replace("      47D0", "      4D0"), Format::Gpg, &[fault]);
    reads(&format!("x:   TIGER = {md5}\n"), Format::Gpg, &["! digest of a wrong length"]);
    reads(&format!("x:   WHAT = {md5}\n"), Format::Gpg, &["! unknown algorithm WHAT"]);
    // Of standard input, in a list that is called after its file.
    let bare = Options { bare: true, ..Options::default() };
    let nameless = sha512.strip_prefix("x.tgz: ").expect("a name");
    assert_eq!(rows(open(nameless.as_bytes(), &bare)), [" sha512:cf83?"]);
    reads(nameless, Format::Gpg, &["! no name", "! no name"]);
    // Names of one letter and words of capitals are names.
    reads(&format!("{MD5}  AB CD\n"), Format::Sums, &["AB CD md5:764e?"]);
}
