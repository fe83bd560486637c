//! Parts of a file that are proved to a holder of the root, trees that are compared, and the roots
//! and trees of other programs.

use crate::room::Room;
use crate::trees::{assert_whole, build, built, by, tree_of};
use pfh::Control;
use pfh::job::{Error, Kind};
use pfh::tree::verify::ProofPart;
use pfh::tree::{Event, Problem, beside, build as verb, diff, export, import, prove, root, verify};
use pfh_inject::{Need, digest_by, lacks, random};
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::process::Command;

fn proved(file: &Path, range: Range<u64>, output: &Path) -> Result<(), Error> {
    let mut request = prove::Request::new(file, range);
    request.output = output.into();
    request.replace = true;
    prove::run(&request, &mut |_| Ok(()), &Control::new())
}

/// The verification of a proof; the shown bytes go to `output`.
fn shown(proof: &Path, root: &[u8], output: Option<&Path>) -> Result<Result<ProofPart, String>, Error> {
    let mut request = verify::Request::new(proof, root.try_into().unwrap());
    request.output = output.map(Into::into);
    verify::run(&request, &mut |_| Ok(()), &Control::new()).map(|judged| judged.shown)
}

#[test]
fn a_part_is_proved_with_the_root_alone() {
    for algorithm in ["blake3", "sha256"] {
        let room = Room::new();
        let mut bytes = random(1, 3_000_000);
        let file = room.file("file", &bytes);
        let root = built(&file, algorithm, 16 << 10).root;
        // The one who verifies has nothing but proof and root.
        let alone = Room::new();
        let part = alone.at("part");
        proved(&file, 1_234_567..1_238_663, &part).unwrap();
        let proof = fs::read(&part).unwrap();
        assert!(proof.len() < if algorithm == "blake3" { 8 << 10 } else { 40 << 10 }, "{} bytes", proof.len());
        let found = shown(&part, &root, Some(&alone.at("bytes"))).unwrap().unwrap();
        assert_eq!((found.range, found.length), (1_234_567..1_238_663, 3_000_000));
        assert_eq!(found.parameters.function().name(), algorithm);
        assert_eq!(fs::read(alone.at("bytes")).unwrap(), &bytes[1_234_567..1_238_663]);
        // Another root, a changed byte, a cut: nothing is written.
        let mut changed = proof.clone();
        changed[1000] ^= 1;
        alone.file("changed", &changed);
        alone.file("cut", &proof[..proof.len() - 1]);
        let none = alone.at("none");
        for (part, root) in [("part", &vec![0; 32]), ("changed", &root), ("cut", &root)] {
            assert!(shown(&alone.at(part), root, Some(&none)).unwrap().is_err(), "{part}");
            assert!(!none.exists(), "{part}");
        }
        assert_eq!(shown(&alone.at("nothing"), &root, None).unwrap_err().kind(), Kind::Input);
        assert_eq!(proved(&file, 2_999_999..3_000_001, &none).unwrap_err().kind(), Kind::Request);
        // A file that is no longer that of its tree proves nothing where it differs.
        bytes[1_235_000] ^= 1;
        fs::write(&file, &bytes).unwrap();
        let error = proved(&file, 1_234_567..1_238_663, &none).unwrap_err();
        assert!(error.kind() == Kind::Negative && !none.exists(), "{error}");
        proved(&file, 1..2, &none).unwrap();
        assert_eq!(shown(&none, &root, None).unwrap().unwrap().range, 1..2);
    }
}

/// With BLAKE3 the root is the file's digest, so the output of another program is enough.
#[test]
fn the_digest_of_another_program_is_a_root() {
    let room = Room::new();
    let bytes = random(2, 500_000);
    let file = room.file("file", &bytes);
    built(&file, "blake3", 16 << 10);
    proved(&file, 0..10, &room.at("part")).unwrap();
    assert!(shown(&room.at("part"), blake3::hash(&bytes).as_bytes(), None).unwrap().is_ok());
    assert!(shown(&room.at("part"), blake3::hash(&bytes[1..]).as_bytes(), None).unwrap().is_err());
}

#[test]
fn trees_are_compared_without_their_files() {
    let room = Room::new();
    let mut bytes = random(3, 500_000);
    let a = room.file("a", &bytes);
    for place in [100_000, 116_000, 499_999] {
        bytes[place] ^= 1;
    }
    let b = room.file("b", &bytes);
    for file in [&a, &b] {
        built(file, "blake3", 16 << 10);
        fs::remove_file(file).unwrap();
    }
    let compare = |other: &Path| {
        let request = diff::Request::new(&a, other);
        diff::run(&request, &mut |_| Ok(()), &Control::new())
    };
    for other in [&b, &beside(&b)] {
        let compared = compare(other).unwrap();
        assert_eq!((&compared.differ[..], compared.is_same()), (&[98_304..131_072, 491_520..500_000][..], false));
    }
    let same = compare(&a).unwrap();
    assert_eq!((same.is_same(), same.leaves, same.algorithm.as_str()), (true, 31, "blake3"));
    let c = room.file("c", &bytes);
    built(&c, "sha256", 16 << 10);
    let other = compare(&c).unwrap_err();
    assert!(other.kind() == Kind::Input && matches!(other.find(), Some(Problem::Incomparable)), "{other}");
    assert_eq!(compare(&room.at("nothing")).unwrap_err().kind(), Kind::Input);
}

/// The row of a file's root under another program's scheme.
fn root_of(request: &root::Request) -> Result<root::Root, Error> {
    let mut row = None;
    let mut take = |event: Event<'_>| {
        if let Event::Computed(found) = event {
            row = Some(found.clone());
        }
        Ok(())
    };
    let summary = root::run(request, &mut take, &Control::new())?;
    let row = row.expect("a root");
    assert_eq!(summary.differ == 1, row.is_expected() == Some(false));
    Ok(row)
}

#[test]
fn fs_veritys_digest_is_that_of_its_own_tool() {
    if lacks(&[Need::Program("fsverity")]) {
        return;
    }
    let room = Room::new();
    let sizes = [0, 1, 4095, 4096, 4097, 128 * 4096, 128 * 4096 + 1, 5_000_000, 129 * 128 * 4096];
    for (number, length) in sizes.into_iter().enumerate() {
        let file = room.file("file", &random(number as u64, length));
        for (sha512, block, salt) in [
            (false, 4096, ""),
            (true, 4096, ""),
            (false, 1024, ""),
            (false, 4096, "0badc0de"),
            (true, 4096, "0badc0de00"),
        ] {
            let mut fsverity = Command::new("fsverity");
            fsverity.args(["digest", "--compact", &format!("--block-size={block}"), &format!("--salt={salt}")]);
            let output = fsverity.arg(if sha512 { "--hash-alg=sha512" } else { "--hash-alg=sha256" }).arg(&file);
            let output = output.output().unwrap();
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            let digest = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            let mut request = root::Request::new([&file], root::Scheme::FsVerity);
            (request.sha512, request.block, request.salt) = (sha512, block, salt.to_owned());
            let value = root_of(&request).unwrap().value;
            assert_eq!(value.rsplit(':').next(), Some(&*digest), "{length} bytes, {block}, {salt}");
        }
    }
}

#[test]
fn the_values_of_s3_and_glacier_are_computed_and_compared() {
    let room = Room::new();
    let bytes = random(5, 10_000_000);
    let file = room.file("object", &bytes);
    // MD5 of the parts' MD5, by coreutils.
    let part = |bytes: &[u8]| {
        let digits = digest_by("md5sum", bytes);
        (0..16).map(|i| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap()).collect::<Vec<u8>>()
    };
    let etag = format!("{}-2", digest_by("md5sum", &[part(&bytes[..5 << 20]), part(&bytes[5 << 20..])].concat()));
    let mut request = root::Request::new([&file], root::Scheme::S3Etag);
    request.part = 5 << 20;
    // As the service quotes it.
    for (expect, is_expected) in
        [(None, None), (Some(format!("\"{etag}\"")), Some(true)), (Some("abc-2".into()), Some(false))]
    {
        request.expect = expect;
        let row = root_of(&request).unwrap();
        assert_eq!((&row.value, row.is_expected()), (&etag, is_expected));
    }
    (request.part, request.expect) = (16 << 20, None);
    assert_eq!(root_of(&request).unwrap().value, digest_by("md5sum", &bytes));
    // One leaf of Glacier is SHA-256.
    let leaf = room.file("leaf", &bytes[..1 << 20]);
    let glacier = root_of(&root::Request::new([&leaf], root::Scheme::Glacier)).unwrap();
    assert_eq!(glacier.value, digest_by("sha256sum", &bytes[..1 << 20]));
    let missing = root::Request::new([room.at("nothing")], root::Scheme::Glacier);
    assert_eq!(root::run(&missing, &mut |_| Ok(()), &Control::new()).unwrap().failed, 1);
    let mut block = root::Request::new([&leaf], root::Scheme::FsVerity);
    block.block = 5000;
    assert!(matches!(root_of(&block).unwrap_err().find(), Some(Problem::Block)));
}

#[test]
fn baos_outboard_goes_out_and_comes_in() {
    let room = Room::new();
    let bytes = random(6, 1_000_000);
    let file = room.file("file", &bytes);
    let root = blake3::hash(&bytes).as_bytes().to_owned();
    let quiet = || Control::new();
    let out = |obao: &str, root| {
        let mut request = export::Request::new(&file, room.at(obao));
        request.root = Some(root);
        export::run(&request, &mut |_| Ok(()), &quiet())
    };
    let take = |file: &Path, obao: &str, root| {
        let mut request = import::Request::new(file, room.at(obao));
        request.root = root;
        import::run(&request, &mut |_| Ok(()), &quiet())
    };
    out("file.obao", root).unwrap();
    let obao = fs::read(room.at("file.obao")).unwrap();
    assert_eq!(obao.len(), 8 + 64 * 976);
    built(&file, "blake3", 16 << 10);
    let tree = tree_of(&file);
    fs::remove_file(beside(&file)).unwrap();
    take(&file, "file.obao", Some(root)).unwrap();
    assert_eq!(tree_of(&file), tree);
    assert_whole(&file, &root);
    // Another root, damage, another file's length: nothing is written.
    fs::remove_file(beside(&file)).unwrap();
    let mut damaged = obao;
    damaged[5000] ^= 1;
    room.file("damaged", &damaged);
    let short = room.file("short", "short");
    let names = room.names();
    assert_eq!(take(&file, "file.obao", Some([0; 32])).unwrap_err().kind(), Kind::Negative);
    let other = out("none", [0; 32]).unwrap_err();
    assert!(other.kind() == Kind::Negative && matches!(other.find(), Some(Problem::OtherRoot { .. })), "{other}");
    assert_eq!(take(&file, "damaged", Some(root)).unwrap_err().kind(), Kind::Input);
    assert_eq!(take(&short, "file.obao", None).unwrap_err().kind(), Kind::Request);
    assert!(matches!(out("file", root), Err(Error::Refused(_))));
    assert_eq!(room.names(), names);
}

/// Parallel transfers deliver pieces in any order: the tree is that of the whole, and what has not
/// come is listed.
#[test]
fn pieces_in_any_order_give_the_tree_of_the_whole() {
    let room = Room::new();
    let bytes = random(7, 300_000);
    let whole = room.file("whole", &bytes);
    let cuts = [0, 1, 70_000, 70_001, 131_072, 222_222, 299_999, 300_000];
    let line = |n: usize| format!("{} {}\n", cuts[n], room.at(format!("piece {n}")).display());
    for n in 0..7 {
        room.file(format!("piece {n}"), &bytes[cuts[n]..cuts[n + 1]]);
    }
    let list = |lines: String| room.file("list", &lines);
    // Pairs; of two levels leaves in a row, and leaves that are blocks from all over the file.
    let flat = ["kt128", "parallelhash128,block=1000", "sakura-fng-128", "sakura-li-128,leaves=3"];
    for algorithm in ["blake3", "sha256"].into_iter().chain(flat) {
        let expected = built(&whole, algorithm, 1024).root;
        let of = |length: Option<u64>, tree: &str| {
            build(&by(verb::Request::pieces(room.at("list"), length, room.at(tree)), algorithm, 1024))
        };
        list([3, 0, 6, 1, 5, 4, 2].map(line).concat());
        assert_eq!(of(None, "pieces").unwrap().root, expected, "{algorithm}");
        assert!(fs::read(room.at("pieces")).unwrap() == tree_of(&whole), "{algorithm}");
        // One is missing, and then the end as well.
        list([3, 0, 6, 1, 5, 2].map(line).concat());
        let missing = |length| match of(length, "pieces").unwrap_err() {
            error if error.kind() != Kind::Input => panic!("{error}"),
            error => match error.find() {
                Some(Problem::Missing(ranges)) => ranges.clone(),
                _ => panic!("{error}"),
            },
        };
        assert_eq!(missing(None), std::slice::from_ref(&(131_072..222_222)), "{algorithm}");
        assert_eq!(missing(Some(400_000)), [131_072..222_222, 300_000..400_000], "{algorithm}");
        // Bytes that come twice and lines that are none are refused.
        list(line(0) + &line(0));
        let twice = of(None, "pieces").unwrap_err();
        assert!(twice.kind() == Kind::Request && matches!(twice.find(), Some(Problem::Piece { .. })), "{twice}");
        for wrong in ["piece 0\n", "0 none\n"] {
            list(wrong.into());
            let error = of(None, "pieces").unwrap_err();
            assert!(error.kind() == Kind::Request && matches!(error.find(), Some(Problem::Pieces { .. })), "{error}");
        }
        list(line(0));
        assert!(matches!(of(None, "piece 0"), Err(Error::Refused(_))));
        // The tree that was there stays.
        assert!(fs::read(room.at("pieces")).unwrap() == tree_of(&whole), "{algorithm}");
    }
}
