//! cpio, ar, RPM packages, and the streams of LZ4, lzip, LZMA and compress: as their programs write
//! them, and with false statements.

use crate::mutated;
use pfh_archive::{Format, Limits, open};
use pfh_archive::{Kind, Node};
use pfh_inject::{Need, lacks, mutants};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

type Tree = BTreeMap<String, Vec<u8>>;
type Outcomes = Vec<(String, Result<Vec<u8>, String>)>;

fn run(room: &Path, line: &str) {
    let output = Command::new("sh").args(["-c", line]).current_dir(room).output().expect("sh");
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

fn content(node: &Node) -> Result<Vec<u8>, String> {
    let mut all = Vec::new();
    let mut reader = node.content.as_ref().expect("a file").open().map_err(|failure| failure.to_string())?;
    reader.read_to_end(&mut all).map_err(|error| error.to_string())?;
    assert!(node.size.is_none_or(|size| size == all.len() as u64));
    Ok(all)
}

fn outcomes(bytes: Vec<u8>, name: &str, limits: &Limits) -> Outcomes {
    let Some(format) = Format::recognize(&bytes[..bytes.len().min(Format::START)]) else { return Vec::new() };
    let nodes = match open(format, Arc::new(bytes), name.as_bytes(), limits) {
        Ok(nodes) => nodes,
        Err(failure) => return vec![(String::new(), Err(failure.to_string()))],
    };
    let mut found = Vec::new();
    for node in nodes {
        match node {
            Err(failure) => found.push((String::from_utf8_lossy(&failure.path).into_owned(), Err(failure.to_string()))),
            Ok(node) if node.content.is_some() => {
                found.push((String::from_utf8_lossy(&node.path).into_owned(), content(&node)));
            }
            Ok(node) => assert!(matches!(node.kind, Kind::Directory | Kind::Link(_)), "{:?}", node.kind),
        }
    }
    found
}

fn files(file: &Path) -> Tree {
    let bytes = std::fs::read(file).unwrap();
    let found = outcomes(bytes, file.file_name().unwrap().to_str().unwrap(), &Limits::default());
    found.into_iter().map(|(name, bytes)| (name, bytes.unwrap_or_else(|error| panic!("{file:?}: {error}")))).collect()
}

/// A tree with an empty file, two names of one file, and content that packs well and badly.
fn tree(room: &Path) -> Tree {
    let noise: Vec<u8> = (0..90_000_u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40) as u8).collect();
    let text: String = (0..20_000).map(|number| format!("{number}\n")).collect();
    let files = [("t/empty", Vec::new()), ("t/noise", noise), ("t/sub/text", text.into_bytes())];
    std::fs::create_dir_all(room.join("t/sub")).unwrap();
    let mut tree: Tree = files.into_iter().map(|(name, bytes)| (name.to_owned(), bytes)).collect();
    tree.iter().for_each(|(name, bytes)| std::fs::write(room.join(name), bytes).unwrap());
    std::fs::hard_link(room.join("t/noise"), room.join("t/hard")).unwrap();
    std::os::unix::fs::symlink("noise", room.join("t/link")).unwrap();
    tree.insert("t/hard".into(), tree["t/noise"].clone());
    tree
}

#[test]
fn cpio_of_every_form_is_read_back() {
    if lacks(&[Need::Program("cpio")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let tree = tree(room.path());
    for form in ["odc", "newc", "crc", "bin"] {
        run(room.path(), &format!("find t | sort | cpio -o -H {form} > {form}.cpio; gzip -kf {form}.cpio"));
        for name in [format!("{form}.cpio"), format!("{form}.cpio.gz")] {
            assert!(files(&room.path().join(&name)) == tree, "{name}");
        }
    }
    // As an initramfs has them, one behind the other.
    run(room.path(), "cat newc.cpio odc.cpio > two.cpio");
    let bytes = std::fs::read(room.path().join("two.cpio")).unwrap();
    let found = outcomes(bytes.clone(), "two.cpio", &Limits::default());
    assert_eq!(found.len(), 2 * tree.len());
    // The sum of a content, a cut, and bytes behind the end.
    let crc = std::fs::read(room.path().join("crc.cpio")).unwrap();
    let mut changed = crc.clone();
    let at = crc.windows(8).position(|window| window == b"\n100\n101").unwrap();
    changed[at + 1] = b'7';
    let found = outcomes(changed, "a", &Limits::default());
    assert_eq!(found.iter().filter(|(_, found)| found.as_ref().is_err_and(|why| why.contains("the sum"))).count(), 1);
    for (case, word) in
        [(crc[..crc.len() / 2].to_vec(), "cut off"), ([&crc[..], b"behind"].concat(), "something follows")]
    {
        let found = outcomes(case, "a", &Limits::default());
        assert!(found.last().unwrap().1.as_ref().unwrap_err().contains(word), "{word}");
    }
}

#[test]
fn streams_of_further_programs_are_read_back() {
    for (program, packed, ending) in [
        ("lz4", "lz4 -qc", "lz4"),
        ("lzip", "lzip -c", "lz"),
        ("xz", "xz -c --format=lzma", "lzma"),
        ("compress", "compress -c", "Z"),
    ] {
        if lacks(&[Need::Program(program)]) {
            continue;
        }
        let room = tempfile::tempdir().unwrap();
        let tree = tree(room.path());
        run(room.path(), &format!("{packed} t/sub/text > text.{ending}; tar -cf - t | {packed} > t.tar.{ending}"));
        let found = files(&room.path().join(format!("text.{ending}")));
        assert_eq!(found, Tree::from([("text".to_owned(), tree["t/sub/text"].clone())]), "{program}");
        assert!(files(&room.path().join(format!("t.tar.{ending}"))) == tree, "{program}");
        let bytes = std::fs::read(room.path().join(format!("text.{ending}"))).unwrap();
        let cut = outcomes(bytes[..bytes.len() / 2].to_vec(), "text", &Limits::default());
        // A stream of compress has no end of its own.
        assert!(cut[0].1.is_err() || program == "compress", "{program}");
        let limits = Limits { bytes: 1000, ratio: 1, ..Limits::default() };
        assert!(outcomes(bytes.clone(), "text", &limits)[0].1.as_ref().unwrap_err().contains("bomb"), "{program}");
        if matches!(program, "lz4" | "lzip") {
            let twice = outcomes([&bytes[..], &bytes].concat(), "text", &Limits::default());
            assert!(twice[0].1.as_ref().unwrap() == &tree["t/sub/text"].repeat(2), "{program}");
            let mut changed = bytes.clone();
            changed[bytes.len() / 2] ^= 0x10;
            assert!(outcomes(changed, "text", &Limits::default())[0].1.is_err(), "{program}");
        }
    }
    if !lacks(&[Need::Program("compress")]) {
        let room = tempfile::tempdir().unwrap();
        let tree = tree(room.path());
        for bits in [10, 12, 13, 16] {
            run(room.path(), &format!("cat t/noise t/sub/text t/noise | compress -b {bits} -c > n.Z"));
            let expected = [&tree["t/noise"][..], &tree["t/sub/text"], &tree["t/noise"]].concat();
            assert!(files(&room.path().join("n.Z"))["n"] == expected, "{bits}");
        }
        run(room.path(), "compress -b 9 -c t/noise > n.Z");
        let bytes = std::fs::read(room.path().join("n.Z")).unwrap();
        assert!(outcomes(bytes, "n", &Limits::default())[0].1.as_ref().unwrap_err().contains("differently"));
    }
}

#[test]
fn libraries_and_packages_are_read_back() {
    if lacks(&[Need::Program("ar"), Need::Program("dpkg-deb")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let tree = tree(room.path());
    run(room.path(), "cp t/noise a_name_that_is_longer_than_16_bytes.o; ar rc l.a t/sub/text t/empty a_name*");
    let found = files(&room.path().join("l.a"));
    let expected = [("text", "t/sub/text"), ("empty", "t/empty"), ("a_name_that_is_longer_than_16_bytes.o", "t/noise")];
    let expected: Tree = expected.iter().map(|(name, file)| ((*name).to_owned(), tree[*file].clone())).collect();
    assert!(found == expected);
    let archive = std::fs::read(room.path().join("l.a")).unwrap();
    // BSD's long names stand in front of the content.
    let bsd = format!("!<arch>\n{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\nlong name.o\0content", "#1/12", 0, 0, 0, 644, 19);
    assert_eq!(outcomes(bsd.into(), "a", &Limits::default()), [("long name.o".into(), Ok(b"content".to_vec()))]);
    let cut = outcomes(archive[..archive.len() - 5].to_vec(), "a", &Limits::default());
    assert!(cut.last().unwrap().1.as_ref().unwrap_err().contains("cut off"));
    run(room.path(), "mkdir -p p/DEBIAN p/usr; cp t/noise p/usr");
    run(
        room.path(),
        "printf 'Package: x\\nVersion: 1\\nArchitecture: all\\nMaintainer: m <m@x>\\nDescription: d\\n' > p/DEBIAN/control",
    );
    run(room.path(), "dpkg-deb -Zxz -b p x.deb");
    let found = files(&room.path().join("x.deb"));
    let names: Vec<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(names, ["control.tar.xz", "data.tar.xz", "debian-binary"]);
    assert_eq!(found["debian-binary"], b"2.0\n");
}

/// A package with this payload.
fn package(payload: &[u8]) -> Vec<u8> {
    let header = |indexes: u32, store: &[u8]| {
        let counts = [indexes.to_be_bytes(), (store.len() as u32).to_be_bytes()].concat();
        [b"\x8e\xad\xe8\x01\0\0\0\0".as_slice(), &counts, &vec![0; 16 * indexes as usize], store].concat()
    };
    let mut all = [b"\xed\xab\xee\xdb\x03\0".as_slice(), &[0; 90]].concat();
    all.extend(header(1, b"sum"));
    all.resize(all.len().next_multiple_of(8), 0);
    all.extend(header(2, b"names and versions"));
    all.extend(payload);
    all
}

#[test]
fn packages_of_rpm_are_read_back() {
    if lacks(&[Need::Program("cpio"), Need::Program("zstd")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let tree = tree(room.path());
    for packing in ["cat", "gzip", "bzip2", "xz", "zstd -q", "xz --format=lzma"] {
        run(room.path(), &format!("find t | cpio -o -H newc 2>/dev/null | {packing} > payload"));
        let bytes = package(&std::fs::read(room.path().join("payload")).unwrap());
        let found = outcomes(bytes.clone(), "a.rpm", &Limits::default());
        let found: Tree = found.into_iter().map(|(name, bytes)| (name, bytes.unwrap())).collect();
        assert!(found == tree, "{packing}");
        let cut = outcomes(bytes[..bytes.len() * 2 / 3].to_vec(), "a.rpm", &Limits::default());
        assert!(cut.iter().any(|(_, found)| found.is_err()), "{packing}");
    }
    let odd = outcomes(package(b"a payload of its own"), "a.rpm", &Limits::default());
    assert!(odd[0].1.as_ref().unwrap_err().contains("not read"));
    assert!(outcomes(b"\xed\xab\xee\xdb\x03".to_vec(), "a", &Limits::default())[0].1.is_err());
}

#[test]
fn a_7z_behind_a_program_is_read() {
    if lacks(&[Need::Program("7z")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let tree = tree(room.path());
    run(room.path(), "7z a -bd -snl a.7z t/noise t/sub/text > /dev/null");
    let mut program = vec![0; 1024];
    program[..2].copy_from_slice(b"MZ");
    program[0x3c] = 0x80;
    program[0x80..0x84].copy_from_slice(b"PE\0\0");
    program[0x86] = 1;
    program[0x80 + 24 + 17] = 2;
    program[0x80 + 24 + 21] = 2;
    let bytes = [&program[..], b";!@Install@!UTF-8!;", &std::fs::read(room.path().join("a.7z")).unwrap()].concat();
    let nodes = open(Format::SevenZip, Arc::new(bytes), b"setup.exe", &Limits::default()).unwrap();
    let found: Vec<Vec<u8>> =
        nodes.flatten().filter(|node| node.content.is_some()).map(|node| content(&node).unwrap()).collect();
    assert_eq!(found, [tree["t/noise"].clone(), tree["t/sub/text"].clone()]);
}

#[test]
fn mutants_end() {
    let needs = ["cpio", "ar", "lz4", "lzip", "xz", "compress"].map(Need::Program);
    if lacks(&needs) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    run(room.path(), "mkdir t; seq 1 400 > t/a; printf b > t/b; ln t/a t/c; ln -s a t/d; : > t/e");
    for line in [
        "find t | cpio -o -H newc > m1",
        "find t | cpio -o -H crc > m2",
        "find t | cpio -o -H odc > m3",
        "find t | cpio -o -H bin > m4",
        "cp t/a t/a_name_of_more_than_16_bytes; ar rc m5 t/a t/b t/a_name*",
        "lz4 -qc t/a > m6; lzip -c t/a > m7; xz -c --format=lzma t/a > m8; compress -c t/a > m9",
    ] {
        run(room.path(), line);
    }
    let mut random = 5_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (random >> 33) as usize % below
    };
    let mut seeds: Vec<Vec<u8>> =
        (1..=9).map(|at| std::fs::read(room.path().join(format!("m{at}"))).unwrap()).collect();
    seeds.push(package(&seeds[0]));
    for whole in seeds {
        for _ in 0..mutants() {
            let mut bytes = whole.clone();
            for _ in 0..=next(4) {
                let length = bytes.len();
                let at = if next(2) == 0 { next(length.min(200)) } else { next(length) };
                bytes[at] = [0, 0xFF, b'0', b'7', next(256) as u8][next(5)];
            }
            if next(8) == 0 {
                bytes.truncate(1 + next(bytes.len()));
            }
            mutated::exhaust(bytes);
        }
    }
}
