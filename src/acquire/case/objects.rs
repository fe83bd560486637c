//! The objects that an acquisition reads and makes: devices, files, images.

use super::account::{Account, Source};
use super::graph::{Graph, words};
use crate::acquire::{ImageFormat, To};
use pfh_digest::Digest;
use pfh_digest::hex;
use pfh_source::device::{Fill, Kind, Loss};
use pfh_source::image::Image;
use pfh_source::os;
use pfh_source::os::names::with_ending;
use pfh_source::terminal::shown;
use serde_json::{Value, json};
use std::io;
use std::path::{Path, PathBuf};

/// A file's name, place and size (`observable:FileFacet`).
fn file_facet(graph: &Graph, label: &str, path: &Path, size: Option<u64>) -> io::Result<Value> {
    let name = path.file_name().map(|name| shown(Path::new(name)));
    let place = std::path::absolute(path).map_or_else(|_| shown(path), |path| shown(&path));
    graph.node(
        &["uco-observable:FileFacet"],
        label,
        json!({ "uco-observable:fileName": name, "uco-observable:filePath": place, "uco-observable:sizeInBytes": size }),
    )
}

/// The name of an algorithm in `uco-vocabulary:HashNameVocab`, which is open: an algorithm without
/// a name there keeps its name here.
fn method(name: &str) -> &str {
    match name {
        "md5" => "MD5",
        "sha1" => "SHA1",
        "sha224" => "SHA224",
        "sha256" => "SHA256",
        "sha384" => "SHA384",
        "sha512" => "SHA512",
        "sha3-224" => "SHA3-224",
        "sha3-256" => "SHA3-256",
        "sha3-384" => "SHA3-384",
        "sha3-512" => "SHA3-512",
        other => other,
    }
}

/// Size and digests of a block of data (`observable:ContentDataFacet`). `types:hashValue` is
/// hexadecimal: similarity digests, which are text, stand in the image's description.
fn content_facet(graph: &Graph, label: &str, size: Option<u64>, digests: &[Digest]) -> io::Result<Value> {
    let hash = |digest: &Digest| {
        let name = digest.algorithm().to_string();
        let value = json!({ "@type": "xsd:hexBinary", "@value": digest.to_string() });
        let members = json!({ "uco-types:hashMethod": method(&name), "uco-types:hashValue": value });
        graph.node(&["uco-types:Hash"], &format!("{label}-{name}"), members)
    };
    let hashes: Vec<Value> = digests.iter().filter(|d| d.text().is_none()).map(hash).collect::<io::Result<_>>()?;
    let hashes = Some(hashes).filter(|hashes| !hashes.is_empty());
    graph.node(
        &["uco-observable:ContentDataFacet"],
        label,
        json!({ "uco-observable:sizeInBytes": size, "uco-observable:hash": hashes }),
    )
}

/// The source; gives the reference to it.
pub fn source(graph: &mut Graph, account: &Account) -> io::Result<Value> {
    let source = account.source;
    let name = account.source_name();
    let description = words(&account.about.description);
    if source.kind == Kind::Device {
        return device(graph, source, &name, description);
    }
    let mut facets = Vec::new();
    // Of an image it is the content that is read: its size is not that of the first file.
    let is_file = source.kind == Kind::File;
    if let Some(path) = account.asked.source.path().filter(|_| is_file || account.is_image()) {
        facets.push(file_facet(graph, "source", path, source.size.filter(|_| is_file))?);
    }
    facets.push(content_facet(graph, "source", source.size, &[])?);
    let classes: &[&str] = match source.kind {
        Kind::File => &["uco-observable:File"],
        _ if account.is_image() => &["uco-observable:Image"],
        _ => &["uco-observable:ObservableObject"],
    };
    graph.add(
        classes,
        "source",
        json!({ "uco-core:name": name, "uco-core:description": description, "uco-core:hasFacet": facets }),
    )
}

/// A disk, or a partition and the disk that it is on.
fn device(graph: &mut Graph, source: Source, name: &str, description: Option<&str>) -> io::Result<Value> {
    let fact = |name: &str| source.facts.get(name).map(String::as_str);
    let maker = match fact("vendor") {
        Some(vendor) => {
            Some(graph.add(&["uco-identity:Organization"], "manufacturer", json!({ "uco-core:name": vendor }))?)
        }
        None => None,
    };
    let about = graph.node(
        &["uco-observable:DeviceFacet"],
        "device",
        json!({ "uco-observable:manufacturer": maker, "uco-observable:model": fact("model"),
                "uco-observable:serialNumber": fact("serial") }),
    )?;
    // The kernel's other facts have no property of their own.
    let placed = ["vendor", "model", "serial", "partition", "start-sector"];
    let rest = source.facts.iter().filter(|(name, _)| !placed.contains(name));
    let mut words: Vec<String> = description.map(str::to_owned).into_iter().collect();
    words.extend(rest.map(|(name, value)| format!("{name}: {value}")));
    let disk = ["uco-observable:Device", "uco-observable:StorageMedium"];
    let Some(partition) = fact("partition") else {
        let room = graph.node(
            &["uco-observable:StorageMediumFacet"],
            "device",
            json!({ "uco-observable:totalStorageCapacityInBytes": source.size }),
        )?;
        let members =
            json!({ "uco-core:name": name, "uco-core:description": words, "uco-core:hasFacet": [about, room] });
        return graph.add(&disk, "source", members);
    };
    // The kernel counts `start` in 512 bytes, for any size of sectors.
    let start = fact("start-sector").and_then(|start| start.parse::<u64>().ok()).map(|start| start * 512);
    let part = graph.node(
        &["uco-observable:DiskPartitionFacet"],
        "partition",
        json!({ "uco-observable:partitionID": partition, "uco-observable:partitionOffset": start,
                "uco-observable:partitionLength": source.size }),
    )?;
    let whole = graph.add(&disk, "disk", json!({ "uco-core:hasFacet": [about] }))?;
    let members = json!({ "uco-core:name": name, "uco-core:description": words, "uco-core:hasFacet": [part] });
    let part = graph.add(&["uco-observable:DiskPartition"], "source", members)?;
    graph.contained("source", part.clone(), &whole)?;
    Ok(part)
}

/// The files of a target, in their order.
fn files(to: &To, bytes: u64) -> io::Result<Vec<PathBuf>> {
    match &to.form {
        ImageFormat::Raw { .. } => Ok(vec![to.path.clone()]),
        ImageFormat::Split(pieces) => {
            let piece = |number| {
                let suffix = pieces.suffix.of(number, pieces.width).ok_or(io::ErrorKind::InvalidInput)?;
                Ok(with_ending(&to.path, format!(".{suffix}")))
            };
            (0..bytes.div_ceil(pieces.length).max(1)).map(piece).collect()
        }
        ImageFormat::E01 { .. } => {
            Ok(Image::open(&to.path).map_err(io::Error::other)?.paths().map(Path::to_owned).collect())
        }
    }
}

/// The image in one target, and the files that it is in; gives the references to them, that of the
/// image first.
pub fn image(graph: &mut Graph, account: &Account, number: usize) -> io::Result<Vec<Value>> {
    let imaged = account.imaged;
    let to = &account.targets[number];
    let (format, seek) = match &to.form {
        ImageFormat::Raw { seek, .. } => ("raw", *seek),
        ImageFormat::Split(_) => ("split raw", 0),
        ImageFormat::E01 { .. } => ("EnCase 6 (EWF-E01)", 0),
    };
    let label = format!("target-{number}");
    let kind = graph.node(&["uco-observable:ImageFacet"], &label, json!({ "uco-observable:imageType": format }))?;
    let content = content_facet(graph, &label, Some(imaged.bytes), &imaged.digests)?;
    let mut facets = vec![kind, content];
    let files = files(to, imaged.bytes)?;
    let stats: Vec<_> = files.iter().map(std::fs::metadata).collect::<io::Result<_>>()?;
    let mut description = described(account, number);
    // A file that holds the image's bytes and nothing else is the image.
    let is_raw = !matches!(to.form, ImageFormat::E01 { .. });
    if is_raw && seek == 0 && stats.len() == 1 && stats[0].is_file() && stats[0].len() == imaged.bytes {
        facets.push(file_facet(graph, &label, &files[0], Some(imaged.bytes))?);
        let classes = ["uco-observable:Image", "uco-observable:File"];
        let members = json!({ "uco-core:description": description, "uco-core:hasFacet": facets });
        return Ok(vec![graph.add(&classes, &label, members)?]);
    }
    if seek > 0 {
        description.push(format!("the image starts at offset {seek} of the target"));
    }
    let members = json!({ "uco-core:description": description, "uco-core:hasFacet": facets });
    let mut added = vec![graph.add(&["uco-observable:Image"], &label, members)?];
    for (at, (path, stat)) in files.iter().zip(stats).enumerate() {
        let label = format!("{label}-{at}");
        let size = stat.is_file().then_some(stat.len());
        let facet = file_facet(graph, &label, path, size)?;
        let class = if stat.is_file() { "uco-observable:File" } else { "uco-observable:FileSystemObject" };
        let file = graph.add(&[class], &label, json!({ "uco-core:hasFacet": [facet] }))?;
        graph.contained(&label, added[0].clone(), &file)?;
        added.push(file);
    }
    Ok(added)
}

/// Remarks that belong to an image's digests.
fn described(account: &Account, number: usize) -> Vec<String> {
    let imaged = account.imaged;
    let mut described = vec!["digests are those of the image as written".to_owned()];
    if !imaged.bad.is_empty() {
        let bytes: u64 = imaged.bad.iter().map(|bad| bad.length).sum();
        let fill = match &account.asked.reading.policy.fill {
            Fill::Zeros => "zeros".to_owned(),
            Fill::Pattern(bytes) => hex::encode(bytes),
            Fill::Omitted => "left out".to_owned(),
        };
        let runs = imaged.bad.len();
        let recorded: u64 = imaged.bad.iter().filter(|bad| bad.loss == Loss::Recorded).map(|bad| bad.length).sum();
        let from_image = match recorded {
            0 => String::new(),
            _ => format!("; {recorded} of them were filled in when the source image was made"),
        };
        described.push(format!(
            "incomplete: {bytes} unreadable bytes of the source, in {runs} runs, are filled in ({fill}){from_image}"
        ));
    }
    if imaged.padded > 0 {
        described
            .push(format!("padded with {} zero bytes behind the end of the source, to whole sectors", imaged.padded));
    }
    for digest in imaged.digests.iter().filter(|digest| digest.text().is_some()) {
        described.push(format!("{}: {digest}", digest.algorithm()));
    }
    if let Some(compared) = account.compared.get(number) {
        let way = if os::EVICTS { "past" } else { "through" };
        described.push(format!("verified: {} bytes read back {way} the page cache, equal", compared.bytes));
    }
    described
}

/// Every unreadable run (`observable:DataRangeFacet`), contained within each image that `results`
/// begin with.
pub fn unreadable(graph: &mut Graph, account: &Account, results: &[Value]) -> io::Result<()> {
    let mut runs = Vec::new();
    for bad in &account.imaged.bad {
        let label = format!("unreadable-{}", bad.offset);
        let range = graph.node(
            &["uco-observable:DataRangeFacet"],
            &label,
            json!({ "uco-observable:rangeOffset": bad.offset, "uco-observable:rangeSize": bad.length,
                    "uco-observable:rangeOffsetType": "bytes from the start of the image" }),
        )?;
        let cause = bad.cause();
        let members =
            json!({ "uco-core:description": format!("unreadable, filled in: {cause}"), "uco-core:hasFacet": [range] });
        runs.push(graph.add(&["uco-observable:ContentData"], &label, members)?);
    }
    let is_image = |result: &&Value| result["@id"].as_str().is_some_and(|id| id.starts_with("kb:Image-"));
    for (number, image) in results.iter().filter(is_image).enumerate().filter(|_| !runs.is_empty()) {
        graph.contained(&format!("unreadable-in-{number}"), json!(runs), image)?;
    }
    Ok(())
}
