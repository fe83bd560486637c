//! Tars and images that the tests make.

use pfh_digest::Algorithm;
use std::io::Write;

/// The digest of bytes, in digits.
pub fn digits(bytes: &[u8]) -> String {
    let algorithm: Algorithm = "sha256".parse().unwrap();
    algorithm.digest(bytes).to_string()
}

/// A tar that grows.
#[derive(Default)]
pub struct Tar(Vec<u8>);

impl Tar {
    /// With a member of this type.
    pub fn with(mut self, kind: u8, name: &str, link: &str, content: &[u8]) -> Tar {
        let mut header = [0_u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..107].copy_from_slice(b"0000644");
        header[124..135].copy_from_slice(format!("{:011o}", content.len()).as_bytes());
        header[136..147].copy_from_slice(b"00000000000");
        header[156] = kind;
        header[157..157 + link.len()].copy_from_slice(link.as_bytes());
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].copy_from_slice(b"        ");
        let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        self.0.extend_from_slice(&header);
        self.0.extend_from_slice(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    pub fn file(self, name: &str, content: &[u8]) -> Tar {
        self.with(b'0', name, "", content)
    }

    pub fn directory(self, name: &str) -> Tar {
        self.with(b'5', name, "", b"")
    }

    pub fn symlink(self, name: &str, target: &str) -> Tar {
        self.with(b'2', name, target, b"")
    }

    pub fn hard_link(self, name: &str, target: &str) -> Tar {
        self.with(b'1', name, target, b"")
    }

    pub fn end(mut self) -> Vec<u8> {
        self.0.resize(self.0.len() + 1024, 0);
        self.0
    }
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The documents of an image of these layers, each compressed if it says so: its blobs by their
/// digests, the last of them the manifest.
pub fn documents(layers: &[(Vec<u8>, bool)]) -> Vec<(String, Vec<u8>)> {
    let quoted = |digests: Vec<String>| digests.join(",");
    let ids = layers.iter().map(|(tar, _)| format!("\"sha256:{}\"", digits(tar))).collect();
    let config = format!("{{\"rootfs\":{{\"type\":\"layers\",\"diff_ids\":[{}]}}}}", quoted(ids)).into_bytes();
    let stored = layers.iter().map(|(tar, packed)| if *packed { gzip(tar) } else { tar.clone() });
    let mut blobs: Vec<(String, Vec<u8>)> = stored.map(|bytes| (digits(&bytes), bytes)).collect();
    let kind = "application/vnd.oci.image.layer.v1.tar";
    let listed = blobs.iter().map(|(name, _)| format!("{{\"mediaType\":\"{kind}\",\"digest\":\"sha256:{name}\"}}"));
    let (listed, name) = (quoted(listed.collect()), digits(&config));
    let kind = "application/vnd.oci.image.config.v1+json";
    let of = format!("{{\"mediaType\":\"{kind}\",\"digest\":\"sha256:{name}\"}}");
    let manifest = format!("{{\"schemaVersion\":2,\"config\":{of},\"layers\":[{listed}]}}").into_bytes();
    blobs.push((name, config));
    blobs.push((digits(&manifest), manifest));
    blobs
}

/// The entry of a manifest in an index.
pub fn described(digest: &str, name: &str, rest: &str) -> String {
    let name = format!("\"annotations\":{{\"org.opencontainers.image.ref.name\":\"{name}\"}}");
    format!("{{\"digest\":\"sha256:{digest}\",{name}{rest}}}")
}

/// A tar of a layout: blobs, and the manifests of the index.
pub fn layout(blobs: &[(String, Vec<u8>)], manifests: &str) -> Tar {
    let index = format!("{{\"schemaVersion\":2,\"manifests\":[{manifests}]}}");
    let all = Tar::default().directory("blobs/").directory("blobs/sha256/");
    let add = |tar: Tar, (name, bytes): &(String, Vec<u8>)| tar.file(&format!("blobs/sha256/{name}"), bytes);
    let all = blobs.iter().fold(all, add);
    all.file("index.json", index.as_bytes()).file("oci-layout", b"{\"imageLayoutVersion\":\"1.0.0\"}")
}

/// A layout with one image of these layers.
pub fn of_layers(name: &str, layers: &[(Vec<u8>, bool)]) -> Vec<u8> {
    let blobs = documents(layers);
    let manifest = &blobs.last().unwrap().0;
    layout(&blobs, &described(manifest, name, "")).end()
}
