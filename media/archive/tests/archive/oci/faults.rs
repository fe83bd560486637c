//! Images that contradict themselves, and images that are meant to do harm.

use super::image::{Tar, described, digits, documents, layout, of_layers};
use super::{Listing, files, hidden, layers, listing, pairs};
use pfh_archive::{Format, Limits, open};
use std::io::Read;
use std::sync::Arc;

fn only(found: &Listing, name: &str, cause: &str) {
    let is_it = |(path, why): &(String, String)| path == name && why.contains(cause);
    assert!(found.failures.len() == 1 && is_it(&found.failures[0]), "{name} {cause}: {:?}", found.failures);
}

/// Replaces bytes by as many others in a tar that they are in once or more.
fn replaced(tar: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    assert_eq!(old.len(), new.len());
    let mut tar = tar.to_vec();
    let places: Vec<usize> = (0..tar.len() - old.len()).filter(|at| tar[*at..].starts_with(old)).collect();
    assert!(!places.is_empty());
    places.iter().for_each(|at| tar[*at..*at + old.len()].copy_from_slice(new));
    tar
}

#[test]
fn each_contradiction_is_named() {
    let tar = Tar::default().file("x", b"content of x").end();
    for packed in [false, true] {
        // The blob has another name than its bytes, and the layer another digest than stated.
        let blobs = documents(&[(tar.clone(), packed)]);
        let manifest = &blobs[2].0;
        let whole = layout(&blobs, &described(manifest, "i", "")).end();
        let mut other = blobs.clone();
        other[0].1 = documents(&[(Tar::default().file("x", b"CONTENT of x").end(), packed)])[0].1.clone();
        let found = listing(&layout(&other, &described(manifest, "i", "")).end(), &Limits::default());
        let blob = format!("blobs/sha256/{}", blobs[0].0);
        assert_eq!(found.failures.len(), 2, "{:?}", found.failures);
        assert!(found.failures[0].0 == blob && found.failures[0].1.contains("as its name states"));
        assert!(found.failures[1].0 == "i/" && found.failures[1].1.contains("as the configuration states"));
        // Its files are listed nevertheless.
        assert_eq!(files(&found, "i/"), pairs(&[("x", "CONTENT of x")]));
        // The layer is not in the tar, and neither is the manifest.
        let found = listing(&layout(&blobs[1..], &described(manifest, "i", "")).end(), &Limits::default());
        only(&found, "i/", "is not in the tar");
        let found = listing(&layout(&blobs[..2], &described(manifest, "i", "")).end(), &Limits::default());
        only(&found, "index.json", "is not in the tar");
        let found =
            listing(&layout(&[&blobs[..1], &blobs[2..]].concat(), &described(manifest, "i", "")).end(), &hidden());
        assert!(found.failures.iter().any(|(_, why)| why.contains("are not checked")), "{:?}", found.failures);
        // A configuration and a manifest that were changed.
        for (old, new) in [
            (&b"\"type\":\"layers\""[..], &b"\"type\":\"LAYERS\""[..]),
            (b"\"schemaVersion\":2,\"config", b"\"schemaVersion\":3,\"config"),
        ] {
            let found = listing(&replaced(&whole, old, new), &Limits::default());
            let mut causes: Vec<&str> = found.failures.iter().map(|(_, why)| why.as_str()).collect();
            causes.sort_unstable();
            assert!(causes.len() == 2 && causes.iter().all(|why| why.contains("and not")), "{causes:?}");
        }
    }
    // Bytes that are not a tar; fewer digests than layers.
    let found = listing(&of_layers("i", &[(b"not a tar".to_vec(), false)]), &Limits::default());
    only(&found, "i/", "is not a tar");
    let mut blobs = documents(&[(tar.clone(), false)]);
    let config = blobs[1].0.clone();
    blobs[1].1 = b"{\"rootfs\":{\"diff_ids\":[]}}".to_vec();
    blobs[1].0 = digits(&blobs[1].1);
    blobs[2].1 = String::from_utf8(blobs[2].1.clone()).unwrap().replace(&config, &blobs[1].0).into_bytes();
    blobs[2].0 = digits(&blobs[2].1);
    let found = listing(&layout(&blobs, &described(&blobs[2].0, "i", "")).end(), &Limits::default());
    only(&found, "i/", "the digests of 0 layers, and it has 1");
    assert_eq!(files(&found, "i/"), pairs(&[("x", "content of x")]));
    // A layer that is cut off is reported, and is not silently whole.
    let found = listing(&of_layers("i", &[(tar[..600].to_vec(), true)]), &Limits::default());
    assert!(found.failures.iter().any(|(name, _)| name.starts_with("i/")), "{:?}", found.failures);
}

#[test]
fn names_that_cannot_be_are_named() {
    let first = Tar::default().file("f", b"f").file("twice", b"1").file("twice", b"2");
    let second = Tar::default()
        .file("../up", b"")
        .file("f/below", b"")
        .file("d/.wh...", b"")
        .hard_link("h", "nowhere")
        .symlink("l1", "l2")
        .symlink("l2", "l1")
        .file("l1/x", b"")
        .file("/root", b"root");
    let found = listing(&of_layers("i", &[(first.end(), false), (second.end(), true)]), &Limits::default());
    let mut failed: Vec<&str> = found.failures.iter().map(|(name, _)| name.as_str()).collect();
    failed.sort_unstable();
    assert_eq!(failed, ["i/../up", "i/d/.wh...", "i/f/below", "i/h", "i/l1/x", "i/twice"], "{:?}", found.failures);
    assert_eq!(files(&found, "i/"), pairs(&[("f", "f"), ("root", "root"), ("twice", "2")]));
}

#[test]
fn hostile_documents_end() {
    let tar = (Tar::default().file("x", b"x").end(), false);
    let blobs = documents(&[tar]);
    let with = |index: &[u8]| {
        let all = Tar::default().file("oci-layout", b"{}").file("index.json", index);
        blobs.iter().fold(all, |tar, (name, bytes)| tar.file(&format!("blobs/sha256/{name}"), bytes)).end()
    };
    let nested = [vec![b'['; 100_000], vec![b']'; 100_000]].concat();
    let long = [&b"{\"manifests\":["[..], &vec![b' '; 5 << 20], b"]}"].concat();
    for (index, cause) in [
        (&b"not json"[..], "cannot be read"),
        (b"[1]", "cannot be read"),
        (&nested, "cannot be read"),
        (&long, "are allowed"),
        (b"{\"manifests\":[{\"digest\":\"../../x\"}]}", "is not in the tar"),
        (b"{\"manifests\":[{\"digest\":\"sha256:../../oci-layout\"}]}", "is not in the tar"),
    ] {
        only(&listing(&with(index), &Limits::default()), "index.json", cause);
    }
    assert_eq!(listing(&with(b"{}"), &Limits::default()).failures, []);
    // Names that lead elsewhere, or are those of members.
    let manifest = &blobs[2].0;
    for (name, expected) in
        [("..", ".._"), (".", "._"), ("a/../b", "a%2F..%2Fb"), ("blobs", "blobs@"), ("", ""), (&"n".repeat(300), "")]
    {
        let found =
            listing(&with(format!("{{\"manifests\":[{}]}}", described(manifest, name, "")).as_bytes()), &hidden());
        let own = found.files.keys().find(|path| path.ends_with("/x")).unwrap();
        assert!(own.starts_with(expected) && own.matches('/').count() == 1, "{name}: {own}");
    }
    // One layer many times in many images.
    let one = format!("blobs/sha256/{}", blobs[0].0);
    let lists = (1..150)
        .map(|count| format!("{{\"Config\":\"c\",\"Layers\":[{}]}}", vec![format!("\"{one}\""); count].join(",")));
    let list = format!("[{}]", lists.collect::<Vec<_>>().join(","));
    let tar = Tar::default().file(&one, &blobs[0].1).file("manifest.json", list.as_bytes()).end();
    let small = Limits { bytes: 1 << 20, ratio: 1, entries: 100, ..Limits::default() };
    let bytes = Arc::new(tar);
    assert!(open(Format::Tar, bytes, b"i", &small).unwrap().take(10_000).filter(Result::is_err).count() > 100);
    // A tar with a file of that name is not an image.
    for content in [&b"{\"name\":\"an extension\"}"[..], b"[]", b"nothing"] {
        let found = listing(&Tar::default().file("manifest.json", content).file("a", b"a").end(), &hidden());
        assert!(found.failures.is_empty() && found.files.len() == 2, "{:?}", found.failures);
    }
}

/// One layer that is a bomb: named, and not unpacked beyond the limits.
#[test]
fn limits_hold_for_all_layers_together() {
    let tar = of_layers("i", &[(Tar::default().file("zeros", &vec![0; 8 << 20]).end(), true)]);
    let small = Limits { bytes: 1 << 20, ratio: 1, ..Limits::default() };
    let nodes = open(Format::Tar, Arc::new(tar.clone()), b"i", &small).unwrap();
    let failures: Vec<_> = nodes.filter_map(Result::err).map(|failure| failure.cause).collect();
    assert!(failures.len() == 2 && failures[0].contains("bomb"), "{failures:?}");
    let few = Limits { entries: 8, ..Limits::default() };
    let many = (0..9).fold(Tar::default(), |tar, number| tar.file(&format!("{number}"), b""));
    let found = listing(&of_layers("i", &[(many.end(), false)]), &few);
    assert!(found.failures.iter().any(|(name, _)| name == "i/"), "{:?}", found.failures);
}

#[test]
fn changed_bytes_are_read_to_an_end() {
    let whole = of_layers("i", &layers(true));
    let mut random = 7_u64;
    let mut next = |most: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % most
    };
    let limits = Limits { bytes: 1 << 20, entries: 1000, window: 1 << 24, hidden: true, ..Limits::default() };
    for _ in 0..300 {
        let mut bytes = whole.clone();
        for _ in 0..1 + next(3) {
            let at = next(bytes.len());
            bytes[at] = [0, 0xff, b'/', b'"', b'.'][next(5)];
        }
        bytes.truncate(bytes.len() - next(2) * next(whole.len()));
        let Ok(nodes) = open(Format::Tar, Arc::new(bytes), b"i", &limits) else { continue };
        for node in nodes.flatten().take(2000) {
            if let Some(Ok(reader)) = node.content.map(|content| content.open()) {
                let _ = std::io::copy(&mut reader.take(1 << 20), &mut std::io::sink());
            }
        }
    }
}
