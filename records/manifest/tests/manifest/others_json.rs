//! JSON as other programs write it.

use pfh_digest::{Registry, Row};
use pfh_manifest::{Decoder, Entry, Format, Item, Options};

static LISTS: [&[Row]; 2] = [&pfh_digest::ROWS, &pfh_similarity::ROWS];

const MD5: &str = "764efa883dda1e11db47671c4a3bbd9e";
const SHA256: &str = "98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4";

/// Name, size and digests of each entry; a fault by its words.
#[track_caller]
fn reads(text: &str, expected: &[&str]) {
    let decoder = Decoder::with_registry(text.as_bytes(), &Options::default(), Registry::new(&LISTS)).expect("memory");
    assert_eq!(decoder.format(), Format::Json, "{text}");
    let row = |item: Item| match item {
        Item::Entry(Entry { name, size, digests, guessed, foreign, .. }) => {
            let digests: Vec<String> =
                digests.iter().map(|digest| format!("{}:{}", digest.algorithm(), &digest.to_string()[..8])).collect();
            let size = size.map(|size| format!(" {size}")).unwrap_or_default();
            let foreign: String = foreign.iter().map(|name| format!(" ({name})")).collect();
            let name = String::from_utf8_lossy(&name).into_owned();
            format!("{name}{size} {}{}{foreign}", digests.join(" "), if guessed { "?" } else { "" })
        }
        Item::Fault(fault) => format!("! {fault}"),
        Item::Unhashed(_) => "unhashed".to_owned(),
    };
    let found: Vec<String> = decoder.map(|item| row(item.expect("memory").item)).collect();
    assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn lsjson_of_rclone() {
    let text = format!(
        r#"[
{{"Path":"d","Name":"d","Size":-1,"ModTime":"2026-01-01T00:00:00Z","IsDir":true}},
{{"Path":"d/a b","Name":"a b","Size":3,"MimeType":"x","IsDir":false,"Hashes":{{"md5":"{MD5}","sha256":"{SHA256}","quickxor":"AA=="}}}},
{{"Path":"d/none","Name":"none","Size":3,"IsDir":false}}
]"#
    );
    let missing = "! no digest of d/none";
    reads(&text, &["d/a b 3 md5:764efa88 sha256:98ea6e4f (quickxor)", missing]);
    // In base64, also with the alphabet for addresses.
    let text = r#"[{"Path":"a","Size":1,"Hashes":{"md5":"dk76iD3aHhHbR2ccSju9ng=="}},
        {"Path":"b","Hashes":{"md5":"__________________-_-w=="}}]"#;
    reads(text, &["a 1 md5:764efa88", "b md5:ffffffff"]);
}

#[test]
fn inventory_of_ocfl() {
    let text = format!(
        r#"{{"digestAlgorithm":"sha256","head":"v1","id":"x","type":"https://ocfl.io/1.1/spec/#inventory",
 "fixity":{{"md5":{{"{MD5}":["v1/content/a"]}},"snefru":{{"00":["v1/content/b"]}}}},
 "manifest":{{"{SHA256}":["v1/content/a","v1/content/b"]}},
 "versions":{{"v1":{{"created":"x","state":{{"{SHA256}":["a","b"]}}}}}}}}"#
    );
    reads(
        &text,
        &[
            "v1/content/a sha256:98ea6e4f",
            "v1/content/b sha256:98ea6e4f",
            "v1/content/a md5:764efa88",
            "! unknown algorithm snefru",
        ],
    );
    reads(r#"{"digestAlgorithm":"sha512","manifest":{}}"#, &["! an inventory without content"]);
}

#[test]
fn components_of_cyclonedx() {
    let hashes = format!(r#""hashes":[{{"alg":"SHA-256","content":"{SHA256}"}},{{"alg":"MD5","content":"{MD5}"}}]"#);
    let text = format!(
        r#"{{"bomFormat":"CycloneDX","specVersion":"1.6","metadata":{{"component":{{"type":"application","name":"x"}}}},
"components":[{{"type":"file","name":"bin/a",{hashes}}},
{{"type":"library","bom-ref":"r","name":"lib",{hashes},"components":[{{"type":"file","name":"lib/b",{hashes}}}]}},
{{"type":"library","name":"found",{hashes},"evidence":{{"occurrences":[{{"location":"usr/lib/found.so"}}]}}}}]}}"#
    );
    reads(
        &text,
        &[
            "bin/a sha256:98ea6e4f md5:764efa88",
            "lib/b sha256:98ea6e4f md5:764efa88",
            "! digests of a component, not of a file",
            "usr/lib/found.so sha256:98ea6e4f md5:764efa88",
        ],
    );
}

#[test]
fn feeds_by_the_names_of_their_members() {
    reads(&format!(r#"[{{"file_name":"a","sha256":"{SHA256}","size":7}}]"#), &["a 7 sha256:98ea6e4f"]);
    reads(&format!(r#"{{"data":{{"files":[{{"path":"x/a","MD5":"{MD5}"}}]}}}}"#), &["x/a md5:764efa88"]);
    let lines =
        format!("{{\"filename\":\"a\",\"hash\":\"{MD5}\"}}\n{{\"filename\":\"b\",\"digest\":\"sha256:{SHA256}\"}}\n");
    reads(&lines, &["a md5:764efa88?", "b sha256:98ea6e4f"]);
    reads(&format!(r#"[{{"path":"a","algorithm":"SHA-256","checksum":"{SHA256}"}}]"#), &["a sha256:98ea6e4f"]);
    reads(&format!(r#"[{{"path":"\ufffd","path_b64":"/w==","md5":"{MD5}"}}]"#), &["\u{fffd} md5:764efa88"]);
    let two = format!(r#"[{{"path":"a","path_b64":"/w==","md5":"{MD5}"}}]"#);
    reads(&two, &["! path and path_b64 are two names"]);
    reads(&format!(r#"[{{"md5":"{MD5}"}}]"#), &["! digests of a thing without a name, not of a file"]);
    reads(r#"[{"path":"a","md5":"0123"}]"#, &["! digest of a wrong length"]);
    reads(&format!(r#"[{{"path":"a","hashes":{{"snefru":"{MD5}"}}}}]"#), &["! unknown algorithm snefru"]);
    reads(r#"{"title":"no list"}"#, &["! no list that is understood: JSON without digests of files"]);
    let cut = format!(r#"[{{"path":"a","md5":"{MD5}"}},{{"path":"b","#);
    reads(&cut, &["a md5:764efa88", "! not JSON, or cut off"]);
    let long = Options { limit: 10, ..Options::default() };
    let found = Decoder::open(cut.as_bytes(), &long).unwrap().map(|item| item.unwrap().item);
    assert!(found.eq([Item::Fault(pfh_manifest::Fault::TooLong)]));
    reads(&"[".repeat(100_000), &["! not JSON, or cut off"]);
}
