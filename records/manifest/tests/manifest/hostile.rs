//! Input that was made to hurt: memory stays bounded, every line is accounted for, nothing is
//! expanded.

use std::io::{self, BufRead, BufReader, Read};

use pfh_digest::Algorithm;
use pfh_manifest::{Decoder, Entry, Fault, Format, Item, LocatedItem, Options};

fn algorithm(name: &str) -> Algorithm {
    name.parse().expect("a known algorithm")
}

fn items(input: &[u8]) -> Vec<(u64, Item)> {
    items_with(input, &Options::default())
}

fn items_with(input: &[u8], options: &Options) -> Vec<(u64, Item)> {
    let decoder = Decoder::open(BufReader::with_capacity(5, input), options).expect("memory");
    let mut items: Vec<(u64, Item)> =
        decoder.map(|located| located.expect("memory")).map(|located| (located.line, located.item)).collect();
    // Guesses are tested in `ending.rs`.
    for (_, item) in &mut items {
        if let Item::Entry(entry) = item {
            entry.guessed = false;
        }
    }
    items
}

fn entry(name: &[u8], algorithm_name: &str, message: &[u8]) -> Item {
    let digests = vec![algorithm(algorithm_name).digest(message)];
    Item::Entry(Entry { name: name.to_vec(), digests, ..Entry::default() })
}

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
const BASE64: &str = "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=";

#[test]
fn the_forms_of_lists() {
    let upper = SHA256.to_ascii_uppercase();
    let list = [
        format!("{SHA256}  a"),
        format!("{upper} *a\r"),
        format!("  {SHA256}  a"),
        format!("{BASE64}  a"),
        format!("SHA256 (a) = {SHA256}"),
        format!("SHA256 (a) = {BASE64}"),
        format!("SHA2-256(a)= {SHA256}"),
        format!("sha256 (a) = {upper}"),
        "# a comment".to_owned(),
        String::new(),
        format!("\\{SHA256}  a\\nb"),
        format!("\\SHA256 (a\\\\) = {SHA256}"),
    ]
    .join("\n");
    let same = |name: &[u8]| entry(name, "sha256", b"abc");
    let mut expected: Vec<(u64, Item)> = (1..=8).map(|line| (line, same(b"a"))).collect();
    expected.extend([(11, same(b"a\nb")), (12, same(b"a\\"))]);
    assert_eq!(items(list.as_bytes()), expected);
}

#[test]
fn one_space_or_two_is_fixed_by_the_first_line() {
    let reversed = format!("{MD5} a\n{MD5}  b\n{MD5} *c\n");
    assert_eq!(
        items(reversed.as_bytes()),
        [(1, entry(b"a", "md5", b"abc")), (2, entry(b" b", "md5", b"abc")), (3, entry(b"*c", "md5", b"abc"))]
    );
    let marked = format!("{MD5}  a\n{MD5} b\n{MD5}   c\n");
    assert_eq!(
        items(marked.as_bytes()),
        [
            (1, entry(b"a", "md5", b"abc")),
            (2, Item::Fault(Fault::Malformed("no marker in front of the name"))),
            (3, entry(b" c", "md5", b"abc"))
        ]
    );
}

#[test]
fn lengths_and_letters() {
    let mut list = Vec::new();
    for line in [
        &SHA256[..63],
        &SHA256[..62],
        &format!("{SHA256}00"),
        &format!("{}g", &SHA256[..63]),
        "",
        &format!("{SHA256}\0"),
        SHA1,
        &BASE64.replace('=', ""),
        "sha256:00",
    ] {
        list.extend_from_slice(line.as_bytes());
        list.extend_from_slice(b"  name\n");
    }
    list.extend_from_slice(
        format!("SHA256 (name) = {MD5}\nSHA999 (name) = {MD5}\n{SHA256} \n{SHA256}\n\\{MD5}  \\t\n").as_bytes(),
    );
    let options = Options { assumed: vec![algorithm("sha256")], format: Some(Format::Sums), ..Options::default() };
    let items = items_with(&list, &options);
    assert_eq!(items.len(), 14);
    for (line, item) in &items {
        assert!(matches!(item, Item::Fault(_)), "line {line}: {item:?}");
    }
    assert_eq!(items[0].1, Item::Fault(Fault::WrongLength));
    assert_eq!(items[6].1, Item::Fault(Fault::WrongLength), "an SHA-1 digest is none of SHA-256");
    assert_eq!(items[9].1, Item::Fault(Fault::WrongLength));
    assert_eq!(items[10].1, Item::Fault(Fault::Unasked));
}

#[test]
fn what_is_assumed_goes_before_what_is_usual() {
    let list = format!("{SHA256}  name\n");
    let options =
        Options { assumed: vec![algorithm("md5"), algorithm("sha3-256"), algorithm("sha256")], ..Options::default() };
    let [(1, Item::Entry(entry))] = &items_with(list.as_bytes(), &options)[..] else { panic!("one entry") };
    assert_eq!(entry.digests[0].algorithm(), algorithm("sha3-256"));
}

#[test]
fn marks_and_utf16() {
    let list = format!("{SHA256}  caf\u{e9}\r\n{MD5}  b");
    let expected = [(1, entry("caf\u{e9}".as_bytes(), "sha256", b"abc")), (2, entry(b"b", "md5", b"abc"))];
    assert_eq!(items(list.as_bytes()), expected);
    assert_eq!(items(format!("\u{feff}{list}").as_bytes()), expected);
    let units = || format!("\u{feff}{list}").encode_utf16().collect::<Vec<u16>>();
    assert_eq!(items(&units().iter().flat_map(|unit| unit.to_le_bytes()).collect::<Vec<u8>>()), expected);
    assert_eq!(items(&units().iter().flat_map(|unit| unit.to_be_bytes()).collect::<Vec<u8>>()), expected);
    let deep = format!("\u{feff}%%%% HASHDEEP-1.0\r\n%%%% size,md5,sha256,filename\r\n## \r\n3,{MD5},{SHA256},a,b\r\n");
    let wide: Vec<u8> = deep.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let [(4, Item::Entry(found))] = &items(&wide)[..] else { panic!("one entry") };
    assert_eq!((found.name.as_slice(), found.size, found.digests.len()), (&b"a,b"[..], Some(3), 2));
}

#[test]
fn hashdeep_headers() {
    let faults =
        |text: &str| items_with(text.as_bytes(), &Options { format: Some(Format::Hashdeep), ..Options::default() });
    assert!(matches!(faults(&format!("3,{MD5},a\n"))[..], [(1, Item::Fault(_))]));
    let head = "%%%% HASHDEEP-1.0\n%%%% size,snefru,md5,filename\n";
    let found = faults(&format!("{head}3,rubbish,{MD5},a\nx,y,{MD5},a\n3,x,{SHA1},a\n3,x\n-3,x,{MD5},a\n3,x,{MD5},\n"));
    assert!(matches!(&found[0], (3, Item::Entry(entry)) if entry.digests.len() == 1));
    assert_eq!(found.len(), 6);
    assert!(found[1..].iter().all(|(_, item)| matches!(item, Item::Fault(_))), "{found:?}");
    assert!(matches!(
        faults("%%%% HASHDEEP-2.0\n%%%% size,filename\n%%%% size,snefru,filename\n")[..],
        [
            (1, Item::Fault(Fault::Malformed(_))),
            (2, Item::Fault(Fault::Malformed(_))),
            (3, Item::Fault(Fault::UnknownAlgorithm(_)))
        ]
    ));
}

#[test]
fn xml_that_expands_or_is_cut_off() {
    let start = "<dfxml xmlns='x'><fileobject><filename>a</filename><hashdigest type='MD5'>";
    let end = "</hashdigest></fileobject></dfxml>";
    assert!(matches!(&items(format!("{start}{MD5}{end}").as_bytes())[..], [(1, Item::Entry(_))]));
    for bad in [
        format!("<!DOCTYPE d [<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]>{start}{MD5}{end}"),
        format!("<!DOCTYPE d SYSTEM 'file:///etc/passwd'>{start}{MD5}{end}"),
        format!("{start}&xxe;{end}"),
        format!("{start}&#0;{end}"),
        format!("{start}{MD5}"),
        format!("<html>{MD5}</html>"),
        format!("{start}{MD5}</wrong>"),
        format!("{start}{}{end}", &MD5[1..]),
        "<".repeat(2000),
        "<dfxml>".repeat(2000),
        String::from("<"),
    ] {
        let items = items_with(bad.as_bytes(), &Options { format: Some(Format::Dfxml), ..Options::default() });
        assert!(matches!(&items[..], [(_, Item::Fault(_))]), "{bad:.80}: {items:?}");
    }
    // One bad object does not spoil the next.
    let two = format!(
        "{start}bad</hashdigest></fileobject><fileobject><filename>b</filename><hashdigest type='md5'>{MD5}{end}"
    );
    assert!(matches!(&items(two.as_bytes())[..], [(_, Item::Fault(_)), (_, Item::Entry(_))]));
}

/// `length` bytes of one value.
struct Endless {
    left: u64,
    block: [u8; 65536],
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let read = available.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for Endless {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        Ok(&self.block[..usize::try_from(self.left).unwrap_or(usize::MAX).min(self.block.len())])
    }

    fn consume(&mut self, amount: usize) {
        self.left -= amount as u64;
    }
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("procfs");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace().nth(1).expect("a number").parse().expect("a number")
}

/// Runs a test in a process of its own, whose peak is that of no other test: true in that process,
/// false once it has passed there.
fn is_alone(name: &str) -> bool {
    if std::env::var_os("PFH_ALONE").is_some() || std::env::var_os("PFH_EMULATOR").is_some() {
        return true;
    }
    let program = std::env::current_exe().expect("this program");
    let mut child = std::process::Command::new(program);
    let ran = child.args([name, "--exact"]).env("PFH_ALONE", "1").output().expect("run");
    let said = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success() && said.contains("1 passed"), "{said}{}", String::from_utf8_lossy(&ran.stderr));
    false
}

/// Asserts that since the peak was `before` less than 8 MiB were taken.
fn assert_bounded(before: u64) {
    let after = peak_kib();
    // An emulator's translations are counted with the program: 94 MiB were seen under qemu-user.
    let emulated = std::env::var_os("PFH_EMULATOR").is_some();
    assert!(emulated || after < before + 8 * 1024, "{before} KiB before, {after} KiB after");
}

#[test]
fn a_gibibyte_without_a_line_end() {
    if !is_alone("hostile::a_gibibyte_without_a_line_end") {
        return;
    }
    let before = peak_kib();
    for format in Format::ALL {
        let byte = if format == Format::Dfxml { b'<' } else { b'a' };
        let start = format!("{MD5}  a\n");
        let endless = start.as_bytes().chain(Endless { left: 1 << 30, block: [byte; 65536] }).chain(&b"\nlast\n"[..]);
        let options = Options { format: Some(format), ..Options::default() };
        let items: Vec<Item> =
            Decoder::open(endless, &options).expect("memory").map(|item| item.expect("memory").item).collect();
        match format {
            Format::Sums | Format::Bsd => {
                assert!(
                    matches!(&items[..], [Item::Entry(_), Item::Fault(Fault::TooLong), Item::Fault(_)]),
                    "{items:?}"
                );
            }
            Format::Dfxml => assert!(matches!(&items[..], [Item::Fault(_)]), "{items:?}"),
            _ => assert!(
                matches!(&items[..], [Item::Fault(_), Item::Fault(Fault::TooLong), Item::Fault(_)]),
                "{format}: {items:?}"
            ),
        }
    }
    assert_bounded(before);
}

#[test]
fn a_gibibyte_without_a_line_end_in_sets_of_others() {
    if !is_alone("hostile::a_gibibyte_without_a_line_end_in_sets_of_others") {
        return;
    }
    use pfh_manifest::known::{Kind, Options, read};
    use std::ops::ControlFlow;
    let before = peak_kib();
    for (kind, start, expected) in [
        (Kind::List, format!("{MD5}\n"), &[(1, true), (2, false), (3, false)][..]),
        (Kind::Table, format!("MD5,name\n{MD5},x\n"), &[(2, true), (3, false), (4, false)]),
        (Kind::Vics, format!("{{\"value\":[{{\"MD5\":\"{MD5}\"}},{{\"MD5\":\""), &[(1, true), (2, false)]),
    ] {
        let endless = start.as_bytes().chain(Endless { left: 1 << 30, block: [b'a'; 65536] }).chain(&b"\nlast\n"[..]);
        let mut items = Vec::new();
        let options = Options { kind: Some(kind), ..Options::default() };
        let read = read(endless, &options, &mut |line, record| {
            items.push((line, record.is_ok()));
            assert!(record.is_ok() || line > 2 || record == Err(Fault::TooLong), "{record:?}");
            ControlFlow::Continue(())
        });
        assert_eq!((read.expect("memory"), &items[..]), (kind, expected));
    }
    assert_bounded(before);
}

/// Lists of every reader that finds its form by itself, one of each.
fn samples() -> Vec<String> {
    let rule = format!("SHA256{:68}Size  Name\n{} {}  ----", "", "-".repeat(64), "-".repeat(13));
    vec![
        format!("#mtree\n/set type=file\nd type=dir\n  a\\040b md5={MD5} \\\n size=3\n..\n"),
        format!(
            "AIDE found differences\n\nFile: /a\n  MD5       : x | {}\n              y | {}\n",
            &MD5[..16],
            &MD5[16..]
        ),
        format!("<!DOCTYPE html><script><</script><table><tr><td>MD5<td>{MD5}<tr><td>Name<td>a&amp;&#x41;</table>"),
        format!("| File | MD5 |\n|---|---|\n| [a](b) | `{MD5}` |\n"),
        format!("{rule}\n{}{}  a\n", "0".repeat(64), "             3"),
        format!("[[file]]\nname = \"a\"\nmd5 = \"{MD5}\"\n"),
        format!("2026-01-01 3 {MD5} *a b\n2026-01-01 3 {MD5} *c\n"),
        format!("{{\"a.b\":\"{MD5}\",\"c/d\":{{\"md5\":\"{MD5}\"}}}}"),
        format!("Hashes [hex] for a:\n\tHash (md5):\t\t{MD5}\n"),
        format!("\"a\" = \"{MD5}\"\n\"b\" = \"{MD5}\"\n"),
        "a,3,352441C2,\n".to_owned(),
        "2411870610 2 ./a\n".to_owned(),
        format!("MD5 \u{7684} a b \u{54c8}\u{5e0c}:\r\n{MD5}\r\nCertUtil: -hashfile \u{5b8c}\r\n"),
        format!("<html><a href=\"magnet:?xt=urn:md5:{MD5}&amp;dn=a+b\">a</a><a href='ed2k://|file|a|3|{MD5}|/'>"),
        format!("{MD5}  a\nb\0MD5 (c) = {MD5}\0"),
        format!("{MD5}|a|1-1-1|r/rrwx|0|0|3|1|1|1|1\n"),
        format!("## a.bin\n\nMD5: `{MD5}`\n\nb/c:\n  MD5: {MD5}\n"),
        format!("a.x 3 {MD5}\nb.x 3 {MD5}\n"),
        format!("a (MD5: {MD5})\nb [{MD5}]\n"),
        format!("Path  Hash\n----  ----\na     {MD5}\n"),
        format!("3 {MD5} ?MD5*a\n100644 blob {SHA1}\tb\n"),
        format!("https://x/y\n  out=a\n  checksum=md5={MD5}\nhttps://x/d/g\n  dir=d\n  checksum=sha-1={SHA1}\n"),
        "{\"MessageType\":\"ListObject\",\"MessageContent\":\"{\\\"Path\\\":\\\"a\\\",\\\"ContentMD5\\\":\\\"kAFQmDzST7DWlj99KOF/cg==\\\"}\"}\n".to_owned(),
        format!("<ListBucketResult><Contents><Key>a</Key><ETag>&quot;{MD5}&quot;</ETag></Contents></ListBucketResult>"),
        format!("<mets><file CHECKSUM=\"{MD5}\" CHECKSUMTYPE=\"MD5\"><FLocat xlink:href=\"a\"/></file></mets>"),
        "md5_hash: kAFQmDzST7DWlj99KOF/cg==\nurl: a\n---\nmd5_hash: kAFQmDzST7DWlj99KOF/cg==\nurl: b\n".to_owned(),
        format!("Path,Hashes\na,\"SHA1={SHA1},MD5={MD5}\"\n"),
        format!("+------+----+\n| path | md5 |\n+------+----+\n| a | {MD5} |\n+------+----+\n"),
        format!("{{\"packages\":{{\"a\":{{\"version\":\"1\",\"md5\":\"{MD5}\"}}}},\"@graph\":[{{\"@id\":\"b\",\"md5\":\"{MD5}\"}}]}}"),
        format!("## Checksums\n\n- `a`: `{MD5}`\n"),
        format!("a.x 3 {MD5}\n"),
    ]
}

#[test]
fn cut_and_damaged_lists_of_every_form_end() {
    for sample in samples() {
        let whole = sample.as_bytes();
        let read = |bytes: &[u8]| {
            let decoder = Decoder::open(bytes, &Options { limit: 4096, ..Options::default() }).expect("memory");
            for item in decoder {
                if let Item::Entry(entry) = item.expect("memory").item {
                    assert!(!entry.name.is_empty() && !entry.name.contains(&0) && !entry.digests.is_empty());
                }
            }
        };
        (0..=whole.len()).for_each(|end| read(&whole[..end]));
        for at in 0..whole.len() {
            for byte in [0, b'\n', b'\\', b'|', b'<', b' ', b'"', 0xFF, whole[at] ^ 1] {
                let mut damaged = whole.to_vec();
                damaged[at] = byte;
                read(&damaged);
            }
        }
        // Two lists in two encodings, one behind the other.
        let utf16: Vec<u8> = sample.encode_utf16().flat_map(u16::to_le_bytes).collect();
        read(&[whole, &[0xFF, 0xFE], &utf16].concat());
    }
}

#[test]
fn a_gibibyte_without_an_end_in_pages_and_tables() {
    if !is_alone("hostile::a_gibibyte_without_an_end_in_pages_and_tables") {
        return;
    }
    let before = peak_kib();
    for sample in samples() {
        let endless = sample.as_bytes().chain(Endless { left: 1 << 30, block: [b'a'; 65536] });
        let read = Decoder::open(endless, &Options::default()).expect("memory");
        // JSON ends there, and says so; of other forms the rest is one line that is too long.
        let items = read.inspect(|item| assert!(item.is_ok(), "memory")).count();
        assert!(items < 8, "{sample}: {items}");
    }
    assert_bounded(before);
}

#[test]
fn a_million_lines_of_forms_that_are_found() {
    type Row = fn(u32) -> String;
    let forms: [(Format, Row); 4] = [
        (Format::Table, |at| format!("{at} {MD5} file {at}\n")),
        (Format::Sums, |at| format!("file{at}.x {at} {MD5}\n")),
        (Format::Sums, |at| format!("file {at} (MD5: {MD5})\n")),
        (Format::Sums, |at| format!("{MD5}  file {at}\0")),
    ];
    for (format, row) in forms {
        let list: String = (0..1_000_000).map(row).collect();
        let decoder = Decoder::open(list.as_bytes(), &Options::default()).expect("memory");
        assert_eq!(decoder.format(), format);
        let is_entry = |item: &io::Result<_>| matches!(item, Ok(LocatedItem { item: Item::Entry(_), .. }));
        assert_eq!(decoder.filter(is_entry).count(), 1_000_000, "{}", row(1));
    }
}
