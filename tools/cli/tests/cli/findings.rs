//! The ids of findings through the command line, and the levels that `--level` gives them.
#![cfg(unix)]

use crate::program::Room;
use pfh::FindingId;
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::{Command, Output};

/// Findings that the scripts here do not cause, with what causes them.
const ELSEWHERE: &[(&str, &str)] = &[
    ("file/denied", "a user who is not root: faults_b_walking"),
    ("file/changed", "FUSE: faults_a_changing"),
    ("file/size", "FUSE: faults_a_reading"),
    ("file/replaced", "a directory that changes while it is walked: pfh-source trees"),
    ("file/kind", "a check, whose row says check/unread: source trees"),
    ("file/elsewhere", "a file system with placeholders"),
    ("file/stalled", "FUSE: faults_e_unending"),
    ("file/outside", "a check, whose row says check/unread: attacks"),
    ("file/system", "the portable build"),
    ("file/administrator", "Windows"),
    ("inside/slow", "time: jobs inside_decoding"),
    ("store/missing", "a server: cli remote"),
    ("store/denied", "a server: cli remote"),
    ("store/changed", "a server: cli remote"),
    ("store/truncated", "a server: cli remote"),
    ("store/name", "a server: cli remote"),
    ("store/failed", "a server: cli remote"),
    ("skip/file-system", "a second file system"),
    ("skip/directory", "a server: cli remote"),
    ("skip/attribute", "macOS"),
    ("extract/taken", "members that are one on the file system alone: pfh extract::target"),
    ("extract/target", "a refused request, which has no row"),
    ("extract/unwritten", "a full disk: cli extract"),
    ("extract/differs", "a disk that lies"),
    ("object/differs", "a server: cli remote"),
    ("object/not-compared", "a server: cli remote"),
    ("acquire/unreadable", "a disk with bad sectors: acquire_salvage"),
    ("acquire/target", "a full disk: acquire_targets"),
    ("acquire/differs", "a disk that lies: read_twice"),
    ("acquire/timestamp", "a server: acquire_stamped"),
    ("tree/unread", "a user who is not root: tree_catalogue"),
    ("storage/not-asked", "a server: audit_words"),
    ("selftest/wrong", "a machine that computes wrongly"),
    ("selftest/less-safe", "a file system that lies: cli selftest"),
    ("selftest/untried", "a file system that refuses: cli selftest"),
];

/// Findings, and the script whose rows have them. `Z` is a directory of containers.
const CASES: &[(&str, &str)] = &[
    ("file/missing", "pfh hash --json none"),
    ("file/unreadable", "pfh hash --json /proc/self/mem"),
    ("file/directory", "mkdir d; pfh hash --json d"),
    ("file/loop", "mkdir d; ln -s . d/l; echo x > d/a; pfh hash --json -r -L d"),
    ("file/special", "mkfifo p; pfh hash --json p"),
    ("file/name", r"printf 'a\0b\n' > l; pfh hash --json --files-from l"),
    ("image/damaged", r"printf 'EVF\011\015\012\377\000' > i.E01; pfh hash --json --image i.E01"),
    ("skip/link skip/special", "mkdir d; echo x > d/a; ln -s a d/l; mkfifo d/p; pfh hash --json -r d"),
    ("skip/output", "mkdir d; echo x > d/a; echo old > d/o; pfh hash --json -r --force -o d/o d; cat d/o"),
    ("skip/member", "pfh hash --json --inside --depth 1 $Z/deep.zip"),
    ("skip/container", "pfh hash --json --inside=lenient $Z/a.sit"),
    ("inside/unopened", "pfh hash --json --inside $Z/a.sit"),
    ("inside/unread", "pfh hash --json --inside $Z/crc.zip"),
    ("inside/residue", "pfh hash --json --inside $Z/residue.zip"),
    ("inside/twice", "pfh hash --json --inside $Z/twice.zip"),
    ("inside/bomb", "head -c 30000000 /dev/zero | bzip2 > a.bz2; pfh hash --json --inside --expand 1 a.bz2"),
    ("inside/password", "pfh hash --json --inside $Z/password.zip"),
    ("zip/unlisted-member", "pfh hash --json --inside $Z/unlisted.zip"),
    ("zip/around", "pfh hash --json --inside $Z/around.zip"),
    ("zip/contradiction", "pfh hash --json --inside $Z/contradiction.zip"),
    ("list/malformed", "echo x > a; sha256sum a > l; echo nonsense >> l; pfh check --json l"),
    ("list/nul", r"echo x > a; sha256sum a > l; printf 'b\0c\n' >> l; pfh check --json l"),
    (
        "list/long-line",
        r"echo x > a; sha256sum a > l; head -c 3000000 /dev/zero | tr '\0' x >> l; echo >> l; pfh check --json -m 1 l",
    ),
    ("list/digest-length", "echo x > a; sha256sum --tag a > l; echo 'SHA256 (a) = abcd' >> l; pfh check --json l"),
    (
        "list/unknown-algorithm",
        "echo x > a; sha256sum --tag a > l; echo 'SNEFRU-256 (a) = 0011223344556677' >> l; pfh check --json l",
    ),
    (
        "list/foreign",
        "echo x > a; printf '%%%%%%%% HASHDEEP-1.0\\n%%%%%%%% size,snefru,sha256,filename\\n2,x,%s,a\\n' \
         $(sha256sum a | cut -c-64) > l; pfh check --json l",
    ),
    (
        "list/member-twice",
        r#"echo x > a; pfh hash --json a > l; sed -i 's/"path":"a"/"path":"a","path":"b"/' l; pfh check --json l"#,
    ),
    (
        "list/needs-key",
        "echo x > a; echo k > k; pfh hash -a hmac-sha256 --key-file k -f bsd a > l; sha256sum --tag a >> l; \
         pfh check --json l",
    ),
    ("list/other-algorithm", "echo x > a; md5sum --tag a > l; sha256sum --tag a >> l; pfh check --json -a sha256 l"),
    (
        "list/kind",
        "echo x > a; pfh hash -f dfxml a > l; sed -i \"s|</dfxml>|<fileobject><filename>d</filename><name_type>d\
         </name_type><hashdigest type='sha256'>$(sha256sum a | cut -c-64)</hashdigest></fileobject></dfxml>|\" l; \
         pfh check --json l",
    ),
    (
        "list/no-digest",
        r#"echo x > a; printf '[{"path":"a","sha256":"%s"},{"path":"g","size":3}]' $(sha256sum a | cut -c-64) > l;
        pfh check --json l"#,
    ),
    ("list/not-understood", "echo '<rss><a/></rss>' > l; pfh check --json l"),
    ("list/failed", "echo x > a; pfh hash --json a none > l; pfh check --json l"),
    ("list/no-end", "echo x > a; pfh hash --json a > l; sed -i '$d' l; pfh check --json l"),
    ("list/count", "echo x > a; echo y > b; pfh hash --json a b > l; sed -i '/\"path\":\"a\"/d' l; pfh check --json l"),
    (
        "list/names",
        "echo x > a; echo x > c; echo y > b; pfh hash --json a b > l; sed -i 's/\"path\":\"b\"/\"path\":\"a\"/' l; \
         pfh check --json l",
    ),
    ("list/broken-off", "echo x > a; pfh hash -f dfxml a > m; head -c -20 m > l; pfh check --json l"),
    (
        "list/contradiction check/differs",
        "echo x > a; sha256sum --tag a > l; echo y > a; sha256sum --tag a >> l; pfh check --json l",
    ),
    ("check/missing", "echo x > a; echo y > b; sha256sum a b > l; rm b; pfh check --json l"),
    ("check/unread", "echo x > a; echo y > b; sha256sum a b > l; rm b; mkdir b; pfh check --json l"),
    ("check/spelling", "echo x > a; echo y > B; sha256sum a B > l; mv B b; pfh check --json l"),
    ("check/weak", "echo x > a; pfh hash -a xxh3-128 a | grep -v '^#' > l; pfh check --json l"),
    (
        "audit/times audit/modified audit/moved audit/copied audit/new audit/missing audit/unread audit/bit-rot",
        "mkdir d; for n in t m v c g r f; do echo $n$n > d/$n; done; pfh hash --json -r d > l; touch -d 2001-01-01 d/t; \
         echo more >> d/m; mv d/v d/w; cp d/c d/c2; rm d/g; echo new > d/new; touch -r d/r s; echo rr | tr r z > d/r; \
         touch -r s d/r; rm d/f; mkfifo d/f; pfh check --audit --all --json l d",
    ),
    (
        "audit/unverified",
        "mkdir -p d/s o; echo x > d/a; echo y > d/s/b; pfh hash --json -r d > l; mv d/s o/s; ln -s ../o/s d/s; \
         pfh check --audit --json l d",
    ),
    (
        "diff/metadata diff/changed diff/moved diff/copied diff/added diff/removed diff/bit-rot",
        "mkdir A; for n in t m v c g r; do echo $n$n > A/$n; done; cp -a A B; touch -d 2001-01-01 B/t; \
         echo more >> B/m; mv B/v B/w; cp B/c B/c2; rm B/g; echo new > B/new; touch -r B/r s; echo zz > B/r; \
         touch -r s B/r; pfh diff --metadata --json A B",
    ),
    ("diff/unread", "echo x > a; sha256sum a > l; md5sum a > m; pfh diff --json l m"),
    ("account/residue", "pfh list --account --json $Z/residue.zip"),
    ("account/opaque", r"printf 'LUKS\272\276\000\001' > fs; truncate -s 1M fs; pfh list --account --json fs"),
    ("account/overlap", "pfh list --account --json $Z/overlap.zip"),
    ("extract/missing", "pfh extract --json $Z/good.zip --to o none"),
    ("extract/name", "pfh extract --json $Z/names.zip --to o"),
    ("extract/limit", "pfh extract --json $Z/good.zip --to o --most-bytes 10"),
    (
        "update/bit-rot update/unread",
        "mkdir -p d/s; echo x > d/a; echo y > d/s/b; pfh hash --json -r -o l d; touch -r d/a s; echo z > d/a; touch -r s d/a; \
         mkdir o; mv d/s o/s; ln -s ../o/s d/s; pfh check --update --json l d",
    ),
    (
        "bag/invalid",
        "mkdir -p b/data; echo x > b/data/a; pfh bag create b > o; echo y >> b/data/a; pfh bag validate --json b",
    ),
    (
        "bag/incomplete bag/warning",
        "mkdir -p b/data; echo x > b/data/a; echo y > b/data/A; pfh bag create b > o; sed -i 's/: 1.0/: 1.7/' b/bagit.txt; \
         pfh bag validate --json b",
    ),
    (
        "verify/differs",
        "head -c 100000 /dev/zero > s; pfh acquire s --to i.dd > o; printf x | dd of=i.dd conv=notrunc 2>o; \
         pfh verify --json i.dd",
    ),
    (
        "verify/not-compared",
        "head -c 100000 /dev/zero > s; pfh acquire s --to i.dd > o; head -n -1 i.dd.log > x; mv x i.dd.log; \
         pfh verify --json i.dd",
    ),
    (
        "verify/signer",
        "head -c 100000 /dev/zero > s; openssl genpkey -algorithm ed25519 -out k; pfh acquire s --to i.dd --key k > o; \
         pfh verify --json i.dd",
    ),
    (
        "storage/rejected",
        "head -c 300000 /dev/zero > a; pfh tree build a > o; pfh audit commit a -o kept; pfh audit challenge kept -o c; \
         pfh audit prove c a -o p; printf xy | dd of=p bs=1 seek=300 conv=notrunc; pfh audit verify --json kept c p",
    ),
    ("verify/format", "head -c 100000 /dev/zero > i.E01; sha256sum i.E01 > i.E01.sha256; pfh verify --json i.E01"),
    ("tree/differs", "echo x > a; pfh tree build a > o; echo y > a; pfh tree check --json a"),
    (
        "tree/differs tree/added tree/removed",
        "mkdir d; echo x > d/a; echo y > d/b; pfh tree build d > o; echo z > d/a; rm d/b; echo n > d/n; pfh tree check --json d",
    ),
    ("extract/not-made", "mkdir d; echo x > d/a; ln -s a d/l; tar cf t d; pfh extract --json t --to o"),
    ("skip/link file/missing", "mkdir d; echo x > d/a; ln -s a d/l; pfh dups --json d none"),
];

fn script(room: &Room, lines: &str) -> Output {
    let of = format!("pfh() {{ {} \"$@\"; }}; Z=$PWD/z; mkdir w; cd w; {lines}", env!("CARGO_BIN_EXE_pfh"));
    Command::new("bash").args(["-c", &of]).current_dir(room.path()).output().unwrap()
}

/// Every id in a row, however deep.
fn ids(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            let id = members.get("id").and_then(Value::as_str).filter(|id| id.contains('/'));
            into.extend(id.map(str::to_owned));
            members.values().for_each(|member| ids(member, into));
        }
        Value::Array(members) => members.iter().for_each(|member| ids(member, into)),
        _ => {}
    }
}

fn found(seen: &Output) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let rows = seen.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok());
    rows.for_each(|row: Value| ids(&row, &mut all));
    all
}

/// CRC-32 of the standard for zips.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| sum >> 1 ^ if sum & 1 == 1 { 0xEDB8_8320 } else { 0 })
    })
}

/// A stored member: its local header with bytes, and its record. The directory may have other
/// flags, another name or another place.
struct Member<'a> {
    name: &'a str,
    listed: Option<&'a str>,
    flags: u8,
    place: Option<u32>,
    harm: bool,
    content: &'a [u8],
}

fn member<'a>(name: &'a str, content: &'a [u8]) -> Member<'a> {
    Member { name, listed: Some(name), flags: 0, place: None, harm: false, content }
}

fn zip(members: &[Member<'_>], front: &[u8], gap: &[u8]) -> Vec<u8> {
    let (mut bytes, mut directory, mut count) = (front.to_vec(), Vec::new(), 0_u16);
    for one in members {
        let (sum, length) = (crc32(one.content).to_le_bytes(), (one.content.len() as u32).to_le_bytes());
        let fields = |name: &str| {
            let named = (name.len() as u16).to_le_bytes();
            [&[20, 0, one.flags, 0, 0, 0, 0, 0, 0, 0][..], &sum, &length, &length, &named, &[0, 0]].concat()
        };
        let place = one.place.unwrap_or((bytes.len() - front.len()) as u32).to_le_bytes();
        let mut local = [b"PK\x03\x04", &fields(one.name)[..], one.name.as_bytes(), one.content].concat();
        if one.harm {
            *local.last_mut().unwrap() ^= 1;
        }
        bytes.extend(local);
        if let Some(listed) = one.listed {
            let record = [b"PK\x01\x02\x14\x00", &fields(listed)[..], &[0; 10], &place, listed.as_bytes()].concat();
            directory.extend(record);
            count += 1;
        }
        bytes.extend_from_slice(gap);
    }
    let start = ((bytes.len() - front.len()) as u32).to_le_bytes();
    let (length, count) = ((directory.len() as u32).to_le_bytes(), count.to_le_bytes());
    [&bytes[..], &directory, b"PK\x05\x06\0\0\0\0", &count, &count, &length, &start, &[0, 0]].concat()
}

/// The containers.
fn containers(room: &Room) {
    let content = &b"the content of a member that is stored as it is"[..];
    let noise: Vec<u8> = (0..2048_u32).map(|at| (at * 7 % 251) as u8).collect();
    let of = |name: &str, members: &[Member<'_>], front: &[u8], gap: &[u8]| {
        room.file(format!("z/{name}.zip"), &zip(members, front, gap));
    };
    of("good", &[member("a", content)], b"", b"");
    of("crc", &[Member { harm: true, ..member("a", content) }], b"", b"");
    of("residue", &[member("a", content), member("b", content)], b"", &noise);
    of("twice", &[member("a", content), member("a", b"other")], b"", b"");
    of("password", &[Member { flags: 1, ..member("a", content) }], b"", b"");
    of("around", &[member("a", content)], &noise, b"");
    of("unlisted", &[member("a", content), Member { listed: None, ..member("h", &noise) }], b"", b"");
    of("contradiction", &[Member { listed: Some("b"), ..member("a", content) }], b"", b"");
    of("names", &[member("../x", content), member("a", content), member("./a", b"other")], b"", b"");
    of("overlap", &[member("a", &noise), Member { place: Some(0), ..member("a", &noise) }], b"", b"");
    let inner = zip(&[member("a", content)], b"", b"");
    of("deep", &[member("inner.zip", &inner)], b"", b"");
    room.file("z/a.sit", b"StuffIt (c)1997-..............");
}

#[test]
fn every_finding_comes_through_the_command_line() {
    let mut all: BTreeSet<String> = ELSEWHERE.iter().map(|(id, _)| (*id).to_owned()).collect();
    let mut wrong = Vec::new();
    for (expected, lines) in CASES {
        let room = Room::new();
        containers(&room);
        let seen = script(&room, lines);
        let ids = found(&seen);
        for id in expected.split(' ').filter(|id| !ids.contains(*id)) {
            let said = [&seen.stdout[..], &seen.stderr].concat();
            wrong.push(format!("{id} is not in {ids:?} of: {lines}\n{}", String::from_utf8_lossy(&said)));
        }
        all.extend(ids);
    }
    let table: BTreeSet<String> = FindingId::ALL.iter().map(|finding| finding.id().to_owned()).collect();
    let unknown: Vec<_> = all.difference(&table).collect();
    assert!(unknown.is_empty(), "not in the table: {unknown:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unseen: Vec<_> = table.difference(&all).collect();
    assert!(unseen.is_empty(), "no test causes {unseen:?}");
}

/// The exits of a command, without a level and with each.
fn exits(room: &str, command: &str, levels: &[(&str, i32)]) {
    for (level, code) in levels {
        let place = Room::new();
        containers(&place);
        let option = if level.is_empty() { String::new() } else { format!("--level {level}") };
        let seen = script(&place, &format!("{room}; pfh {} {option}", command));
        let said = String::from_utf8_lossy(&seen.stderr);
        assert_eq!(seen.status.code(), Some(*code), "{command} {option}: {said}");
    }
}

#[test]
fn levels_change_the_exit() {
    let tree = "mkdir d; echo x > d/a; pfh hash --json -r d > l; echo new > d/n";
    exits(
        tree,
        "check --audit l d",
        &[("", 1), ("audit/new=error", 1), ("audit/new=warn", 0), ("audit/new=ignore", 0)],
    );
    let gone = "echo x > a; echo y > b; sha256sum a b > l; rm b";
    exits(gone, "check l", &[("", 1), ("check/missing=warn", 0), ("check/missing=ignore", 0)]);
    let line = "echo x > a; sha256sum a > l; echo nonsense >> l";
    exits(line, "check l", &[("", 3), ("list/malformed=warn", 0)]);
    let other = "echo x > a; md5sum --tag a > l; sha256sum --tag a >> l";
    exits(other, "check -a sha256 l", &[("", 0), ("list/other-algorithm=error", 3)]);
    let links = "mkdir d; echo x > d/a; ln -s a d/l";
    exits(links, "hash -r d", &[("", 0), ("skip/link=error", 3), ("skip/link=ignore", 0)]);
    exits("true", "hash --inside $Z/a.sit", &[("", 3), ("inside/unopened=warn", 0)]);
    exits("true", "list $Z/unlisted.zip", &[("", 3), ("zip/unlisted-member=warn", 0)]);
    exits("true", "list --account $Z/residue.zip", &[("", 3), ("account/residue=warn,inside/residue=warn", 0)]);
    let sides = "mkdir A B; echo x > A/a; cp -a A/a B/a; echo y > B/b";
    exits(sides, "diff A B", &[("", 1), ("diff/added=warn", 0)]);
    let known = "echo x > a; md5sum a > known; rm a; cp $Z/a.sit b.sit; seq 2000 > t; seq 2 2001 > u";
    exits(known, "match --inside --class bad -k known b.sit", &[("", 3), ("inside/unopened=warn", 0)]);
    exits(known, "match --sectors 512 -k known b.sit", &[("inside/unopened=warn", 2)]);
    exits(known, "compare -a ssdeep --inside t u b.sit", &[("", 3), ("inside/unopened=warn", 0)]);
    let seen = script(&Room::new(), &format!("{gone}; pfh check --level check/missing=ignore l"));
    let said = String::from_utf8_lossy(&[seen.stdout, seen.stderr].concat()).into_owned();
    assert!(!said.contains("b:") && !said.contains("could not be read"), "{said}");
    // The last one counts; a difference is none of another finding.
    exits(tree, "check --audit l d", &[("audit/new=warn,audit/new=error", 1), ("audit/missing=warn", 1)]);
    exits("echo x > a; sha256sum a > l; echo y > a", "check l", &[("check/missing=ignore", 1)]);
}

#[test]
fn levels_of_jobs_that_make_and_search() {
    let links = "mkdir d; echo x > d/a; echo x > d/b; ln -s a d/l; tar cf t d";
    exits(links, "dups d", &[("", 0), ("skip/link=error", 3), ("skip/link=ignore", 0), ("file/missing=error", 0)]);
    exits(links, "extract t --to o", &[("", 3), ("extract/not-made=warn", 0), ("extract/not-made=ignore", 2)]);
    exits("true", "extract $Z/unlisted.zip --to o", &[("", 3), ("zip/unlisted-member=warn", 0)]);
    let alike = "mkdir -p b/data; echo x > b/data/a; echo y > b/data/A";
    exits(alike, "bag create b", &[("", 0), ("bag/warning=error", 3), ("bag/warning=ignore", 2)]);
    let bag = format!("{alike}; pfh bag create b");
    exits(&bag, "bag validate b", &[("", 0), ("bag/warning=error", 3)]);
    exits(&bag, "bag update b", &[("", 0), ("bag/warning=error", 3)]);
    let signed =
        "head -c 100000 /dev/zero > s; openssl genpkey -algorithm ed25519 -out k; pfh acquire s --to i.dd --key k";
    exits(signed, "verify i.dd", &[("", 0), ("verify/signer=error", 3), ("verify/differs=error", 0)]);
    let unstamped = "head -c 100000 /dev/zero > s";
    exits(
        unstamped,
        "acquire s --to i.dd --timestamp http://127.0.0.1:9/",
        &[("", 3), ("acquire/timestamp=warn", 0), ("acquire/timestamp=ignore", 2), ("acquire/unreadable=warn", 2)],
    );
    let tree = "mkdir d; echo x > d/a; echo y > d/b; pfh tree build d";
    let grown = format!("{tree}; echo n > d/n");
    exits(
        &grown,
        "tree check d",
        &[("", 1), ("tree/added=warn", 0), ("tree/added=ignore", 0), ("tree/removed=warn", 1)],
    );
    let shrunk = format!("{tree}; rm d/b");
    exits(&shrunk, "tree check d", &[("", 1), ("tree/removed=warn", 0), ("tree/removed=ignore", 2)]);
    // A difference always counts; a check that compared nothing is incomplete.
    exits(&format!("{grown}; echo z > d/a"), "tree check d", &[("tree/added=ignore", 1)]);
    exits(&format!("{tree}; rm d/*"), "tree check d", &[("", 1), ("tree/removed=warn", 3)]);
    for command in ["tree check d", "audit verify k c a", "verify i", "dups d", "bag validate b"] {
        exits(tree, command, &[("tree/differs=warn", 2), ("storage/rejected=ignore", 2), ("no/such=warn", 2)]);
    }
}

#[test]
fn an_ignored_finding_is_in_the_rows_alone() {
    let grown = "mkdir d; echo x > d/a; pfh tree build d; echo n > d/n;";
    let text = script(&Room::new(), &format!("{grown} pfh tree check --level tree/added=ignore d"));
    assert!(!String::from_utf8_lossy(&text.stdout).contains("d/n"), "{text:?}");
    let json = script(&Room::new(), &format!("{grown} pfh tree check --json --level tree/added=ignore d"));
    let row = r#""path":"n","id":"tree/added","level":"ignore""#;
    assert!(String::from_utf8_lossy(&json.stdout).contains(row), "{json:?}");
    let link = "mkdir d; echo x > d/a; echo x > d/b; ln -s a d/l;";
    for (level, is_said) in [("error", true), ("warn", true), ("ignore", false)] {
        let text = script(&Room::new(), &format!("{link} pfh dups --level skip/link={level} d"));
        assert_eq!(String::from_utf8_lossy(&text.stderr).contains("link"), is_said, "{level}: {text:?}");
        let json = script(&Room::new(), &format!("{link} pfh dups --json --level skip/link={level} d"));
        let row = format!(r#""id":"skip/link","level":"{level}""#);
        assert!(String::from_utf8_lossy(&json.stdout).contains(&row), "{json:?}");
    }
    let defaults = "mkdir -p c/pfh; export XDG_CONFIG_HOME=$PWD/c; printf '[tree.check]\nlevel = [\"tree/added=warn\"]\n' \
                    > c/pfh/config.toml;";
    let seen = script(&Room::new(), &format!("{grown} {defaults} pfh tree check d"));
    assert_eq!(seen.status.code(), Some(0), "{seen:?}");
}

#[test]
fn what_safety_forbids_is_a_usage_error_that_says_why() {
    for (level, word) in [
        ("check/differs=ignore", "always count"),
        ("check/differs=warn", "always count"),
        ("check/unread=ignore", "always count"),
        ("file/unreadable=warn", "always count"),
        ("inside/unread=ignore", "always count"),
        ("inside/unopened=ignore", "always said"),
        ("no/such=warn", "no finding"),
        ("audit/new=loud", "not a level"),
        ("audit/new", "ID=LEVEL"),
    ] {
        let room = Room::new();
        let seen = script(&room, &format!("echo x > a; sha256sum a > l; pfh check --level {level} l"));
        let said = String::from_utf8_lossy(&seen.stderr);
        assert!(seen.status.code() == Some(2) && said.contains(word) && seen.stdout.is_empty(), "{level}: {said}");
    }
}

#[test]
fn a_finding_is_said_unless_it_is_ignored_and_is_always_a_row() {
    let tree = "mkdir d; echo x > d/a; pfh hash --json -r d > l; echo new > d/n;";
    for (level, is_said) in [("error", true), ("warn", true), ("ignore", false)] {
        let text = script(&Room::new(), &format!("{tree} pfh check --audit --level audit/new={level} l d"));
        assert_eq!(String::from_utf8_lossy(&text.stdout).contains("d/n"), is_said, "{level}: {text:?}");
        let json = script(&Room::new(), &format!("{tree} pfh check --audit --json --level audit/new={level} l d"));
        let row = format!(r#""id":"audit/new","level":"{level}""#);
        assert!(String::from_utf8_lossy(&json.stdout).matches(&row).count() == 2, "{level}: {json:?}");
    }
    // By the file of defaults, as any option.
    let defaults = "mkdir -p c/pfh; export XDG_CONFIG_HOME=$PWD/c; printf '[check]\\nlevel = [\"audit/new=warn\"]\\n' \
                    > c/pfh/config.toml;";
    let seen = script(&Room::new(), &format!("{tree} {defaults} pfh check --audit l d"));
    assert_eq!(seen.status.code(), Some(0), "{seen:?}");
}

#[test]
fn the_pages_of_findings() {
    let room = Room::new();
    let list = script(&room, "pfh help findings; rm -r ../w");
    let list = String::from_utf8_lossy(&list.stdout).into_owned();
    assert!(FindingId::ALL.iter().all(|finding| list.contains(finding.id())), "{list}");
    let one = script(&room, "pfh help finding zip/unlisted-member; rm -r ../w");
    assert!(String::from_utf8_lossy(&one.stdout).contains("--level zip/unlisted-member=warn"), "{one:?}");
    let none = script(&room, "pfh help finding zip/nothing");
    let said = String::from_utf8_lossy(&none.stderr).into_owned();
    assert!(none.status.code() == Some(2) && said.contains("zip/unlisted-member"), "{said}");
}
