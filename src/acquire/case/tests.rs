use super::*;
use crate::acquire::{ImageFormat, Origin, Reading, Request, To};
use pfh_engine::imaging::{ImagingResult, Times};
use pfh_source::Time;
use pfh_source::device::{Bad, Facts, Kind, Loss};
use serde_json::Value;

fn document_of(source: Source, change: impl FnOnce(&mut Request, &mut ImagingResult)) -> io::Result<Value> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml");
    let algorithms = vec!["md5".parse().unwrap(), crate::REGISTRY.find("ssdeep").unwrap()];
    let digests = algorithms.iter().map(|algorithm: &pfh_digest::Algorithm| algorithm.hasher().finalize()).collect();
    let mut imaged = ImagingResult {
        bytes: std::fs::metadata(&target)?.len(),
        padded: 0,
        digests,
        pieces: Vec::new(),
        marks: Vec::new(),
        bad: Vec::new(),
        retried: 0,
        failed: Vec::new(),
        stopped: None,
        times: Times::default(),
    };
    let mut asked = Request::new(Origin::Medium("/dev/sdz".into()), vec![To { path: target, form: ImageFormat::RAW }]);
    asked.reading = Reading::new(algorithms);
    asked.about = Default::default();
    change(&mut asked, &mut imaged);
    let [started, ended] = [1_795_000_000, 1_795_000_060].map(|seconds| Time { seconds, nanoseconds: 0 });
    let account = Account {
        asked: &asked,
        targets: &asked.targets,
        about: &asked.about,
        source,
        imaged: &imaged,
        compared: &[],
        resumed_at: 0,
        started,
        ended,
        command_line: "pfh",
    };
    let text = document(&account)?;
    assert_eq!(document(&account)?, text, "the same account, the same document");
    Ok(serde_json::from_str(&text)?)
}

fn of_class<'a>(document: &'a Value, class: &str) -> Vec<&'a Value> {
    let is = |node: &&Value| node["@id"].as_str().unwrap().starts_with(&format!("kb:{class}-"));
    document["@graph"].as_array().unwrap().iter().filter(is).collect()
}

fn facts(words: &[(&'static str, &str)]) -> Facts {
    words.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
}

const DISK: [(&str, &str); 4] = [("model", "Flash 3"), ("vendor", "ACME"), ("serial", "S1"), ("firmware", "1.0")];

#[test]
fn a_disk_is_described_by_maker_model_and_serial_number() {
    let facts = facts(&DISK);
    let document = document_of(Source { kind: Kind::Device, size: Some(1 << 40), facts: &facts }, |_, _| {}).unwrap();
    let disk = of_class(&document, "Device")[0];
    let facets = &disk["uco-core:hasFacet"];
    assert_eq!(disk["uco-core:description"], json!(["firmware: 1.0"]));
    assert_eq!(facets[0]["uco-observable:model"], "Flash 3");
    assert_eq!(facets[0]["uco-observable:serialNumber"], "S1");
    assert_eq!(facets[0]["uco-observable:manufacturer"]["@id"], of_class(&document, "Organization")[0]["@id"]);
    assert_eq!(facets[1]["uco-observable:totalStorageCapacityInBytes"], 1_u64 << 40);
    let action = of_class(&document, "InvestigativeAction")[0];
    assert_eq!(action["uco-action:object"]["@id"], disk["@id"]);
    assert_eq!(action["uco-action:startTime"]["@value"], "2026-11-18T11:06:40Z");
}

#[test]
fn a_partition_is_described_beside_its_disk() {
    let facts = facts(&[&DISK[..], &[("partition", "2"), ("start-sector", "2048")]].concat());
    let document = document_of(Source { kind: Kind::Device, size: Some(4096), facts: &facts }, |_, _| {}).unwrap();
    let (part, disk) = (of_class(&document, "DiskPartition")[0], of_class(&document, "Device")[0]);
    let facet = &part["uco-core:hasFacet"][0];
    assert_eq!(facet["uco-observable:partitionID"], "2");
    assert_eq!(facet["uco-observable:partitionOffset"], 1 << 20);
    assert_eq!(facet["uco-observable:partitionLength"], 4096);
    assert_eq!(disk["uco-core:hasFacet"][0]["uco-observable:model"], "Flash 3");
    let relation = of_class(&document, "ObservableRelationship")[0];
    assert_eq!(
        (&relation["uco-core:source"]["@id"], &relation["uco-core:target"]["@id"]),
        (&part["@id"], &disk["@id"])
    );
    assert_eq!(of_class(&document, "InvestigativeAction")[0]["uco-action:object"]["@id"], part["@id"]);
}

#[test]
fn names_change_with_any_fact() {
    let facts = Facts::new();
    let source = Source { kind: Kind::File, size: Some(1), facts: &facts };
    let image = |document: &Value| of_class(document, "Image")[0]["@id"].clone();
    let plain = document_of(source, |_, _| {}).unwrap();
    let bad = Bad { offset: 0, length: 1, errno: 5, loss: Loss::Unreadable };
    let others = [
        document_of(source, |asked, _| asked.about.case_number = "7".into()).unwrap(),
        document_of(source, |_, imaged| imaged.bad.push(bad)).unwrap(),
        document_of(source, |_, imaged| drop(imaged.digests.pop())).unwrap(),
    ];
    for other in &others {
        assert_ne!(image(&plain), image(other));
    }
}

#[test]
fn a_similarity_digest_is_described_for_it_is_not_hexadecimal() {
    let facts = Facts::new();
    let document = document_of(Source { kind: Kind::File, size: Some(1), facts: &facts }, |_, _| {}).unwrap();
    let image = of_class(&document, "Image")[0];
    let hashes = image["uco-core:hasFacet"][1]["uco-observable:hash"].as_array().unwrap();
    assert_eq!(hashes.len(), 1);
    assert_eq!(hashes[0]["uco-types:hashMethod"], "MD5");
    assert_eq!(image["uco-core:description"][1], "ssdeep: 3::");
}

#[test]
fn an_incomplete_acquisition_is_not_described() {
    let facts = Facts::new();
    let source = Source { kind: Kind::File, size: Some(1), facts: &facts };
    assert!(document_of(source, |_, imaged| imaged.stopped = Some(pfh_source::device::Stop::Cancelled)).is_err());
    assert!(document_of(source, |asked, _| asked.targets.clear()).is_err());
}
