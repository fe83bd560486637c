//! OCI layouts that are directories: the index stands for the images, layers belong to it.

use super::oci::{digits, gzip, read_back, tar};
use super::{found, listed, problems};
use pfh_inside::Options;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A layout, and its blobs by their roles.
struct Layout {
    room: tempfile::TempDir,
    blobs: BTreeMap<&'static str, PathBuf>,
}

impl Layout {
    fn new() -> Layout {
        let lower = tar(&[("etc/a", b"a"), ("etc/b", b"old"), ("in.tar", &tar(&[("y", b"inner")]))]);
        let upper = tar(&[("etc/.wh.a", b""), ("etc/b", b"new")]);
        let room = tempfile::tempdir().unwrap();
        fs::create_dir_all(room.path().join("blobs/sha256")).unwrap();
        let mut layout = Layout { room, blobs: BTreeMap::new() };
        let ids = [&lower, &upper].map(|layer| format!("\"sha256:{}\"", digits(layer)));
        let config = layout.add("config", format!("{{\"rootfs\":{{\"diff_ids\":[{}]}}}}", ids.join(",")).as_bytes());
        let layers = [layout.add("lower", &lower), layout.add("upper", &gzip(&upper))].join(",");
        let manifest = layout.add("manifest", format!("{{\"config\":{config},\"layers\":[{layers}]}}").as_bytes());
        layout.add("other", &tar(&[("z", b"of no image")]));
        let named = manifest.replace('}', ",\"annotations\":{\"org.opencontainers.image.ref.name\":\"a/b:1\"}}");
        fs::write(layout.at("index.json"), format!("{{\"manifests\":[{named}]}}")).unwrap();
        fs::write(layout.at("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}").unwrap();
        layout
    }

    /// Writes a blob, and gives its descriptor.
    fn add(&mut self, what: &'static str, bytes: &[u8]) -> String {
        let name = digits(bytes);
        let path = self.at("blobs/sha256").join(&name);
        fs::write(&path, bytes).unwrap();
        self.blobs.insert(what, path);
        format!("{{\"digest\":\"sha256:{name}\"}}")
    }

    fn at(&self, name: &str) -> PathBuf {
        self.room.path().join(name)
    }

    /// The members of these files, by their names in the layout.
    fn inside(&self, files: &[&Path]) -> Vec<(String, Option<Vec<u8>>)> {
        let front = format!("{}/", self.room.path().display());
        let mut found = listed(files, Options::default());
        found.iter_mut().for_each(|(name, _)| *name = name.replace(&front, ""));
        found
    }
}

#[test]
fn the_index_stands_for_the_images_of_a_layout() {
    let layout = Layout::new();
    let index = layout.at("index.json");
    let mut options = Options::default();
    options.deleted = true;
    let names = ["a%2Fb:1/etc/a!deleted-1", "a%2Fb:1/etc/b", "a%2Fb:1/etc/b!deleted-1", "a%2Fb:1/in.tar"];
    let all = found(&index, options);
    assert_eq!(all.keys().collect::<Vec<_>>(), [&names[..], &["a%2Fb:1/in.tar!/y"]].concat());
    assert_eq!(all["a%2Fb:1/etc/b"].as_deref(), Some(&b"new"[..]));
    assert_eq!(all["a%2Fb:1/in.tar!/y"].as_deref(), Some(&b"inner"[..]));
    let full: Vec<String> = all.keys().map(|name| format!("{}!/{name}", index.display())).collect();
    for ((read, container, kind), (name, bytes)) in read_back(&full).iter().rev().zip(&all) {
        assert_eq!(Some(read), bytes.as_ref(), "{name}");
        let layer = if name.ends_with("etc/b") { "upper" } else { "lower" };
        if *kind == "oci" {
            assert_eq!(String::from_utf8_lossy(container), layout.blobs[layer].display().to_string());
        }
    }
}

/// In any order of the inputs, layers are opened once, behind the index, and other blobs on their
/// own.
#[test]
fn layers_are_not_opened_beside_their_image() {
    let layout = Layout::new();
    let (index, mark) = (layout.at("index.json"), layout.at("oci-layout"));
    let mut files: Vec<&Path> = layout.blobs.values().map(PathBuf::as_path).collect();
    files.extend([&*index, &*mark]);
    let other = layout.blobs["other"].strip_prefix(layout.room.path()).unwrap().display().to_string();
    let image = ["a%2Fb:1/in.tar", "a%2Fb:1/in.tar!/y", "a%2Fb:1/etc/b"].map(|name| format!("index.json!/{name}"));
    let mut expected = [&[format!("{other}!/z")], &image[..]].concat();
    let names = |files: &[&Path]| layout.inside(files).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names(&files), expected);
    files.reverse();
    expected.rotate_left(1);
    assert_eq!(names(&files), expected);
    // Without the index each is an input of its own: an archive, and the mark the images.
    let lower = layout.blobs["lower"].strip_prefix(layout.room.path()).unwrap().display().to_string();
    let of_lower = ["etc/a", "etc/b", "in.tar", "in.tar!/y"].map(|name| format!("{lower}!/{name}"));
    assert_eq!(names(&[&layout.blobs["lower"]]), of_lower);
    assert_eq!(names(&[&mark]), image.map(|name| name.replace("index.json", "oci-layout")));
    let read = read_back(&[format!("{}!/etc/b", layout.blobs["lower"].display())]);
    assert_eq!(read[0].0, b"old");
}

#[test]
fn blobs_that_are_wrong_or_missing_are_named() {
    let layout = Layout::new();
    let index = layout.at("index.json");
    let said = |front: &str| -> Vec<String> {
        let said = problems(&index, Options::default());
        said.into_iter().filter(|why| why.contains(front)).collect()
    };
    assert_eq!(said(""), Vec::<String>::new());
    // Of a layer that is compressed, and of a blob that no image has.
    for (what, by_image) in [("upper", 0), ("lower", 1), ("other", 0)] {
        let whole = fs::read(&layout.blobs[what]).unwrap();
        let mut wrong = whole.clone();
        // The time in the header of gzip, which the bytes that come out do not show; a content.
        wrong[if what == "upper" { 4 } else { 512 }] ^= 1;
        fs::write(&layout.blobs[what], &wrong).unwrap();
        assert_eq!(said("as its name states").len(), 1, "{what}");
        assert_eq!(said("as the configuration states").len(), by_image, "{what}");
        fs::write(&layout.blobs[what], whole).unwrap();
    }
    fs::remove_file(&layout.blobs["upper"]).unwrap();
    let found = said("");
    assert!(found.len() == 1 && found[0].contains("is not in the layout"), "{found:?}");
    fs::write(&layout.blobs["manifest"], "{}").unwrap();
    assert!(said("and not").len() == 2, "{:?}", said(""));
    fs::remove_dir_all(layout.at("blobs")).unwrap();
    assert!(said("is not in the layout").len() == 1, "{:?}", said(""));
    fs::write(&index, "[").unwrap();
    assert!(said("the list of images cannot be read").len() == 1, "{:?}", said(""));
}
