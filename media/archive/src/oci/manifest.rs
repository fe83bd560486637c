//! Which images a tar holds: `manifest.json` of `docker save`, and `index.json` of an OCI layout
//! with the indexes that it leads to.

use super::blobs::{Blob, Blobs, parsed};
use crate::member::{failure, plain_name};
use pfh_bytes::node::Failure;
use pfh_digest::Digest;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, HashSet};

/// Images of one tar, layers of one image, and indexes one in another.
const IMAGES: usize = 1024;
const LAYERS: usize = 1024;
const DEPTH: u32 = 8;
/// The longest name that an image may give itself.
const NAME: usize = 255;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SavedImage {
    config: String,
    #[serde(default)]
    repo_tags: Option<Vec<String>>,
    layers: Vec<String>,
}

/// An index or a manifest.
#[derive(Deserialize)]
struct Document {
    config: Option<Descriptor>,
    layers: Option<Vec<Descriptor>>,
    manifests: Option<Vec<Descriptor>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    #[serde(default)]
    media_type: String,
    digest: String,
    annotations: Option<BTreeMap<String, String>>,
    platform: Option<Platform>,
}

#[derive(Deserialize, Clone)]
struct Platform {
    #[serde(default)]
    os: String,
    #[serde(default)]
    architecture: String,
    variant: Option<String>,
}

#[derive(Deserialize)]
struct Config {
    rootfs: Option<Rootfs>,
}

#[derive(Deserialize)]
struct Rootfs {
    #[serde(default)]
    diff_ids: Vec<String>,
}

/// A layer of an image.
pub struct Layer {
    /// The name of its member in the tar.
    pub member: Vec<u8>,
    /// Its bytes, or why there are none.
    pub blob: Result<Blob, String>,
    /// The digest of its tar as the configuration states it.
    pub digest: Option<Digest>,
}

/// An image.
pub struct Image {
    /// The first part of all its paths.
    pub name: Vec<u8>,
    /// From the lowest one on.
    pub layers: Vec<Layer>,
    /// The faults of its documents.
    pub faults: Vec<String>,
}

/// The images in these members, and the faults of the lists of them.
pub fn images(blobs: &Blobs) -> (Vec<Image>, Vec<Failure>) {
    let mut found = ManifestSearch::new(blobs);
    found.saved();
    found.layout();
    (found.images, found.failures)
}

fn json<T: DeserializeOwned>(blob: &Blob, digest: Option<Digest>) -> Result<T, String> {
    serde_json::from_slice(&blob.document(digest)?).map_err(|error| format!("cannot be read: {error}"))
}

/// The digests of layers that a configuration states.
fn configured(blob: &Blob, stated: Option<Digest>) -> Result<Vec<String>, String> {
    let digests = json::<Config>(blob, stated)?.rootfs.map(|rootfs| rootfs.diff_ids).unwrap_or_default();
    // Beside `manifest.json` it is named by its own digest, of the kind of those in it.
    let last = blob.path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let digits = last.strip_suffix(b".json").and_then(|digits| std::str::from_utf8(digits).ok());
    let algorithm = digests.first().and_then(|first| Some(parsed(first)?.algorithm()));
    if let (Some(digits), Some(algorithm)) = (digits, algorithm)
        && let Ok(named) = Digest::from_hex(algorithm, digits)
    {
        blob.document(Some(named))?;
    }
    Ok(digests)
}

struct ManifestSearch<'a> {
    blobs: &'a Blobs,
    images: Vec<Image>,
    failures: Vec<Failure>,
    /// Names that are taken.
    names: HashSet<Vec<u8>>,
    /// The configurations and layers of the images.
    known: HashSet<(Vec<u8>, Vec<Vec<u8>>)>,
    /// Indexes and manifests that were read.
    read: HashSet<String>,
}

impl<'a> ManifestSearch<'a> {
    fn new(blobs: &'a Blobs) -> ManifestSearch<'a> {
        let (images, failures, known, read) = Default::default();
        ManifestSearch { blobs, images, failures, names: blobs.roots.clone(), known, read }
    }

    fn fail(&mut self, path: &[u8], cause: impl Into<String>) {
        self.failures.push(failure(path, cause));
    }

    /// The images that `docker save` lists.
    fn saved(&mut self) {
        let Some(blob) = self.blobs.get("manifest.json") else { return };
        let list: Vec<SavedImage> = match json(blob, None) {
            Ok(list) => list,
            // A file of this name may be anything.
            Err(_) if !self.blobs.are_of_image() => return,
            Err(why) => return self.fail(&blob.path, format!("the list of images {why}")),
        };
        for saved in list {
            let layers = saved.layers.into_iter().map(|name| {
                let blob = self.blobs.get(&name).cloned();
                (
                    name.clone().into_bytes(),
                    blob.ok_or_else(|| format!("its layer {name} is not in the {}", self.blobs.whole)),
                )
            });
            let layers = layers.collect();
            let tag = saved.repo_tags.and_then(|tags| tags.into_iter().next());
            let config = self.blobs.get(&saved.config).cloned();
            self.image(tag, None, (&saved.config, config, None), layers);
        }
    }

    /// The images that the layout lists.
    fn layout(&mut self) {
        let Some(blob) = self.blobs.get("index.json").filter(|_| self.blobs.get("oci-layout").is_some()) else {
            return;
        };
        match json::<Document>(blob, None) {
            Ok(index) => index.manifests.into_iter().flatten().for_each(|one| self.descend(one, None, None, 1)),
            Err(why) => self.fail(&blob.path, format!("the list of images {why}")),
        }
    }

    fn descend(&mut self, of: Descriptor, name: Option<&str>, platform: Option<&Platform>, depth: u32) {
        let annotation = |key: &str| of.annotations.as_ref().and_then(|all| all.get(key)).map(String::as_str);
        // A builder's statement on an image is not an image itself.
        if annotation("vnd.docker.reference.type").is_some() || !self.read.insert(of.digest.clone()) {
            return;
        }
        let name = annotation("org.opencontainers.image.ref.name").or(name);
        let platform = of.platform.as_ref().or(platform);
        let Some(blob) = self.blobs.of_digest(&of.digest) else {
            return self.fail(b"index.json", format!("the manifest {} is not in the {}", of.digest, self.blobs.whole));
        };
        let document: Document = match json(blob, parsed(&of.digest)) {
            Ok(document) => document,
            Err(why) => return self.fail(&blob.path, format!("the manifest {why}")),
        };
        for one in document.manifests.into_iter().flatten() {
            if depth >= DEPTH {
                return self.fail(&blob.path, format!("is an index in {DEPTH} others: it is not read"));
            }
            self.descend(one, name, platform, depth + 1);
        }
        let Some(config) = document.config.filter(|config| is_config(&config.media_type)) else { return };
        let layers = document.layers.unwrap_or_default();
        let is_tar = |layer: &Descriptor| layer.media_type.is_empty() || layer.media_type.contains("tar");
        // Other things than images are kept in layouts too.
        if !layers.iter().any(is_tar) {
            return;
        }
        let layers = layers.into_iter().map(|layer| match self.blobs.of_digest(&layer.digest) {
            Some(blob) => (blob.path.clone(), Ok(blob.clone())),
            None => (
                layer.digest.clone().into_bytes(),
                Err(format!("its layer {} is not in the {}", layer.digest, self.blobs.whole)),
            ),
        });
        let layers = layers.collect();
        let (own, stated) = (self.blobs.of_digest(&config.digest).cloned(), parsed(&config.digest));
        self.image(name.map(str::to_owned), platform, (&config.digest, own, stated), layers);
    }

    fn image(
        &mut self,
        name: Option<String>,
        platform: Option<&Platform>,
        (config, blob, stated): (&str, Option<Blob>, Option<Digest>),
        layers: Vec<(Vec<u8>, Result<Blob, String>)>,
    ) {
        let members = layers.iter().map(|(name, blob)| blob.as_ref().map_or(name, |blob| &blob.path).clone());
        let key = (blob.as_ref().map_or(config.as_bytes(), |blob| &blob.path).to_vec(), members.collect::<Vec<_>>());
        if self.known.contains(&key) {
            return;
        }
        let too_many = |what: &str, most: usize| format!("more than {most} {what}: the others are not read");
        if self.images.len() >= IMAGES {
            let cause = too_many("images", IMAGES);
            if self.failures.last().is_none_or(|last| last.cause != cause) {
                self.fail(b"", cause);
            }
            return;
        }
        let name = self.name(name, platform, config);
        let mut faults = Vec::new();
        let found = match blob {
            Some(blob) => configured(&blob, stated),
            None => Err(format!("is not in the {}", self.blobs.whole)),
        };
        let digests = match found {
            Ok(digests) => digests,
            Err(why) => {
                faults.push(format!("its configuration {config} {why}: its layers are not checked"));
                Vec::new()
            }
        };
        if faults.is_empty() && digests.len() != layers.len() {
            let (of, are) = (digests.len(), layers.len());
            faults.push(format!("its configuration states the digests of {of} layers, and it has {are}"));
        }
        if layers.len() > LAYERS {
            faults.push(too_many("layers", LAYERS));
        }
        let mut digests = digests.iter().map(|digest| parsed(digest));
        let layers =
            layers.into_iter().zip(key.1.clone()).take(LAYERS).enumerate().map(|(number, ((_, blob), member))| {
                let digest = digests.next();
                if let Some(None) = digest {
                    faults.push(format!("its configuration states no digest of its layer {}", number + 1));
                }
                Layer { member, blob, digest: digest.flatten() }
            });
        let layers = layers.collect();
        self.images.push(Image { name, layers, faults });
        self.known.insert(key);
    }

    /// A name that nothing else in the tar has.
    fn name(&mut self, stated: Option<String>, platform: Option<&Platform>, config: &str) -> Vec<u8> {
        let last = config.rsplit(['/', ':']).next().unwrap_or_default();
        let digits: String = last.chars().take(12).collect();
        let platform = platform.map(|platform| {
            let variant = platform.variant.iter().map(String::as_str);
            [&*platform.os, &*platform.architecture].into_iter().chain(variant).collect::<Vec<_>>().join("-")
        });
        let stated = stated.filter(|name| (1..=NAME).contains(&name.len()));
        let platform = platform.filter(|platform| platform.len() <= NAME);
        let with = |end: &str| stated.as_ref().map(|name| format!("{name}@{end}"));
        let names =
            [stated.clone(), platform.and_then(|platform| with(&platform)), with(&digits), Some(digits.clone())];
        let names = names.into_iter().flatten();
        let numbered = (2..).map(|number| format!("{digits}-{number}"));
        let mut names = names.chain(numbered).map(|name| plain_name(name.as_bytes()));
        let free = names.find(|name| !self.names.contains(name)).unwrap_or_default();
        self.names.insert(free.clone());
        free
    }
}

/// Whether a configuration is that of an image.
fn is_config(media_type: &str) -> bool {
    let types = ["", "application/vnd.oci.image.config.v1+json", "application/vnd.docker.container.image.v1+json"];
    types.contains(&media_type)
}
