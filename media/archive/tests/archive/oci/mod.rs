//! Container images in tars: layers, whiteouts and digests.

mod faults;
mod image;

use image::{Tar, described, digits, documents, layout, of_layers};
use pfh_archive::{Allocation, Bytes, Kind};
use pfh_archive::{Format, Limits, open};
use pfh_inject::{Need, lacks};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// The members of a tar: names with their contents, deleted ones with `!` and their layer, links
/// with their targets; failures by name and cause.
#[derive(Default)]
struct Listing {
    files: BTreeMap<String, Vec<u8>>,
    links: BTreeMap<String, String>,
    failures: Vec<(String, String)>,
    /// The members that files are in.
    within: BTreeMap<String, String>,
    /// Members that are layers.
    layers: Vec<String>,
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn listing(tar: &[u8], limits: &Limits) -> Listing {
    let bytes: Arc<dyn Bytes> = Arc::new(tar.to_vec());
    let mut found = Listing::default();
    for node in open(Format::Tar, bytes.clone(), b"i.tar", limits).unwrap() {
        let node = match node {
            Ok(node) => node,
            Err(failure) => {
                found.failures.push((text(&failure.path), failure.cause));
                continue;
            }
        };
        let mut name = text(&node.path);
        if node.allocation == Allocation::Deleted {
            name = format!("{name}!{}", node.id.unwrap());
        }
        if let Kind::Link(target) = &node.kind {
            found.links.insert(name.clone(), text(target));
        }
        let Some(content) = node.content else { continue };
        let mut all = Vec::new();
        if let Err(error) = content.open().unwrap().read_to_end(&mut all) {
            found.failures.push((name, error.to_string()));
            continue;
        }
        assert_eq!(node.size, Some(all.len() as u64), "{name}");
        // Content that is stored lies where its runs say.
        for run in content.runs().into_iter().flatten() {
            let mut there = vec![0; run.length as usize];
            bytes.read_exact_at(run.medium_offset.unwrap(), &mut there).unwrap();
            assert!(there == all, "{name}");
        }
        if let Some(within) = content.within() {
            found.within.insert(name.clone(), text(within));
        }
        if content.is_layer() {
            found.layers.push(name.clone());
        }
        assert!(found.files.insert(name.clone(), all).is_none(), "{name} comes twice");
    }
    found
}

fn hidden() -> Limits {
    Limits { hidden: true, ..Limits::default() }
}

/// The files of an image, as text.
fn files(found: &Listing, image: &str) -> Vec<(String, String)> {
    let names = found.files.iter().filter_map(|(name, bytes)| Some((name.strip_prefix(image)?, bytes)));
    names.map(|(name, bytes)| (name.to_owned(), text(bytes))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(name, content)| ((*name).to_owned(), (*content).to_owned())).collect()
}

/// Three layers: the second replaces, deletes and hides, the third adds links.
fn layers(packed: bool) -> Vec<(Vec<u8>, bool)> {
    let first = Tar::default()
        .directory("./")
        .directory("./d/")
        .file("./d/kept", b"1")
        .file("./d/replaced", b"old")
        .file("./d/gone", b"gone")
        .file("d/o/below/x", b"x")
        .file("d/o/y", b"y")
        .file("dir/a", b"a")
        .file("file", b"was a file")
        .symlink("lib", "usr/lib")
        .symlink("abs", "/usr/../usr/lib")
        .file("whole/1", b"1")
        .file("whole/sub/2", b"2")
        .file("was/before", b"before")
        .file("dx", b"beside d");
    let second = Tar::default()
        // The layer's own members stay in any order.
        .file("d/o/own", b"own")
        .file("d/o/.wh..wh..opq", b"")
        .file("d/.wh.gone", b"")
        .file("was/.wh.before", b"")
        .symlink("was", "d")
        .file("was/.wh.kept", b"")
        .file("file/.wh.never", b"")
        .file("d/replaced", b"new")
        .file("dir", b"is a file")
        .directory("file/")
        .file("file/in", b"in")
        .file(".wh.whole", b"")
        .file(".wh.never", b"")
        .file(".wh..wh.plnk", b"aufs's own")
        .file("lib/so", b"so")
        .file("abs/so2", b"so2");
    let third = Tar::default()
        .hard_link("hard", "d/kept")
        .hard_link("hard2", "./hard")
        .hard_link("soft", "lib")
        .file("again", b"again")
        .hard_link("again2", "again")
        .file("whole/3", b"3");
    [first, second, third].into_iter().map(|tar| (tar.end(), packed)).collect()
}

#[test]
fn later_layers_replace_hide_and_delete() {
    for packed in [false, true] {
        let tar = of_layers("a/b:1", &layers(packed));
        let expected = [
            ("again", "again"),
            ("again2", "again"),
            ("d/kept", "1"),
            ("d/o/own", "own"),
            ("d/replaced", "new"),
            ("dir", "is a file"),
            ("dx", "beside d"),
            ("file/in", "in"),
            ("hard", "1"),
            ("hard2", "1"),
            ("usr/lib/so", "so"),
            ("usr/lib/so2", "so2"),
            ("whole/3", "3"),
        ];
        let found = listing(&tar, &Limits::default());
        assert_eq!(found.failures, []);
        assert_eq!(files(&found, "a%2Fb:1/"), pairs(&expected), "{packed}");
        let links = ["abs", "lib", "soft"].map(|name| found.links[&format!("a%2Fb:1/{name}")].clone());
        assert_eq!(links, ["/usr/../usr/lib", "usr/lib", "usr/lib"]);
        // The members of the tar are there as well, and the layers are known as such.
        assert!(found.files.contains_key("index.json") && found.layers.len() == 3);
        let layer = |name: &str| found.layers.iter().position(|layer| *layer == found.within[name]).unwrap() + 1;
        let of = ["d/kept", "d/replaced", "again", "hard"].map(|name| layer(&format!("a%2Fb:1/{name}")));
        assert_eq!(of, [1, 2, 3, 1]);
        let deleted = [
            ("d/gone!1", "gone"),
            ("d/o/below/x!1", "x"),
            ("d/o/y!1", "y"),
            ("d/replaced!1", "old"),
            ("dir/a!1", "a"),
            ("file!1", "was a file"),
            ("was/before!1", "before"),
            ("whole/1!1", "1"),
            ("whole/sub/2!1", "2"),
        ];
        let all = listing(&tar, &hidden());
        let found: Vec<_> = files(&all, "a%2Fb:1/").into_iter().filter(|(name, _)| name.contains('!')).collect();
        assert_eq!(found, pairs(&deleted));
        assert_eq!(all.files.len(), listing(&tar, &Limits::default()).files.len() + deleted.len());
    }
}

/// Links of one layer to itself and to lower ones: links that would cost too many passes are named.
#[test]
fn many_hard_links_are_listed_or_named() {
    let linked = |tar: Tar, of: &str| (0..70).fold(tar, |tar, at| tar.hard_link(&format!("{of}{at}"), "f"));
    let lower = linked(Tar::default().file("f", b"content"), "l").end();
    let upper = linked(Tar::default(), "u").end();
    for packed in [false, true] {
        let found = listing(&of_layers("i", &[(lower.clone(), packed), (upper.clone(), packed)]), &Limits::default());
        let left = if packed { 64 } else { 70 };
        assert_eq!((files(&found, "i/").len(), found.failures.len()), (1 + 2 * left, 140 - 2 * left));
        assert!(files(&found, "i/").iter().all(|(_, content)| content == "content"));
    }
}

#[test]
fn images_of_both_kinds_are_named_once_each() {
    let one = documents(&[(Tar::default().file("x", b"one").end(), false)]);
    let two = documents(&[(Tar::default().file("x", b"two").end(), true)]);
    let three = documents(&[(Tar::default().file("x", b"three").end(), false)]);
    let notes = documents(&[(Tar::default().file("x", b"a note").end(), false)]);
    let manifest = |of: &[(String, Vec<u8>)]| of.last().unwrap().0.clone();
    let platform = |arch: &str| format!(",\"platform\":{{\"os\":\"linux\",\"architecture\":\"{arch}\"}}");
    let of = |of: &[(String, Vec<u8>)], rest: &str| format!("{{\"digest\":\"sha256:{}\"{rest}}}", manifest(of));
    let attested = ",\"annotations\":{\"vnd.docker.reference.type\":\"attestation-manifest\"}";
    let inner =
        [of(&one, &platform("amd64")), of(&two, &platform("arm64")), of(&notes, attested), of(&three, "")].join(",");
    let inner = format!("{{\"manifests\":[{inner}]}}").into_bytes();
    let mut blobs = [one.clone(), two.clone(), three.clone(), notes.clone()].concat();
    blobs.push((digits(&inner), inner));
    let list = described(&manifest(&blobs), "1.0", "");
    // A tag of the one image, which both lists have.
    let [(layer, _), (config, _), _] = &one[..] else { panic!() };
    let saved = format!(
        "[{{\"Config\":\"blobs/sha256/{config}\",\"RepoTags\":[\"r.io:5/a/b:1\",\"c\"],\"Layers\":[\"blobs/sha256/{layer}\"]}}]"
    );
    let both = layout(&blobs, &list).file("manifest.json", saved.as_bytes()).end();
    let found = listing(&both, &Limits::default());
    assert_eq!(found.failures, []);
    let images = |found: &Listing| -> Vec<(String, String)> {
        let named = found.files.iter().filter_map(|(name, bytes)| Some((name.strip_suffix("/x")?, bytes)));
        named.map(|(name, bytes)| (name.to_owned(), text(bytes))).collect()
    };
    let second = format!("1.0@{}", &three[1].0[..12]);
    assert_eq!(images(&found), pairs(&[("1.0", "two"), (&second, "three"), ("r.io:5%2Fa%2Fb:1", "one")]));
    let found = listing(&layout(&blobs, &list).end(), &Limits::default());
    assert_eq!(images(&found), pairs(&[("1.0", "one"), (&second, "three"), ("1.0@linux-arm64", "two")]));
    // As older programs write them: a layer beside the list, another one behind a link.
    let tar = |content: &[u8]| Tar::default().file("x", content).end();
    let (lower, upper) = (tar(b"lower"), tar(b"upper"));
    let config =
        format!("{{\"rootfs\":{{\"diff_ids\":[\"sha256:{}\",\"sha256:{}\"]}}}}", digits(&lower), digits(&upper));
    let id = digits(config.as_bytes());
    let saved =
        format!("[{{\"Config\":\"{id}.json\",\"RepoTags\":null,\"Layers\":[\"{id}/layer.tar\",\"u/layer.tar\"]}}]");
    let old = |config: &str| {
        let tar = Tar::default().file(&format!("{id}.json"), config.as_bytes()).file("lower.tar", &lower);
        let tar = tar.symlink(&format!("{id}/layer.tar"), "../lower.tar").file("u/layer.tar", &upper);
        tar.file("manifest.json", saved.as_bytes()).end()
    };
    let found = listing(&old(&config), &hidden());
    assert_eq!((found.failures, found.layers), (vec![], vec!["lower.tar".to_owned(), "u/layer.tar".to_owned()]));
    assert_eq!(found.files[&format!("{}/x", &id[..12])], b"upper");
    assert_eq!(found.files[&format!("{}/x!1", &id[..12])], b"lower");
    let found = listing(&old(&format!("{config} ")), &Limits::default());
    assert!(found.failures[0].1.contains("and not") && found.failures.len() == 1, "{:?}", found.failures);
}

/// A tree that umoci puts together out of layers that it wrote, deletions and replacements among
/// them, and one that skopeo writes of the same image.
#[test]
fn trees_are_those_that_other_programs_unpack() {
    let needs = [Need::Program("umoci"), Need::Program("skopeo"), Need::Program("tar")];
    if lacks(&needs) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let output = Command::new("sh").args(["-ec", include_str!("make.sh")]).current_dir(room.path()).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut expected = BTreeMap::new();
    collect(&room.path().join("out/rootfs"), "", &mut expected);
    assert_eq!(expected.len(), 9);
    for (tar, image) in [
        ("oci.tar", "test"),
        ("archive.tar", "test"),
        ("zstd.tar", "test"),
        ("docker.tar", "docker.io%2Fsome%2Fname:1.0"),
    ] {
        let found = listing(&std::fs::read(room.path().join(tar)).unwrap(), &Limits::default());
        assert_eq!(found.failures, [], "{tar}");
        let start = format!("{image}/");
        let files = found.files.iter().filter_map(|(name, bytes)| Some((name.strip_prefix(&start)?, bytes.clone())));
        let links = found.links.iter().filter_map(|(name, to)| Some((name.strip_prefix(&start)?, to.clone().into())));
        let all: BTreeMap<String, Vec<u8>> = files.chain(links).map(|(name, bytes)| (name.to_owned(), bytes)).collect();
        assert!(all == expected, "{tar}: {:?} {:?}", all.keys(), expected.keys());
    }
}

fn collect(directory: &Path, path: &str, into: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{path}{}", entry.file_name().to_str().unwrap());
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            collect(&entry.path(), &format!("{name}/"), into);
        } else if kind.is_symlink() {
            into.insert(name, std::fs::read_link(entry.path()).unwrap().into_os_string().into_encoded_bytes());
        } else {
            into.insert(name, std::fs::read(entry.path()).unwrap());
        }
    }
}
