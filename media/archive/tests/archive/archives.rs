//! Archives that the usual programs make, read back member by member; and archives with false
//! statements.

use pfh_archive::Bytes;
use pfh_archive::{Format, Limits, open};
use pfh_archive::{Kind, Node};
use pfh_inject::{Need, lacks, mutants};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The programs that make the archives.
const ARCHIVERS: &[Need] = &[
    Need::Program("7z"),
    Need::Program("bzip2"),
    Need::Program("tar"),
    Need::Program("xz"),
    Need::Program("zip"),
    Need::Program("zstd"),
];

type Tree = BTreeMap<Vec<u8>, Vec<u8>>;

fn run(directory: &Path, line: &str) {
    let output = Command::new("sh").args(["-c", line]).current_dir(directory).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A tree with names and contents of several kinds.
fn tree(room: &Path) -> Tree {
    use std::os::unix::ffi::OsStrExt;
    let mut tree = Tree::new();
    let mut random = 1u64;
    let mut noise = |length: usize| -> Vec<u8> {
        let mut next = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as u8
        };
        (0..length).map(|at| if at % 3 == 0 { next() } else { b'x' }).collect()
    };
    let long = format!("t/{}/{}/deep", "d".repeat(150), "e".repeat(120));
    let names = ["t/a.txt", "t/empty", "t/sub/b.bin", "t/sub/ümlaut €", "t/bang! !/x!", "t/with\nline", &long];
    for (at, name) in names.iter().enumerate() {
        let length = [13, 0, 300_000, 70_000, 512, 1024, 5][at];
        tree.insert(name.as_bytes().to_vec(), noise(length));
    }
    for (name, content) in &tree {
        let path = room.join(std::ffi::OsStr::from_bytes(name));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    std::os::unix::fs::symlink("a.txt", room.join("t/link")).unwrap();
    tree
}

fn nodes(file: &Path) -> Vec<Result<Node, pfh_archive::Failure>> {
    let bytes: Arc<dyn Bytes> = Arc::new(std::fs::read(file).unwrap());
    listed(bytes, file.file_name().unwrap().as_encoded_bytes())
}

fn listed(bytes: Arc<dyn Bytes>, name: &[u8]) -> Vec<Result<Node, pfh_archive::Failure>> {
    let mut start = vec![0; Format::START.min(bytes.size() as usize)];
    bytes.read_exact_at(0, &mut start).unwrap();
    opened(Format::recognize(&start).expect("a format"), bytes, name)
}

fn opened(format: Format, bytes: Arc<dyn Bytes>, name: &[u8]) -> Vec<Result<Node, pfh_archive::Failure>> {
    match open(format, bytes, name, &Limits { bytes: 4 << 20, ratio: 1100, ..Limits::default() }) {
        Ok(nodes) => nodes.collect(),
        Err(failure) => vec![Err(failure)],
    }
}

fn content(node: &Node) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    let mut reader = node.content.as_ref().expect("a file").open().map_err(|failure| failure.to_string())?;
    reader.read_to_end(&mut all).map_err(|error| error.to_string())?;
    Ok(all)
}

fn files(file: &Path) -> Tree {
    let found = nodes(file).into_iter().map(|node| node.unwrap_or_else(|failure| panic!("{file:?}: {failure:?}")));
    let found = found.filter(|node| node.kind == Kind::File);
    found
        .map(|node| {
            let content = content(&node).unwrap_or_else(|error| panic!("{file:?} {node:?}: {error}", node = node.path));
            assert!(node.size.is_none_or(|size| size == content.len() as u64));
            (node.path, content)
        })
        .collect()
}

#[test]
fn what_the_usual_programs_pack_is_read_back() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let tree = tree(room.path());
    for (archive, line) in [
        ("deflate.zip", "zip -q -r -y deflate.zip t"),
        ("stored.zip", "zip -q -0 -r -y stored.zip t"),
        ("bzip2.zip", "zip -q -Z bzip2 -r -y bzip2.zip t"),
        ("streamed.zip", "zip -q -r -y - t 2>err | cat > streamed.zip; cat err >&2; test ! -s err"),
        ("sevenzips.zip", "7z a -bd -snl -mm=LZMA sevenzips.zip t"),
        ("gnu.tar", "tar --format=gnu -cf gnu.tar t"),
        ("pax.tar", "tar --format=pax -cf pax.tar t"),
        ("t.tar.gz", "tar -czf t.tar.gz t"),
        ("t.tar.bz2", "tar -cjf t.tar.bz2 t"),
        ("t.tar.xz", "tar -cJf t.tar.xz t"),
        ("t.tar.zst", "tar --zstd -cf t.tar.zst t"),
        ("solid.7z", "7z a -bd -snl solid.7z t"),
        ("single.7z", "7z a -bd -snl -ms=off -mx=1 single.7z t"),
        ("plain.7z", "7z a -bd -snl -m0=copy -mhc=off plain.7z t"),
        ("filters.7z", "7z a -bd -snl -m0=bcj -m1=lzma filters.7z t"),
        ("deflate.7z", "7z a -bd -snl -m0=deflate deflate.7z t"),
        ("bzip2.7z", "7z a -bd -snl -m0=bzip2 bzip2.7z t"),
        ("bcj2.7z", "7z a -bd -snl -m0=bcj2 -m1=lzma -m2=lzma -m3=lzma -mb0:1 -mb0s1:2 -mb0s2:3 bcj2.7z t"),
    ] {
        run(room.path(), line);
        let found = files(&room.path().join(archive));
        let names =
            |tree: &Tree| tree.keys().map(|name| String::from_utf8_lossy(name).into_owned()).collect::<Vec<_>>();
        assert_eq!(names(&found), names(&tree), "{archive}");
        assert!(found == tree, "{archive}");
        let links = nodes(&room.path().join(archive)).into_iter().flatten();
        let links: Vec<Kind> = links.map(|node| node.kind).filter(|kind| matches!(kind, Kind::Link(_))).collect();
        assert_eq!(links, [Kind::Link(b"a.txt".to_vec())], "{archive}");
    }
}

#[test]
fn streams_have_one_member() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let words = "some words\n".repeat(50_000);
    std::fs::write(room.path().join("w"), &words).unwrap();
    for (file, line) in [
        ("w.gz", "gzip -k w"),
        ("w.bz2", "bzip2 -k w"),
        ("w.xz", "xz -k w"),
        ("w.zst", "zstd -q w"),
        ("two.gz", "(gzip -c w; gzip -c w; head -c 512 /dev/zero) > two.gz"),
        ("two.bz2", "(bzip2 -c w; bzip2 -c w) > two.bz2"),
        ("two.xz", "(xz -c w; xz -c w) > two.xz"),
        ("two.zst", "(zstd -qc w; printf '\\120\\052\\115\\030\\003\\000\\000\\000abc'; zstd -qc w) > two.zst"),
    ] {
        run(room.path(), line);
        let found = files(&room.path().join(file));
        let (name, content) = found.iter().next().unwrap();
        let times = if file.starts_with("two") { 2 } else { 1 };
        assert!((found.len(), content.len()) == (1, words.len() * times), "{file}: {}", content.len());
        assert_eq!(*content, words.repeat(times).into_bytes(), "{file}");
        assert_eq!(*name, file.split('.').next().unwrap().as_bytes());
        // Cut off, or with a byte changed, it is an error and no shorter content.
        let bytes = std::fs::read(room.path().join(file)).unwrap();
        let mut cases = vec![bytes[..bytes.len() * 2 / 3].to_vec(), [&bytes[..], b"more"].concat()];
        if times == 1 {
            cases.push(bytes[..bytes.len() - 1].to_vec());
        }
        let mut changed = bytes.clone();
        changed[bytes.len() / 2] ^= 0x10;
        cases.push(changed);
        for (number, case) in cases.into_iter().enumerate() {
            let node = listed(Arc::new(case), file.as_bytes()).pop().unwrap().unwrap();
            assert!(content_of(&node).is_err(), "{file}: case {number}");
        }
    }
}

fn content_of(node: &Node) -> Result<Vec<u8>, String> {
    content(node)
}

#[test]
fn sparse_files_and_hard_links_of_tar() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    run(
        room.path(),
        "mkdir s; truncate -s 3000000 s/holes; printf middle | dd of=s/holes bs=1 seek=1500000 conv=notrunc",
    );
    run(room.path(), "printf end | dd of=s/holes bs=1 seek=2900000 conv=notrunc; truncate -s 1000000 s/nothing");
    run(room.path(), "printf one > s/one; ln s/one s/two");
    let holes = std::fs::read(room.path().join("s/holes")).unwrap();
    for (archive, options) in [
        ("gnu.tar", "--format=gnu"),
        ("pax00.tar", "--format=pax --sparse-version=0.0"),
        ("pax01.tar", "--format=pax --sparse-version=0.1"),
        ("pax10.tar", "--format=pax --sparse-version=1.0"),
        ("pax10.tar.gz", "--format=pax --sparse-version=1.0 -z"),
    ] {
        run(room.path(), &format!("tar {options} -S -cf {archive} s"));
        let found = files(&room.path().join(archive));
        assert!(found[&b"s/holes"[..]] == holes, "{archive}");
        assert!(found[&b"s/nothing"[..]] == vec![0; 1_000_000], "{archive}");
        assert_eq!((&found[&b"s/one"[..]], &found[&b"s/two"[..]]), (&b"one".to_vec(), &b"one".to_vec()), "{archive}");
    }
}

#[test]
fn what_a_member_cannot_stand_behind_is_its_failure_alone() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    run(room.path(), "printf hello > a; printf world > b; head -c 100000 /dev/urandom > c");
    run(room.path(), "zip -q -P secret e.zip a; zip -q e.zip b; zip -q -0 s.zip a b c; 7z a -bd -psecret e.7z a");
    run(room.path(), "7z a -bd -psecret -mhe=on h.7z a; 7z a -bd -m0=ppmd p.7z a");
    let contents = |nodes: Vec<Result<Node, pfh_archive::Failure>>| -> Vec<Result<Vec<u8>, String>> {
        let nodes = nodes.into_iter();
        nodes.map(|node| node.map_err(|failure| failure.to_string()).and_then(|node| content(&node))).collect()
    };
    let outcomes = |bytes: Vec<u8>| contents(listed(Arc::new(bytes), b"x"));
    let read = |name: &str| std::fs::read(room.path().join(name)).unwrap();
    let encrypted = outcomes(read("e.zip"));
    assert!(encrypted[0].as_ref().unwrap_err().contains("encrypted") && encrypted[1] == Ok(b"world".to_vec()));
    for (name, word) in [("e.7z", "encrypted"), ("h.7z", "encrypted")] {
        assert!(outcomes(read(name))[0].as_ref().unwrap_err().contains(word), "{name}");
    }
    assert_eq!(outcomes(read("p.7z")), [Ok(b"hello".to_vec())]);
    // A method that is not read, in both of its places.
    let mut jpeg = read("s.zip");
    let second = jpeg.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    (jpeg[8], jpeg[second + 10]) = (96, 96);
    let found = outcomes(jpeg);
    assert!(found[0].as_ref().unwrap_err().contains("the method 96 is not read"), "{found:?}");
    assert_eq!(found[1], Ok(b"world".to_vec()));
    // A byte of the content, the CRC holds no more.
    let mut damaged = read("s.zip");
    let at = damaged.windows(5).position(|bytes| bytes == b"hello").unwrap();
    damaged[at] = b'j';
    let found = outcomes(damaged);
    assert!(found[0].as_ref().unwrap_err().contains("CRC"), "{found:?}");
    assert_eq!(found[1], Ok(b"world".to_vec()));
    // The local header says another name, or another size.
    let mut other = read("s.zip");
    other[30] = b'z';
    assert!(outcomes(other)[0].as_ref().unwrap_err().contains("another name"));
    let mut other = read("s.zip");
    other[22] = 4;
    assert!(outcomes(other)[0].as_ref().unwrap_err().contains("another size"));
    // Bytes around it are reported, and the members come.
    let around = outcomes([b"PK\x03\x04junk", &read("s.zip")[..], b"tail"].concat());
    assert_eq!(around.iter().filter(|outcome| outcome.is_err()).count(), 2, "{around:?}");
    assert_eq!(around.iter().filter(|outcome| outcome.is_ok()).count(), 3);
    // The header of a Java module and that of a Chromium extension belong to their formats.
    let zip = |bytes: Vec<u8>| contents(opened(Format::Zip, Arc::new(bytes), b"x"));
    for header in [&b"JM\x01\0"[..], b"Cr24\x03\0\0\0\x04\0\0\0sign"] {
        let module = zip([header, &read("s.zip")[..]].concat());
        assert_eq!(module.iter().filter(|outcome| outcome.is_ok()).count(), module.len(), "{module:?}");
        let longer = zip([header, b"x", &read("s.zip")[..]].concat());
        assert_eq!(longer.iter().filter(|outcome| outcome.is_err()).count(), 1, "{longer:?}");
    }
    // Two records of the directory for one member.
    let whole = read("s.zip");
    let directory = whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    let mut overlapping = whole.clone();
    overlapping.copy_within(directory + 42..directory + 46, directory + 47 + 42);
    assert!(outcomes(overlapping).iter().any(|outcome| outcome.is_err()));
    // Cut off.
    assert!(outcomes(whole[..whole.len() - 30].to_vec())[0].as_ref().unwrap_err().contains("central directory"));
    run(room.path(), "tar -cf t.tar a b c; tar -czf t.tar.gz a b c");
    let tar = read("t.tar");
    for cut in [600, 1100, 2000, 30_000] {
        let found = outcomes(tar[..cut].to_vec());
        assert!(found.last().unwrap().is_err(), "{cut}: {found:?}");
    }
    let packed = read("t.tar.gz");
    assert!(outcomes(packed[..packed.len() / 2].to_vec()).iter().any(|outcome| outcome.is_err()));
}

/// The last of more parts than a number of 16 bits counts is refused, and no more.
#[test]
fn the_last_of_65536_parts() {
    let mut zip = one_member(|_| {}, |_| {});
    let end = zip.len() - 22;
    zip[end + 4..end + 6].fill(0xFF);
    let opened = open(Format::Zip, Arc::new(zip), b"x.zip", &Limits::default());
    let failed = opened.err().expect("the other parts are missing");
    assert!(failed.cause.contains("the last of 65536 parts"), "{}", failed.cause);
}

/// A zip with one member `a`, whose local header and directory are changed before they are joined.
fn one_member(local: impl Fn(&mut Vec<u8>), central: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let content = b"content";
    let crc = crc32fast::hash(content);
    let sizes = [&crc.to_le_bytes()[..], &7_u32.to_le_bytes(), &7_u32.to_le_bytes()].concat();
    let mut header = [b"PK\x03\x04\x0a\0\0\0\0\0\0\0\0\0".as_slice(), &sizes, b"\x01\0\0\0a"].concat();
    let mut record = [b"PK\x01\x02\x0a\0\x0a\0\0\0\0\0\0\0\0\0".as_slice(), &sizes, b"\x01\0", &[0; 16], b"a"].concat();
    local(&mut header);
    central(&mut record);
    let start = (header.len() + content.len()) as u32;
    let mut end = b"PK\x05\x06\0\0\0\0\x01\0\x01\0".to_vec();
    end.extend((record.len() as u32).to_le_bytes());
    end.extend(start.to_le_bytes());
    [&header[..], content, &record, &end, &[0, 0]].concat()
}

#[test]
fn a_zip_that_contradicts_itself_gives_no_content() {
    let outcome = |zip: Vec<u8>| content(&listed(Arc::new(zip), b"x.zip").pop().unwrap().unwrap());
    assert_eq!(outcome(one_member(|_| {}, |_| {})).unwrap(), b"content");
    let other_crc = one_member(|local| local[14] ^= 1, |_| {});
    assert!(outcome(other_crc).unwrap_err().contains("another CRC"));
    // Two fields of ZIP64: readers take one or the other.
    let twice = |header: &mut Vec<u8>, at: usize| {
        let field = [&[1, 0, 8, 0][..], &7_u64.to_le_bytes()].concat();
        header[at..at + 2].copy_from_slice(&24_u16.to_le_bytes());
        header.extend(field.repeat(2));
    };
    for zip in [one_member(|local| twice(local, 28), |_| {}), one_member(|_| {}, |central| twice(central, 30))] {
        assert!(outcome(zip).unwrap_err().contains("two fields of ZIP64"));
    }
}

/// Names with contents, or with failures.
type Salvaged = Vec<(String, Result<Vec<u8>, String>)>;

/// The members that are salvaged of a zip: names with contents, and how many failures there are.
fn salvaged(zip: Vec<u8>) -> (Salvaged, usize) {
    let limits = Limits { bytes: 4 << 20, salvage: true, ..Limits::default() };
    let found: Vec<_> = open(Format::Zip, Arc::new(zip), b"x.zip", &limits).unwrap().collect();
    let failures = found.iter().filter(|node| node.is_err()).count();
    let name = |node: &Node| String::from_utf8_lossy(&node.path).into_owned();
    (found.iter().flatten().map(|node| (name(node), content(node))).collect(), failures)
}

#[test]
fn members_without_their_directory_are_salvaged_and_marked() {
    let whole = one_member(|_| {}, |_| {});
    // One that is whole has nothing to salvage.
    assert_eq!(salvaged(whole.clone()), (vec![("a".into(), Ok(b"content".to_vec()))], 0));
    let directory = whole.windows(4).position(|bytes| bytes == b"PK\x01\x02").unwrap();
    let local = &whole[..directory];
    let expected = |at: usize| (format!("a!salvaged-{at}"), Ok(b"content".to_vec()));
    // Cut off, with one member whole and one cut.
    let cut = [local, local, &local[..local.len() - 2]].concat();
    let (found, failures) = salvaged(cut);
    assert_eq!((&found[..2], failures), (&[expected(0), expected(local.len())][..], 1));
    assert!(found.len() == 3 && found[2].1.as_ref().unwrap_err().contains("ends before"), "{found:?}");
    // A local header that the directory contradicts: the name of the directory has no content.
    let (found, failures) = salvaged(one_member(|local| *local.last_mut().unwrap() = b'b', |_| {}));
    assert!(found[0].1.as_ref().unwrap_err().contains("another name") && failures == 0, "{found:?}");
    assert_eq!(found[1], ("b!salvaged-0".into(), Ok(b"content".to_vec())));
    // A directory that is damaged.
    let (found, failures) = salvaged(one_member(|_| {}, |central| central[2] = 9));
    assert_eq!((&found[..], failures), (&[expected(0)][..], 1));
    // Bytes that are not those of the CRC give an error.
    let mut torn = local.to_vec();
    *torn.last_mut().unwrap() ^= 1;
    assert!(salvaged(torn).0[0].1.as_ref().unwrap_err().contains("CRC"));
}

#[test]
fn lengths_behind_a_member_are_found() {
    let stored = b"\x4b\x4c\x4a\x06\0";
    let crc = crc32fast::hash(b"abc").to_le_bytes();
    let header = [b"PK\x03\x04\x14\0\x08\0\x08\0\0\0\0\0".as_slice(), &[0; 12], b"\x01\0\0\0a", stored].concat();
    for mark in [&b""[..], b"PK\x07\x08"] {
        let narrow = [&crc[..], &5_u32.to_le_bytes(), &3_u32.to_le_bytes()].concat();
        let wide = [&crc[..], &5_u64.to_le_bytes(), &3_u64.to_le_bytes()].concat();
        for sizes in [narrow, wide] {
            let zip = [&header, mark, &sizes, &[0; 30]].concat();
            assert_eq!(salvaged(zip), (vec![("a!salvaged-0".into(), Ok(b"abc".to_vec()))], 1));
        }
    }
    let (found, _) = salvaged([&header[..], &[7; 40]].concat());
    assert!(found[0].1.as_ref().unwrap_err().contains("states no length"), "{found:?}");
}

#[test]
fn a_bomb_is_a_failure_before_memory_or_time_is_spent() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    run(
        room.path(),
        "head -c 20000000 /dev/zero > zeros; zip -q b.zip zeros; gzip -k zeros; xz -k zeros; 7z a -bd b.7z zeros",
    );
    run(room.path(), "cat zeros zeros zeros zeros | zstd -q -19 > b.zst");
    for name in ["zeros.xz", "b.7z", "b.zst"] {
        let node = nodes(&room.path().join(name)).pop().unwrap().unwrap();
        assert!(content(&node).unwrap_err().contains("bomb"), "{name}");
    }
    // Deflate cannot reach the ratio.
    for name in ["b.zip", "zeros.gz"] {
        let node = nodes(&room.path().join(name)).pop().unwrap().unwrap();
        assert_eq!(content(&node).unwrap().len(), 20_000_000, "{name}");
    }
}

#[test]
fn mutants_end() {
    if lacks(ARCHIVERS) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    tree(room.path());
    run(
        room.path(),
        "rm -r t/sub; zip -q -r m.zip t; tar -cf m.tar t; tar -czf m.tar.gz t; 7z a -bd m.7z t; 7z a -bd -mhc=off n.7z t",
    );
    let mut random = 7u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    for name in ["m.zip", "m.tar", "m.tar.gz", "m.7z", "n.7z"] {
        let whole = std::fs::read(room.path().join(name)).unwrap();
        for _ in 0..mutants() {
            let mut bytes = whole.clone();
            for _ in 0..=next(4) {
                // Mostly where headers are.
                let length = bytes.len();
                let at = if next(2) == 0 { length - 1 - next(length.min(400)) } else { next(length) };
                bytes[at] = [0, 0xFF, 0x80, next(256) as u8][next(4)];
            }
            if next(8) == 0 {
                bytes.truncate(next(bytes.len()));
            }
            let start = bytes[..bytes.len().min(512)].to_vec();
            let Some(format) = Format::recognize(&start) else { continue };
            let limits = Limits { bytes: 1 << 20, entries: 1000, salvage: next(2) == 0, ..Limits::default() };
            let Ok(nodes) = open(format, Arc::new(bytes), b"m", &limits) else { continue };
            for node in nodes.flatten().take(2000) {
                if let Some(Ok(mut reader)) = node.content.map(|content| content.open()) {
                    let _ = std::io::copy(&mut (&mut reader).take(4 << 20), &mut std::io::sink());
                }
            }
        }
    }
}
