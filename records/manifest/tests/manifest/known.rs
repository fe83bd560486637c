//! Sets as others write them, made here from their published layouts; and faults in them.

use std::io::BufReader;
use std::ops::ControlFlow;

use pfh_digest::{Algorithm, Digest};
use pfh_manifest::known::{Kind, KnownFile, Options, read};
use pfh_manifest::{Fault, Format};
use proptest::prelude::*;

fn algorithm(name: &str) -> Algorithm {
    name.parse().expect("a known algorithm")
}

/// The contents of a set: its kind, and each line's record or fault.
type All = (Kind, Vec<(u64, Result<KnownFile, Fault>)>);

fn all(input: &[u8]) -> All {
    all_with(input, &Options::default())
}

fn all_with(input: &[u8], options: &Options) -> All {
    let mut items = Vec::new();
    let kind = read(BufReader::with_capacity(3, input), options, &mut |line, item| {
        items.push((line, item));
        ControlFlow::Continue(())
    });
    (kind.expect("memory"), items)
}

/// Digests and tag of every record; panics at a fault.
fn good(input: &[u8], kind: Kind) -> Vec<(Vec<String>, Option<String>)> {
    let (found, items) = all(input);
    assert_eq!(found, kind);
    items
        .into_iter()
        .map(|(line, item)| item.unwrap_or_else(|fault| panic!("line {line}: {fault}")))
        .map(|known| (known.digests.iter().map(|digest| format!("{digest:?}")).collect(), known.tag))
        .collect()
}

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn both() -> Vec<String> {
    vec![format!("sha1={SHA1}"), format!("md5={MD5}")]
}

/// Lists of Windows programs, as they are and as PowerShell's `>` stores them.
#[test]
fn lists_of_windows() {
    let base64 = |hex: &str| data_encoding::BASE64.encode(&data_encoding::HEXLOWER.decode(hex.as_bytes()).unwrap());
    let (md5, sha1) = (MD5.to_ascii_uppercase(), SHA1.to_ascii_uppercase());
    let sums = vec![format!("md5={MD5}")];
    let turned = vec![format!("md5={MD5}"), format!("sha1={SHA1}")];
    let deep = "%%%% HASHDEEP-1.0\r\n%%%% size,md5,sha1,filename\r\n## Invoked from: C:\\cases\r\n";
    let fciv =
        format!("<FILE_ENTRY><name>c:\\a</name><MD5>{}</MD5><SHA1>{}</SHA1></FILE_ENTRY>", base64(MD5), base64(SHA1));
    let manifest = Kind::Manifest;
    for (text, kind, digests) in [
        (format!("MD5,SHA1,FileNames\r\n\"{MD5}\",\"{SHA1}\",\"x.E01\\[root]\\a:s\"\r\n"), Kind::Table, &turned),
        (format!("{deep}3,{MD5},{SHA1},C:\\cases\\a\r\n"), manifest(Format::Hashdeep), &turned),
        (format!("<?xml version=\"1.0\"?><FCIV>{fciv}</FCIV>"), manifest(Format::Dfxml), &turned),
        (format!("{md5} *C:\\sub\\a\r\n"), Kind::List, &sums),
        (format!("MD5 hash of C:\\sub\\a:\r\n{md5}\r\nCertUtil: done\r\n"), manifest(Format::Certutil), &sums),
        (
            format!("\r\nAlgorithm : MD5\r\nHash      : {md5}\r\nPath      : C:\\a\r\n"),
            manifest(Format::Filehash),
            &sums,
        ),
        (
            format!("\"Algorithm\",\"Hash\",\"Path\"\r\n\"SHA1\",\"{sha1}\",\"C:\\a\"\r\n"),
            Kind::Table,
            &turned[1..].to_vec(),
        ),
    ] {
        let marked = |bytes: fn(u16) -> [u8; 2]| {
            std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(bytes).collect::<Vec<u8>>()
        };
        for bytes in [text.clone().into_bytes(), marked(u16::to_le_bytes), marked(u16::to_be_bytes)] {
            assert_eq!(good(&bytes, kind), [(digests.clone(), None)], "{text}");
        }
    }
}

#[test]
fn rds_2() {
    let (sha1, md5) = (SHA1.to_ascii_uppercase(), MD5.to_ascii_uppercase());
    let new = format!(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"SpecialCode\"\r\n\
         \"{sha1}\",\"{md5}\",\"E32A12F9\",\"a,\"\"b\"\".dll\",29456,3192,\"WIN\",\"\"\r\n\
         \"{sha1}\",\"{md5}\",\"E32A12F9\",\"evil\",1,2,\"WIN\",\"M\"\r\n"
    );
    assert_eq!(good(new.as_bytes(), Kind::Table), [(both(), None), (both(), Some("special code M".to_owned()))]);
    let old = format!(
        "\"SHA-1\",\"FileName\",\"FileSize\",\"ProductCode\",\"OpSystemCode\",\"MD4\",\"MD5\",\"CRC32\",\"SpecialCode\"\n\
         \"{sha1}\",\"x\",1,2,\"WIN\",\"31D6CFE0D16AE931B73C59D7E0C089C0\",\"{md5}\",\"E32A12F9\",\"\"\n"
    );
    // MD4 is an algorithm like any other since its lines are verified as well.
    let mut with_md4 = both();
    with_md4.insert(1, "md4=31d6cfe0d16ae931b73c59d7e0c089c0".to_owned());
    assert_eq!(good(old.as_bytes(), Kind::Table), [(with_md4, None)]);
}

#[test]
fn other_tables() {
    let keeper = format!(
        "\"file_id\",\"hashset_id\",\"file_name\",\"directory\",\"hash\",\"file_size\",\"date_modified\",\"time_modified\",\"time_zone\",\
         \"comments\",\"date_accessed\",\"time_accessed\"\n1,2,\"a\",\"\\\",\"{MD5}\",3,,,,,,\n"
    );
    assert_eq!(good(keeper.as_bytes(), Kind::Table), [(vec![format!("md5={MD5}")], None)]);
    let ilook = format!(
        "V3Hash,HashSHA1,FileName,FilePath,FileSize,HashSHA256,HashSHA384,HashSHA512\n{MD5},{SHA1},a,b,3,{SHA256},,\n"
    );
    assert_eq!(
        good(ilook.as_bytes(), Kind::Table),
        [(vec![format!("md5={MD5}"), format!("sha1={SHA1}"), format!("sha256={SHA256}")], None)]
    );
    // Where SHA-1 is asked for, the MD5 beside it is not a fault; alone it is.
    let by_sha1 = Options { assumed: vec![algorithm("sha1")], ..Options::default() };
    let (_, items) = all_with(ilook.as_bytes(), &by_sha1);
    let names: Vec<_> =
        items[0].1.as_ref().expect("a record").digests.iter().map(|digest| digest.algorithm()).collect();
    assert_eq!(names, ["sha1", "sha256"].map(algorithm));
    assert_eq!(all_with(keeper.as_bytes(), &by_sha1).1, [(2, Err(Fault::WrongLength))]);
    let first = format!(
        "V1Hash,HashType,SetDescription,FileName,FilePath,FileSize\r\n{},?,set,a,b,3\r\n{SHA1},?,\"a, set\",a,b,3\r\nx,?,set,a,b,3\r\n",
        MD5.to_ascii_uppercase()
    );
    let (kind, items) = all(first.as_bytes());
    let found: Vec<_> =
        items.iter().map(|(line, item)| (*line, item.as_ref().map(|known| &known.digests[..]))).collect();
    let [md5, sha1] = ["md5", "sha1"].map(|name| [algorithm(name).digest(b"abc")]);
    assert_eq!((kind, &found[..2]), (Kind::Table, &[(2, Ok(&md5[..])), (3, Ok(&sha1[..]))][..]));
    assert!(found.len() == 3 && found[2].1.is_err(), "{found:?}");
    let icse = format!(
        "MD5;SHA1;PhotoDNA;Image ID;Is distributed;Victim identified;Offender identified;Series name;Number of submissions;\
         File Available;Media Type;Baseline\n{MD5};{SHA1};x,y;1;;;;;;;;True\n"
    );
    assert_eq!(
        good(icse.as_bytes(), Kind::Table),
        [(vec![format!("md5={MD5}"), format!("sha1={SHA1}")], Some("baseline True".to_owned()))]
    );
    assert_eq!(
        good(format!("SHA-1\tx\n{SHA1}\ty\n\n\t\n").as_bytes(), Kind::Table),
        [(vec![format!("sha1={SHA1}")], None)]
    );
}

/// Feeds of indicators: a column of kinds beside that of values, some of them digests.
#[test]
fn feeds_of_indicators() {
    for text in [
        format!(
            "Indicator type,Indicator,Description\ndomain,x.example,\nFileHash-SHA1,{SHA1},\nFileHash-MD5,{MD5},x\n"
        ),
        format!("uuid,type,value,to_ids\n\"a\",\"filename|sha1\",\"x.exe|{SHA1}\",1\n\"b\",\"md5\",\"{MD5}\",1\n"),
        format!(
            "# \"id\",\"ioc_value\",\"ioc_type\"\n\"1\", \"http://x/\", \"url\"\n\"2\", \"{SHA1}\", \"sha1_hash\"\n\"3\", \"{MD5}\", \"md5_hash\"\n"
        ),
        format!(
            "IndicatorType,IndicatorValue,Action\nFileSha1,{SHA1},Block\nIpAddress,10.0.0.1,Block\nFileMd5,{MD5},Block\n"
        ),
        format!("type\tvalue\nhash\t{SHA1}\nemail\tx@example\nfile_hash\t{MD5}\nfile\tx.exe\n"),
        format!("type,value\n,x.example\n,{SHA1}\nhash,{MD5}\n"),
    ] {
        let found: Vec<String> =
            good(text.as_bytes(), Kind::Table).into_iter().flat_map(|(digests, _)| digests).collect();
        assert_eq!(found, both(), "{text}");
        // Cut off or damaged anywhere it ends, and has no other digests.
        let whole = text.as_bytes();
        for at in 0..whole.len() {
            let digests = |bytes: &[u8]| {
                all(bytes).1.into_iter().filter_map(|(_, item)| Some(item.ok()?.digests.len())).sum::<usize>()
            };
            assert!(digests(&whole[..at]) <= 2, "{at}: {text}");
            for byte in [0, 0xff, b'\n', b'"', b',', b'|', b'#'] {
                let mut damaged = whole.to_vec();
                damaged[at] = byte;
                assert!(digests(&damaged) <= 2, "{at} {byte}: {text}");
            }
        }
    }
    // A digest that nobody here computes is a fault, and a digest of another length too.
    let text = format!("type,value\nimphash,{MD5}\nmd5,{SHA1}\nurl,x\n");
    let items = all(text.as_bytes()).1;
    assert!(matches!(&items[..], [(2, Err(Fault::UnknownAlgorithm(_))), (3, Err(_))]), "{items:?}");
}

#[test]
fn broken_tables() {
    let table = format!(
        "\"SHA-1\",\"MD5\",\"CRC32\",\"FileName\"\n\"{SHA1}\"\n\"{SHA1}\",\"{SHA1}\",\"\",\"x\"\n\"{SHA1}\",\"{MD5}\",\"\",\"x\n{SHA1},{MD5},,x\0y\n"
    );
    let (_, items) = all(table.as_bytes());
    let lines: Vec<(u64, bool)> = items.iter().map(|(line, item)| (*line, item.is_ok())).collect();
    assert_eq!(lines, [(2, false), (3, true), (3, false), (4, false), (5, true)]);
}

#[test]
fn lists() {
    let list = format!(
        "{SHA1}\n{MD5}  name\n{SHA256} *name\nMD5 (a) = {MD5}\n         6  {MD5}  name\n         6, {MD5},name\n{MD5} 2026:11:21:02:06:33  n\n\
         {MD5}  \n{MD5},name\n\"{SHA1}\"\n# comment\n\n{MD5}|0000000000000042\n\\{SHA1}  a\\nb\n"
    );
    let (kind, items) = all(list.as_bytes());
    assert_eq!(kind, Kind::List);
    assert_eq!(items.len(), 12);
    for (line, item) in items {
        let known = item.unwrap_or_else(|fault| panic!("line {line}: {fault}"));
        assert_eq!(known.digests, [known.digests[0].algorithm().digest(b"abc")]);
    }
    let index = format!("{zeros}0|nsrl\n{zeros}1|NSRLFile.txt\n{SHA1}|0000000000000120\n", zeros = "0".repeat(39));
    assert_eq!(good(index.as_bytes(), Kind::List), [(vec![format!("sha1={SHA1}")], None)]);
    let (_, faults) = all(format!("{}\nnothing\n{MD5}0\n6 6 {MD5}\n", &MD5[1..]).as_bytes());
    assert!(faults.len() == 4 && faults.iter().all(|(_, item)| item.is_err()), "{faults:?}");
}

/// The signature's own lines give nothing: 64 characters of base64 have the length of a SHA-384.
#[test]
fn signed_lists() {
    let armour = "iQIzBAEBCAAdFiEEFkqdpr2/MfkmCiR4jMbXWrmGxRUFAmcQ2kYACgkQjMbXWrmG";
    let digests = [(vec![format!("sha256={SHA256}")], None), (vec![format!("sha256={SHA256}")], None)];
    for list in [format!("{SHA256}  a\n{SHA256}  b\n"), format!("SHA256 (a) = {SHA256}\nSHA256 (b) = {SHA256}\n")] {
        let clear = format!(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n{list}-----BEGIN PGP SIGNATURE-----\n\n{armour}\n{armour}\n=abcd\n-----END PGP SIGNATURE-----\n"
        );
        assert_eq!(good(clear.as_bytes(), Kind::List), digests);
        assert_eq!(good(clear.replace('\n', "\r\n").as_bytes(), Kind::List), digests);
        let signify = format!("untrusted comment: verify with x.pub\n{armour}\n{list}");
        assert_eq!(good(signify.as_bytes(), Kind::List), digests);
    }
}

#[test]
fn manifests() {
    let list = format!("%%%% HASHDEEP-1.0\n%%%% size,md5,sha256,filename\n3,{MD5},{SHA256},a\n3,{MD5},a\n");
    let (kind, items) = all(list.as_bytes());
    assert_eq!(kind, Kind::Manifest(pfh_manifest::Format::Hashdeep));
    assert!(items[0].1.as_ref().is_ok_and(|known| known.digests.len() == 2) && items[1].1.is_err());
}

fn encase(digests: &[[u8; 16]], count: u32) -> Vec<u8> {
    let mut set = b"HASH\r\n\xFF\0\x02\0\0\0\x01\0\0\0".to_vec();
    set.extend_from_slice(&count.to_le_bytes());
    set.resize(0x480, 0);
    for digest in digests {
        set.extend_from_slice(digest);
        set.extend_from_slice(&[0; 2]);
    }
    set
}

#[test]
fn encase_sets() {
    let digest: [u8; 16] = algorithm("md5").digest(b"abc").bytes().try_into().expect("16 bytes");
    let set = encase(&[digest, [7; 16]], 2);
    let (kind, items) = all(&set);
    assert_eq!((kind, items.len()), (Kind::Encase, 2));
    assert_eq!(items[0], (1, Ok(KnownFile { digests: vec![algorithm("md5").digest(b"abc")], tag: None })));
    let faults = |set: &[u8]| all(set).1.into_iter().filter(|(_, item)| item.is_err()).count();
    assert_eq!(faults(&set), 0);
    assert_eq!(faults(&set[..set.len() - 18]), 1, "cut between entries");
    assert_eq!(faults(&set[..set.len() - 1]), 1, "cut within an entry");
    assert_eq!(faults(&set[..100]), 1, "cut within the header");
}

#[test]
fn vics() {
    let media = format!(
        r#"{{"MediaID":1,"Category":1,"MD5":"{MD5}","SHA1":"{SHA1}","MediaSize":3,"IsDistributed":"false","Exifs":[{{"MD5":5}}],
        "AlternativeHashes":[{{"HashName":"PhotoDNA","HashValue":"AAAA"}},{{"HashName":"SHA256","HashValue":"{SHA256}"}}]}}"#
    );
    let hashes = vec![format!("md5={MD5}"), format!("sha1={SHA1}"), format!("sha256={SHA256}")];
    let expected = [(hashes, Some("category 1".to_owned()))];
    let old = format!(r#"{{"odata.metadata":"http://x/1.3.xml#Media","value":[{media}]}}"#);
    assert_eq!(good(old.as_bytes(), Kind::Vics), expected);
    assert_eq!(good(format!("\u{feff}{old}").as_bytes(), Kind::Vics), expected);
    let cases = format!(r#"{{"@odata.context":"x","value":[{{"CaseID":"1","Media":[{media}]}}]}}"#);
    assert_eq!(good(cases.as_bytes(), Kind::Vics), expected);
    assert_eq!(good(format!("[{media}]").as_bytes(), Kind::Vics), expected);
    // A bad item is one fault; the next stands. A document that breaks off says so.
    let (_, items) = all(format!(r#"{{"value":[{{"MD5":"12"}},{media},{{"MD5":"#).as_bytes());
    let good: Vec<bool> = items.iter().map(|(_, item)| item.is_ok()).collect();
    assert_eq!(good, [false, true, false]);
    let long = format!(r#"{{"value":[{{"Tags":"{}"}},{media}]}}"#, "x".repeat(100_000));
    let options = Options { limit: 10_000, kind: Some(Kind::Vics), ..Options::default() };
    assert_eq!(all_with(long.as_bytes(), &options).1, [(1, Err(Fault::TooLong))]);
    let (_, deep) = all(("[".repeat(100_000)).as_bytes());
    assert!(matches!(deep[..], [(1, Err(Fault::Malformed(_)))]), "{deep:?}");
}

/// Feeds of any shape, as long as the members name the digests.
#[test]
fn json_of_other_shapes() {
    let hashes = vec![format!("md5={MD5}"), format!("sha256={SHA256}")];
    let pairs = format!(r#"[{{"alg":"MD5","content":"{MD5}"}},{{"alg":"SHA-256","content":"{SHA256}"}}]"#);
    for document in [
        format!(r#"[{{"name":"a","md5":"{MD5}","sha256":"{SHA256}"}}]"#),
        format!("{{\"md5\":\"{MD5}\",\"SHA-256\":\"{SHA256}\"}}\n"),
        format!(r#"{{"meta":[{{"n":1}}],"data":[{{"attributes":{{"MD5":"{MD5}","sha_256":"{SHA256}"}}}}]}}"#),
        format!(
            r#"{{"bomFormat":"CycloneDX","components":[{{"name":"y","hashes":{pairs}}}],"dependencies":[{{"ref":"y"}}]}}"#
        ),
        format!(
            r#"{{"type":"bundle","objects":[{{"type":"file","hashes":{{"MD5":"{MD5}","SHA-256":"{SHA256}","SSDEEP":"3:a:b"}}}}]}}"#
        ),
        format!(
            r#"{{"files":[{{"checksums":[{{"algorithm":"MD5","checksumValue":"{MD5}"}},{{"algorithm":"SHA256","checksumValue":"{SHA256}"}}]}}]}}"#
        ),
    ] {
        assert_eq!(good(document.as_bytes(), Kind::Json), [(hashes.clone(), None)], "{document}");
    }
    let lines = format!("{{\"md5\":\"{MD5}\"}}\n{{\"md5\":\"{MD5}\"}}\n");
    assert_eq!(good(lines.as_bytes(), Kind::Json).len(), 2);
    assert_eq!(good(format!("[\"{MD5}\",\"{SHA1}\"]").as_bytes(), Kind::Json).len(), 2);
    // Lines that are not understood are counted: an item without a digest, a digest that is none
    // beside one that is, a line that is cut.
    let outcomes =
        |document: &str| -> Vec<bool> { all(document.as_bytes()).1.iter().map(|(_, item)| item.is_ok()).collect() };
    assert_eq!(outcomes(&format!(r#"[{{"md5":"{MD5}"}},{{"name":"x"}},"y"]"#)), [true, false, false]);
    assert_eq!(outcomes(&format!(r#"[{{"md5":"{MD5}","sha1":"n/a"}}]"#)), [true, false]);
    assert_eq!(outcomes(&format!("{{\"md5\":\"{MD5}\"}}\n{{\"md5\":\"9001")), [true, false]);
    assert_eq!(outcomes(r#"{"components":[{"hashes":[{"alg":"Streebog-256","content":"00"}]}]}"#), [false]);
    let bom =
        format!(r#"{{"components":[{{"name":"x"}},{{"name":"y","hashes":[{{"alg":"MD5","content":"{MD5}"}}]}}]}}"#);
    assert_eq!(outcomes(&bom), [true, false]);
    assert_eq!(outcomes(r#"{"data":[]}"#), [false]);
    assert_eq!(outcomes("{}{}"), [false, false]);
}

/// hashdeep's own test of iLook 4 has a row whose columns are shifted: two digests are good, the
/// third is a size.
#[test]
fn good_columns_beside_a_bad_one() {
    let table = format!("V4Hash,HashSHA1,HashSHA256,FileName\n{MD5},{SHA1},0,a\n{MD5},{SHA1},{SHA256},b\n");
    let (_, items) = all(table.as_bytes());
    let known = |item: &Result<KnownFile, Fault>| item.as_ref().map(|known| known.digests.len()).ok();
    let seen: Vec<_> = items.iter().map(|(line, item)| (*line, known(item))).collect();
    assert_eq!(seen, [(2, Some(2)), (2, None), (3, Some(3))]);
}

#[test]
fn pieces_of_md5deep_are_no_files() {
    let (_, items) = all(format!("{MD5}  a offset 0-511\n{MD5}  offset 7\n").as_bytes());
    assert_eq!(items.iter().map(|(_, item)| item.is_ok()).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn reading_ends_where_the_taker_says() {
    let list = format!("{MD5}\n{MD5}\n");
    for input in [
        list.clone().into_bytes(),
        format!(r#"[{{"MD5":"{MD5}"}},{{"MD5":"{MD5}"}}]"#).into_bytes(),
        encase(&[[1; 16], [2; 16]], 2),
    ] {
        let mut seen = 0;
        let result = read(&input[..], &Options::default(), &mut |_, _| {
            seen += 1;
            ControlFlow::Break(())
        });
        assert!(result.is_ok());
        assert_eq!(seen, 1);
    }
}

proptest! {
    #[test]
    fn anything_at_all(
        bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(&b"\n,;|\"{}[]:0123abcdefMD5SHA1 \\"[..])], 0..300),
        kind in prop::sample::select(vec![None, Some(Kind::List), Some(Kind::Table), Some(Kind::Encase), Some(Kind::Vics)]),
        table in any::<bool>(),
    ) {
        let mut input = if table { b"MD5,SHA1,Category\n".to_vec() } else { Vec::new() };
        input.extend(bytes);
        let (_, items) = all_with(&input, &Options { kind, limit: 64, ..Options::default() });
        let lines = input.split_inclusive(|&byte| byte == b'\n').count();
        // A binary set that is not even begun is one fault.
        prop_assert!(items.len() <= lines.max(input.len()).max(1));
        for (_, item) in items {
            if let Ok(known) = item {
                prop_assert!(!known.digests.is_empty());
            }
        }
    }

    #[test]
    fn lists_come_back(messages in prop::collection::vec(any::<Vec<u8>>(), 0..20)) {
        let digests: Vec<Digest> = messages.iter().enumerate()
            .map(|(n, message)| algorithm(["md5", "sha1", "sha256", "sha512"][n % 4]).digest(message)).collect();
        let list: String = digests.iter().map(|digest| format!("{digest}\n")).collect();
        let (_, items) = all_with(list.as_bytes(), &Options { kind: Some(Kind::List), ..Options::default() });
        let found: Vec<Digest> = items.into_iter().flat_map(|(_, item)| item.expect("a digest").digests).collect();
        prop_assert_eq!(found, digests);
    }

    #[test]
    fn one_physical_line_is_one_record_or_one_fault(
        lines in prop::collection::vec(prop_oneof![
            Just(String::new()),
            Just(format!("{MD5}  name")),
            Just(format!("{MD5},{SHA1},1")),
            Just(format!("\"{MD5}\",\"{SHA1}\",\"a,\"\"b\"")),
            "[0-9a-f,;\" #%|]{0,50}",
        ], 0..30),
        table in any::<bool>(),
        end in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let head = if table { "MD5,SHA1,Category" } else { "# a list" };
        let input = std::iter::once(head.to_owned()).chain(lines).map(|line| line + end).collect::<String>();
        let kind = Some(if table { Kind::Table } else { Kind::List });
        let (_, items) = all_with(input.as_bytes(), &Options { kind, ..Options::default() });
        let mut last = 0;
        for (line, _) in &items {
            prop_assert!(*line > last, "two items of line {}", line);
            last = *line;
        }
        prop_assert!(last <= input.matches('\n').count() as u64);
        // Lines that are not items by design: blank lines, comments of lists, the header, index
        // headers, records without any digest.
        for (number, line) in (1..).zip(input.lines()) {
            let named = items.iter().any(|(at, _)| *at == number);
            let digest = line.contains(MD5);
            prop_assert!(named || !digest, "line {} was passed over: {}", number, line);
        }
    }
}

#[test]
fn our_lists_say_what_they_hold_and_where_they_end() {
    let digest = algorithm("sha3-256").digest(b"abc");
    let (kind, found) = all(format!("# pfh begin algorithms=sha3-256\n{digest}  f\n# pfh end records=1\n").as_bytes());
    assert_eq!(kind, Kind::List);
    assert!(matches!(&found[..], [(2, Ok(known))] if known.digests == [digest.clone()]), "{found:?}");
    let (_, found) = all(format!("# pfh begin algorithms=snefru\n{digest}  f\n").as_bytes());
    assert!(matches!(&found[..], [(2, Err(Fault::UnknownAlgorithm(name)))] if &**name == "snefru"), "{found:?}");
    // A list that promises an end must have it.
    let line = format!("{{\"type\":\"file\",\"path\":\"f\",\"digests\":{{\"sha3-256\":\"{digest}\"}}}}\n");
    let end = "{\"type\":\"summary\",\"files\":1}\n";
    assert_eq!(all(format!("{line}{end}").as_bytes()).1.len(), 1);
    for cut in [line.clone(), format!("{line}{line}{end}")] {
        let (_, found) = all(cut.as_bytes());
        assert!(matches!(found.last(), Some((_, Err(Fault::Malformed(_))))), "{found:?}");
    }
}
