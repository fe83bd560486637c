//! Lists whose columns, tables and pages are found by their contents.

use crate::notations::{MD5, SHA1, SHA256, reads};
use pfh_manifest::Format;

#[test]
fn columns_between_blanks_stand_in_front_of_the_name() {
    let both = ["a.bin 600 sha1:a999?", "b c 4 sha1:a999?"];
    reads(&format!("600 {SHA1} a.bin\n4 {SHA1} b c\n"), Format::Table, &both);
    reads(&format!("  600  {SHA1} *a.bin\n    4  {SHA1} *b c\n"), Format::Table, &both);
    reads(&format!("2026-11-28 14:40:29 600 {SHA1} a.bin\n2026-11-28 14:40:29 4 {SHA1} b c\n"), Format::Table, &both);
    let two = format!("//\n\tMD5\t\tSHA-1\n\t-----\n{MD5} {SHA1} a.bin\n{MD5} {SHA1} b c\n");
    reads(&two, Format::Table, &["a.bin md5:764e sha1:a999?", "b c md5:764e sha1:a999?"]);
    reads(&format!("sha1 {SHA1} a.bin\nmd5 {MD5} b c\n"), Format::Table, &["a.bin sha1:a999", "b c md5:764e"]);
    // Names of sums may begin with numbers, and one alone may be a digest.
    reads(&format!("{SHA1}  12 a\n{SHA1}  13 b\n"), Format::Sums, &["12 a sha1:a999?", "13 b sha1:a999?"]);
    reads(&format!("{SHA1} {SHA1}\n"), Format::Sums, &[&format!("{SHA1} sha1:a999?")]);
}

#[test]
fn a_rule_tells_the_columns_of_a_table() {
    let rule = format!("{} {}  {}", "-".repeat(64), "-".repeat(13), "-".repeat(12));
    let table = format!(
        "Scanning\n\nSHA256{:68}Size  Name\n{rule}\n{:64} {:13}  d\n{SHA256} {:>13}  d/a b\n{rule}\n{SHA256} 3\n\nSize: 3\n",
        "", "", "", 3
    );
    reads(&table, Format::Table, &["- d", "d/a b 3 sha256:98ea"]);
    // Two tables, one behind the other.
    reads(&table.repeat(2), Format::Table, &["- d", "d/a b 3 sha256:98ea", "- d", "d/a b 3 sha256:98ea"]);
    let shown = format!("MD5                              Name\n---                              ----\n{MD5} a...\n");
    reads(&shown, Format::Table, &["! the table cut the name off"]);
}

#[test]
fn tables_in_markdown() {
    let rows = format!("| [a b](https://x/a) | `{SHA256}` |\n| c\\|d | {SHA256} |\n");
    let expected = ["a b sha256:98ea", "c|d sha256:98ea"];
    reads(&format!("# 1.0\n\n| File | SHA256 |\n|---|:---:|\n{rows}\nend\n"), Format::Table, &expected);
    let guessed = expected.map(|row| format!("{row}?"));
    reads(
        &format!("| asset | fingerprint |\n|---|---|\n{rows}"),
        Format::Table,
        &guessed.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let stray = format!("| File | SHA256 |\n|---|---|\n{rows}\n{MD5} b\n");
    reads(&stray, Format::Table, &[expected[0], expected[1], "! a digest outside of the table"]);
}

#[test]
fn pages_hold_tables_and_text() {
    let page = |body: &str| format!("<!DOCTYPE html>\n<html><head><title>x</title></head><body>{body}</body></html>\n");
    let rows =
        format!("<table><tr><th>Filename<th>MD5<th>Full Path\n<tr><td>a&amp;b<td>{MD5}<td>D:\\t\\a&amp;b\n</table>");
    reads(&page(&rows), Format::Table, &["D:/t/a&b md5:764e"]);
    let one = |name: &str| format!("<table><tr><td>Filename<td>{name}<tr><td>MD5<td>{MD5}</table>");
    reads(&page(&[one("a"), one("b")].concat()), Format::Blocks, &["a md5:764e", "b md5:764e"]);
    reads(&page(&format!("<h1>x</h1><pre>{MD5}  <a href=y>a b</a>\n</pre>")), Format::Sums, &["a b md5:764e?"]);
    reads(&page("<h1>404</h1>"), Format::Sums, &["! no list that is understood: a page in HTML"]);
}

#[test]
fn names_and_directories_in_two_columns() {
    let table = format!("Name\tPath\tHash (MD5)\na\t\\\t{MD5}\nb\t\\d\\\t{MD5}\n");
    reads(&table, Format::Table, &["/a md5:764e", "/d/b md5:764e"]);
    // A path that has the name is one already.
    reads(&format!("Name,Path,MD5\na,d/a,{MD5}\n"), Format::Table, &["d/a md5:764e"]);
}

#[test]
fn checksums_of_cfv() {
    reads("a,3,352441C2,\nb c,4,0000ABCD,\n", Format::Table, &["a 3 crc32:3524?", "b c 4 crc32:0000?"]);
    // Dates are none.
    reads("a,3,20260101\n", Format::Sums, &["! no name"]);
}

#[test]
fn items_of_a_list_in_markdown() {
    for mark in ["-", "*"] {
        reads(&format!("{mark} a b: {MD5}\n{mark} c: {MD5}\n"), Format::Sums, &["a b md5:764e?", "c md5:764e?"]);
        reads(&format!("{mark} `a b`: {MD5}\n"), Format::Sums, &["a b md5:764e?"]);
    }
    // One of them is named so.
    reads(&format!("- a: {MD5}\nc: {MD5}\n"), Format::Sums, &["- a md5:764e?", "c md5:764e?"]);
}

#[test]
fn digests_behind_equals_at_and_in_quotes() {
    reads(&format!("a b = {MD5}\nc = {MD5}\n"), Format::Sums, &["a b md5:764e?", "c md5:764e?"]);
    reads(&format!("\"a\" = \"{MD5}\"\n\"c d\" = \"{MD5}\"\n"), Format::Sums, &["a md5:764e?", "c d md5:764e?"]);
    reads(&format!("MD5 (a = {MD5}\n"), Format::Sums, &["! does not start with a digest"]);
    reads(&format!("\"a\": {MD5}\n\"c\": {MD5}\n"), Format::Sums, &["a md5:764e?", "c md5:764e?"]);
    reads(&format!("x/a@sha256:{SHA256}\n"), Format::Sums, &["x/a sha256:98ea"]);
    reads(&format!("{MD5}: a b\n"), Format::Sums, &["a b md5:764e?"]);
    reads(&format!("MD5: {MD5}  a b\nSHA-1: {SHA1}  c\n"), Format::Table, &["a b md5:764e", "c sha1:a999"]);
    reads(&format!("MD5: {MD5}  a b\nx\n"), Format::Sums, &["a b md5:764e", "! no name"]);
    let colons: Vec<&str> = (0..16).map(|at| &MD5[2 * at..2 * at + 2]).collect();
    reads(&format!("MD5(a b)= {}\n", colons.join(":")), Format::Sums, &["a b md5:764e"]);
}

#[test]
fn lines_that_state_no_digest_by_design() {
    let distinfo = format!("TIMESTAMP = 1600000000\nSHA256 (a) = {SHA256}\nSIZE (a) = 3\n");
    // The size is compared with that of the file.
    reads(&distinfo, Format::Sums, &["a sha256:98ea", "a 3 sha256:98ea"]);
    let signed = format!("untrusted comment: verify with x.pub\nRWRGj1pRpprAfgeF\nSHA256 (a) = {SHA256}\n");
    reads(&signed, Format::Sums, &["a sha256:98ea"]);
    reads(&format!("```\n{MD5}  a\n```\n"), Format::Sums, &["a md5:764e?"]);
}

#[test]
fn checksums_that_nobody_here_computes() {
    let unknown = "! unknown algorithm cksum or sum";
    reads("2411870610 2 ./a\n67507236 4 b c\n", Format::Sums, &[unknown, unknown]);
    reads("00045     1 a\n", Format::Sums, &[unknown]);
    let bits = "! unknown algorithm shasum's bits mode (^)";
    reads(&format!("{SHA1} ^a\n{SHA1} ^b\n"), Format::Sums, &[bits, bits]);
}

#[test]
fn blocks_of_toml_yaml_spdx_and_gsutil() {
    reads(
        &format!("[[file]]\nname = \"a b\"\nmd5 = \"{MD5}\"\n\n[[file]]\nname = \"c\"\nmd5 = \"{MD5}\"\n"),
        Format::Blocks,
        &["a b md5:764e", "c md5:764e"],
    );
    let yaml = format!("files:\n  - name: \"a b\"\n    md5: {MD5}\n    size: 3\n  - name: c\n    md5: {MD5}\n");
    reads(&yaml, Format::Blocks, &["a b 3 md5:764e", "c md5:764e"]);
    let spdx =
        format!("SPDXVersion: SPDX-2.3\n\nFileName: ./a\nFileChecksum: SHA1: {SHA1}\nFileChecksum: MD5: {MD5}\n");
    reads(&spdx, Format::Blocks, &["./a sha1:a999 md5:764e"]);
    let bucket =
        format!("Hashes [hex] for a b:\n\tHash (md5):\t\t{MD5}\nHashes [hex] for c:\n\tHash (md5):\t\t{MD5}\n");
    reads(&bucket, Format::Blocks, &["a b md5:764e", "c md5:764e"]);
}

#[test]
fn mtree_of_both_forms() {
    let flat = format!("#mtree\n/set type=file uid=0\n./a\\040b size=3 \\\n sha256digest={SHA256}\n./d type=dir\n");
    reads(&flat, Format::Mtree, &["./a b 3 sha256:98ea"]);
    let nested =
        format!("/set type=file\n. type=dir\n  a md5digest={MD5}\nd type=dir\n  b md5={MD5} cksum=1\n..\nc\n..\n");
    reads(&nested, Format::Mtree, &["a md5:764e", "d/b md5:764e", "! no digest of c"]);
    reads("#mtree\na md5=\\\n", Format::Mtree, &["! the last line goes on, and the list does not"]);
}

#[test]
fn reports_of_aide_state_the_new_digests() {
    let report = format!(
        "Start timestamp: 2026-01-01 10:00:00 +0000 (AIDE 0.18)\nAIDE found differences between database and filesystem!!\n\n\
         Detailed information about changes:\n\n\
         File: /etc/a b\n  Size      : 100                              | 3\n  MD5       : AAAA | {}\n              BBBB | {}\n\
         \x20 HAVAL     : x | y\n\nFile: /etc/c\n  Perm      : -rw | -r-\n\n\
         The attributes of the (uncompressed) database(s):\n\n/var/lib/aide.db\n  MD5       : {MD5}\n",
        &MD5[..16],
        &MD5[16..]
    );
    reads(&report, Format::Aide, &["/etc/a b md5:764e (HAVAL)"]);
}

#[test]
fn dictionaries_of_names_and_digests() {
    reads(&format!("{{\"a.b\": \"{MD5}\", \"d/c\": \"{MD5}\"}}"), Format::Json, &["a.b md5:764e?", "d/c md5:764e?"]);
    reads(&format!("{{\"x\": 1, \"files\": {{\"{MD5}\": \"a\"}}}}"), Format::Json, &["a md5:764e?"]);
    reads(&format!("{{\"a.b\": {{\"md5\": \"{MD5}\", \"size\": 3}}}}"), Format::Json, &["a.b 3 md5:764e"]);
    // A commit does not name a file.
    let other = "! no list that is understood: JSON without digests of files";
    reads(&format!("{{\"commit\": \"{SHA1}\", \"tree\": \"{SHA1}\"}}"), Format::Json, &[other]);
    let windows = format!("[{{\"Algorithm\": \"MD5\", \"Hash\": \"{MD5}\", \"Path\": \"C:\\\\t\\\\a\"}}]");
    reads(&windows, Format::Json, &["C:/t/a md5:764e"]);
    let bucket = format!("{{\"Contents\": [{{\"Key\": \"a\", \"ETag\": \"\\\"{MD5}\\\"\", \"Size\": 3}}]}}");
    reads(&bucket, Format::Json, &["a 3 md5:764e?"]);
}

#[test]
fn properties_of_powershell() {
    let property = |name: &str, value: &str| format!("<S N=\"{name}\">{value}</S>");
    let xml = format!(
        "<Objs><Obj><Props>{}{}{}</Props></Obj></Objs>",
        property("Algorithm", "MD5"),
        property("Hash", MD5),
        property("Path", "C:\\t\\a")
    );
    reads(&xml, Format::Xml, &["C:/t/a md5:764e"]);
}

/// A digest without a name is named: nobody left it out.
#[test]
fn records_of_xml_have_names() {
    let named = format!("<file><name>a</name><md5>{MD5}</md5></file>");
    let nameless = format!("<file><label>b</label><md5>{MD5}</md5></file>");
    let fault = "! digests of a thing without a name, not of a file";
    reads(&format!("<list>{named}{nameless}</list>"), Format::Xml, &["a md5:764e", fault]);
    reads(&format!("<list><files>{named}{nameless}</files></list>"), Format::Xml, &["a md5:764e", fault]);
    let asset = "<Asset><Hash Algorithm='http://www.w3.org/2000/09/xmldsig#sha1'>qZk+NkcGgWq6PiVxeFDCbJzQ2J0=</Hash>\
                 <Size>3</Size><OriginalFileName>a</OriginalFileName></Asset>";
    reads(&format!("<PackingList><AssetList>{asset}</AssetList></PackingList>"), Format::Xml, &["a 3 sha1:a999"]);
}

#[test]
fn packed_lists_are_named() {
    let xz = "\u{fd}7zXZ\0";
    let bytes: Vec<u8> = xz.chars().map(|c| c as u8).collect();
    let decoder = crate::notations::open(&bytes, &pfh_manifest::Options::default());
    assert_eq!(
        crate::notations::rows(decoder),
        ["! no list that is understood: packed with xz, which is not unpacked here"]
    );
}

#[test]
fn a_line_without_a_name_decides_no_separator() {
    let all = ["  md5:764e?", "b md5:764e?", "c md5:764e?"];
    reads(&format!("{MD5}  \n{MD5}  b\n{MD5} *c\n"), Format::Sums, &all);
    // In the BSDs' order a blank is a name as any.
    reads(&format!("{MD5} b\n{MD5}  \n"), Format::Sums, &["b md5:764e?", "  md5:764e?"]);
}

#[test]
fn lines_end_with_cr_alone() {
    reads(&format!("{MD5}  a\r{MD5}  b\r"), Format::Sums, &["a md5:764e?", "b md5:764e?"]);
    reads(&format!("name,md5\ra,{MD5}\rb,{MD5}"), Format::Table, &["a md5:764e", "b md5:764e"]);
    let long: String = (0..4000).map(|n| format!("{MD5}  {n}\r")).collect();
    assert_eq!(crate::notations::rows(crate::notations::open(long.as_bytes(), &Default::default())).len(), 4000);
    // In a list with LF a CR is a part of a name, and NUL ends records by itself.
    reads(&format!("{MD5}  a\rb\n{MD5}  c\n"), Format::Sums, &["a\rb md5:764e?", "c md5:764e?"]);
    reads(&format!("{MD5}  a\rb\0{MD5}  c\0"), Format::Sums, &["a\rb md5:764e?", "c md5:764e?"]);
}

#[test]
fn a_text_of_dos_ends_with_its_sign() {
    reads(&format!("{MD5}  a\r\n\x1a"), Format::Sums, &["a md5:764e?"]);
    reads(&format!("{MD5}  a\r\n\x1a\x1a"), Format::Sums, &["a md5:764e?", "! no name"]);
}

#[test]
fn tables_have_lines_in_front_of_their_labels() {
    let (one, two) = (["a md5:764e"], ["a md5:764e?", "b md5:764e?"]);
    reads(&format!("sep=;\r\nName;MD5\r\na;{MD5}\r\n"), Format::Table, &one);
    reads(&format!("# made by x\n# on Monday, at 7\nname,md5\na,{MD5}\n"), Format::Table, &one);
    reads(&format!("; made by x\nname,md5\na,{MD5}\n"), Format::Table, &one);
    reads(&format!("name,md5\na,=\"{MD5}\"\n"), Format::Table, &one);
    // Two tables, one behind the other.
    reads(&format!("name,md5\na,{MD5}\nname,md5\na,{MD5}\n"), Format::Table, &[one[0], one[0]]);
    reads(&format!("\"{MD5}\",\"a\"\n\"{MD5}\",\"b\"\n"), Format::Table, &two);
    // Pairs of digits, as .NET's BitConverter prints them.
    let pairs: Vec<String> =
        MD5.as_bytes().chunks(2).map(|pair| String::from_utf8_lossy(pair).to_uppercase()).collect();
    reads(&format!("a,{}\nb,{}\n", pairs.join("-"), pairs.join(":")), Format::Table, &two);
    let short = pairs[1..].join("-");
    reads(&format!("name,md5\na,{short}\nb,{MD5}\n"), Format::Table, &["! digest of a wrong length", "b md5:764e"]);
}

#[test]
fn blanks_around_names_are_of_the_layout() {
    let both = ["a md5:764e?", "b c md5:764e?"];
    reads(&format!("a    {MD5}\nb c  {MD5}\n"), Format::Sums, &both);
    reads(
        &format!("a  md5:{MD5} md5:{MD5}\nb c  md5:{MD5} md5:{MD5}\n"),
        Format::Sums,
        &["a md5:764e md5:764e", "b c md5:764e md5:764e"],
    );
    reads(&format!("  a: {MD5}\n  b c: {MD5}\n"), Format::Sums, &both);
    // A single line has no layout.
    reads(&format!("a   {MD5}\n"), Format::Sums, &["a  md5:764e?"]);
    reads(&format!(" a  {MD5}\n"), Format::Sums, &[" a md5:764e?"]);
}

#[test]
fn sizes_stand_in_lines_of_their_own() {
    let tagged = format!("MD5 (a) = {MD5}\n");
    let sized = ["a md5:764e", "a 3 md5:764e"];
    reads(&format!("TIMESTAMP = 1600000000\n{tagged}SIZE (a) = 3\n"), Format::Sums, &sized);
    reads(&format!("$NetBSD$\n\n{tagged}Size (a) = 3 bytes\n"), Format::Sums, &sized);
    reads(&format!("SIZE (a) = 3\n{tagged}"), Format::Sums, &["a 3 md5:764e"]);
    // Not of a file with a digest.
    reads(&format!("{tagged}SIZE (b) = 3\n"), Format::Sums, &["a md5:764e"]);
}

#[test]
fn every_line_of_mtree_has_a_type() {
    let list = format!("./a b/c\\040d type=file size=3 md5={MD5}\n./d type=dir mode=0755\n").replace("a b/", "a/");
    reads(&list, Format::Mtree, &["./a/c d 3 md5:764e"]);
    reads(&format!("# x\na uid=0 type=file md5digest={MD5}\n"), Format::Mtree, &["a md5:764e"]);
    // A name as any.
    reads(&format!("a type=file  {MD5}\nb  {MD5}\n"), Format::Sums, &["a type=file md5:764e?", "b md5:764e?"]);
}
