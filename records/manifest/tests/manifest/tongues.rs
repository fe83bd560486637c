//! Lists of other programs whose lines say what they are by their shape: links, heads in the
//! languages of Windows, labels beside digests, tables with a rule, records that NUL ends.

use pfh_digest::{Algorithm, Registry, Row, hex};
use pfh_manifest::{Decoder, Item, Options};

static LISTS: [&[Row]; 2] = [&pfh_digest::ROWS, &pfh_similarity::ROWS];

const NAMES: [&str; 3] = ["one.txt", "sub/two words.bin", "three.dat"];

fn registry() -> Registry {
    Registry::new(&LISTS)
}

fn digest(of: &str, name: &str) -> String {
    let algorithm: Algorithm = registry().find(of).unwrap();
    let mut text = Vec::new();
    hex::push(&mut text, algorithm.digest(name.as_bytes()).bytes());
    String::from_utf8(text).unwrap()
}

/// A list of all names, a line for each.
fn lines(line: impl Fn(&str) -> String) -> String {
    NAMES.iter().map(|name| line(name) + "\n").collect()
}

fn items(list: &str) -> Vec<Item> {
    let options = Options { any: true, ..Options::default() };
    let decoder = Decoder::with_registry(list.as_bytes(), &options, registry()).unwrap();
    decoder.map(|item| item.unwrap().item).collect()
}

/// The list states of every name the digest of its text, and nothing else.
#[track_caller]
fn states(list: &str) {
    let items = items(list);
    let names: Vec<String> = items
        .iter()
        .map(|item| match item {
            Item::Entry(entry) => {
                let name = String::from_utf8_lossy(&entry.name).into_owned();
                let name = name.strip_prefix("C:/d/").unwrap_or(&name).to_owned();
                for found in &entry.digests {
                    assert_eq!(*found, found.algorithm().digest(name.as_bytes()), "{name} in\n{list}");
                }
                name
            }
            other => panic!("{other:?} in\n{list}"),
        })
        .collect();
    assert_eq!(names, NAMES, "{list}");
}

/// The list has no record, and says so.
#[track_caller]
fn is_none(list: &str) {
    let items = items(list);
    assert!(!items.is_empty() && items.iter().all(|item| matches!(item, Item::Fault(_))), "{items:?} of\n{list}");
}

fn sha256(name: &str) -> String {
    digest("sha256", name)
}

fn windows(name: &str) -> String {
    format!("C:\\d\\{}", name.replace('/', "\\"))
}

#[test]
fn links_as_programs_and_pages_have_them() {
    let escaped = |name: &str| name.replace('/', "%2F").replace(' ', "%20");
    let ed2k = |name: &str| format!("ed2k://|file|{}|3|{}|", escaped(name), digest("ed2k", name));
    states(&lines(|name| ed2k(name) + "/"));
    states(&lines(ed2k));
    states(&format!("<html>\n{}</html>", lines(|name| format!("<a href=\"{}/\">{name}</a><br>", ed2k(name)))));
    let md5 = |name: &str| digest("md5", name);
    states(&lines(|name| format!("magnet:?dn={}&amp;xl=3&amp;xt=urn:md5:{}", escaped(name), md5(name))));
    states(&lines(|name| format!("magnet:?dn={}&xt=urn:md5:{}", escaped(name).replace("%20", "+"), md5(name))));
    let base32 = |of: &str, name: &str| {
        let of: Algorithm = registry().find(of).unwrap();
        data_encoding::BASE32_NOPAD.encode(of.digest(name.as_bytes()).bytes())
    };
    states(&lines(|name| {
        format!("magnet:?dn={}&xt=urn:bitprint:{}.{}", escaped(name), base32("sha1", name), base32("tth", name))
    }));
}

#[test]
fn heads_of_certutil_in_many_languages() {
    for head in [
        "{a} hash of {n}:",
        "{a}-Hash von {n}:",
        "Hachage {a} de {n} :",
        "{a} hachage de {n} :",
        "Hash {a} de {n}:",
        "Hash {a} di {n}:",
        "{a}-hash af {n}:",
        "{a}-hash av {n}:",
        "Хэш {a} {n}:",
        "{a} ハッシュ (対象 {n}):",
        "{a} 的 {n} 哈希:",
        "{a}의 {n} 해시:",
        "{n} dosyasının {a} karması:",
    ] {
        let line = |name: &str| head.replace("{a}", "SHA256").replace("{n}", &windows(name));
        states(&lines(|name| format!("{}\r\n{}\r\nCertUtil: -hashfile OK\r", line(name), sha256(name))));
    }
    // Of another language the name is not guessed.
    is_none(&format!("Tiedoston a b SHA256 hajautus on:\r\n{}\r\nCertUtil: -hashfile\r\n", sha256("a b")));
}

#[test]
fn labels_and_signs_between_names_and_digests() {
    let base64 = |name: &str| {
        data_encoding::BASE64.encode(Algorithm::digest(registry().find("sha256").unwrap(), name.as_bytes()).bytes())
    };
    states(&lines(|name| format!("{name}\tMD5: {}", digest("md5", name))));
    states(&lines(|name| format!("{name}: SHA256: {}", sha256(name))));
    states(&lines(|name| format!("{name} (SHA-256: {})", sha256(name))));
    states(&lines(|name| format!("{name} [{}]", sha256(name))));
    states(&lines(|name| format!("{name} -> {}", sha256(name))));
    states(&lines(|name| format!("({name}) = {}", sha256(name))));
    states(&lines(|name| format!("{name}: sha-256=:{}:", base64(name))));
    states(&lines(|name| format!("{name}: sha-256={}", base64(name))));
    states(&lines(|name| format!("{} * {name}", sha256(name))));
    states(&lines(|name| format!("## {name}\n\nSHA256: `{}`\n", sha256(name))));
    states(&lines(|name| format!("{name}:\n  MD5: {}\n  SHA1: {}\n", digest("md5", name), digest("sha1", name))));
    states(&("[hashes]\n".to_owned() + &lines(|name| format!("\"{name}\" = \"{}\"", sha256(name)))));
    // Numbers behind names with an extension are sizes, other numbers belong to the name.
    states(&lines(|name| format!("{name} {} {}", name.len(), sha256(name))));
    let track = format!("track 01 {}\ntrack 02 {}\n", sha256("track 01"), sha256("track 02"));
    assert!(items(&track).iter().all(|item| matches!(item, Item::Entry(entry) if entry.name.starts_with(b"track 0"))));
    // A label alone names no file.
    is_none(&format!("SHA256: {}\n", sha256("a")));
}

#[test]
fn tables_with_a_rule_and_columns_in_any_order() {
    let rule = "-".repeat(30);
    states(&(format!("{:<30} Value\n{rule} -----\n", "Name") + &lines(|name| format!("{name:<30} {}", sha256(name)))));
    states(&(format!("{:<30} Hash\n{rule} ----\n", "Path") + &lines(|name| format!("{name:<30} {}", sha256(name)))));
    let checksums = lines(|name| format!("{name:<30} {:>8} {}", name.len(), digest("crc32", name).to_uppercase()));
    states(&(format!("{:<30} Filesize CRC-32\n{rule} -------- --------\n", "Filename") + &checksums));
    // A header that begins with a blank.
    let crc = |name: &str| digest("crc32", name);
    let zipped = lines(|name| format!("{:8}  {}  {name}", name.len(), crc(name)));
    states(
        &format!(" Length   CRC-32   Name\n--------  --------  ----\n{zipped}").replace("CRC-32   N", "CRC-32    N"),
    );
    let body = lines(|name| format!("{}|{name}|1-128-1|r/rrwxrwxrwx|0|0|{}|1|1|1|1", digest("md5", name), name.len()));
    states(&body);
    states(&lines(|name| format!("{}\t{}\t2010-01-01 12:00:00\t{name}", digest("md5", name), name.len())));
    states(&("filename,size,crc\n".to_owned() + &lines(|name| format!("{name},{},{},", name.len(), crc(name)))));
}

#[test]
fn labels_of_columns_and_members() {
    let json = |of: fn(&str) -> String| format!("[{}]", NAMES.map(of).join(","));
    states(&json(|name| format!("{{\"fileName\":\"{name}\",\"contentSha1\":\"{}\"}}", digest("sha1", name))));
    states(&json(|name| format!("{{\"name\":\"{name}\",\"oid_type\":\"sha256\",\"oid\":\"{}\"}}", sha256(name))));
    states(&json(|name| format!("{{\"Key\":\"{name}\",\"Checksum\":{{\"ChecksumSHA256\":\"{}\"}}}}", sha256(name))));
    let csv = lines(|name| format!("{},{name},{}", name.rsplit('/').next().unwrap(), digest("sha1", name)));
    states(&("Name,Item Path,SourceFileSha1\n".to_owned() + &csv));
    let property = |name: &str, value: &str| format!("<Property Name=\"{name}\">{value}</Property>");
    let object = |name: &str| format!("<Object>{}{}</Object>", property("Hash", &sha256(name)), property("Path", name));
    states(&format!("<?xml version=\"1.0\"?><Objects>{}</Objects>", lines(object)));
    let row = |name: &str| format!("<tr><td>SHA256</td><td>{}</td><td>{name}</td></tr>", sha256(name));
    states(&format!(
        "<!DOCTYPE html>\n<html><table>\n<tr><th>Algorithm</th><th>Hash</th><th>Path</th></tr>\n{}</table></html>",
        lines(row)
    ));
}

#[test]
fn records_that_nul_ends() {
    states(&lines(|name| format!("{}  {name}\0", sha256(name))).replace("\0\n", "\0"));
    states(&lines(|name| format!("SHA256 ({name}) = {}\0", sha256(name))).replace("\0\n", "\0"));
    // A NUL in a line of others ends nothing.
    let list = lines(|name| format!("{}  {name}", sha256(name))).replace("two words", "two\0words");
    let faults = items(&list).iter().filter(|item| matches!(item, Item::Fault(_))).count();
    assert_eq!((items(&list).len(), faults), (3, 1));
}

/// A list of two digests a line that is cut behind the first.
#[test]
fn a_cut_row_has_fewer_columns_than_the_others() {
    let (md5, sha1) = (digest("md5", "a"), digest("sha1", "a"));
    let items = items(&format!("\tMD5\tSHA-1\n{md5} {sha1} a\n{md5} "));
    assert!(matches!(items.last(), Some(Item::Fault(_))), "{items:?}");
}

#[test]
fn digests_of_other_things_than_files() {
    let blob = digest("sha1", "blob");
    is_none(&lines(|name| format!("100644 blob {blob}\t{name}")));
    is_none(&lines(|name| format!("100644 {blob} 0\t{name}")));
    is_none(&format!("# Report by fclones 0.35\n{}, 6 B (6 B) * 2:\n    a\n    b\n", sha256("a")));
    is_none(&format!("Created By AccessData FTK Imager\r\n MD5 checksum:    {}\r\n", digest("md5", "a")));
}
