//! Volumes of DFXML, in the order of records.

use crate::records::stream;
use pfh_digest::Algorithm;
use pfh_engine::{Outcome, Record, Summary};
use pfh_manifest::{Format, Layout, Preamble};
use pfh_source::{Extent, Inside, Passage, Volume, Volumes};
use std::sync::Arc;

fn volume(name: &str, offset: Option<u64>) -> Passage {
    let container = name.split("!/").next().unwrap_or_default().into();
    let (name, kind, block_size, allocated_only) = (name.into(), "ext4", 1024, true);
    Passage::Into(Arc::new(Volume { name, container, offset, kind, block_size, allocated_only, ..Volume::default() }))
}

/// A record of a file with one run, in a file system of this kind.
fn file(number: u64, name: &str, kind: &'static str, volume_offset: Option<u64>) -> Record {
    let md5: Algorithm = "md5".parse().expect("md5");
    let mut record = stream(name.as_bytes(), 3, &[md5.digest(b"abc")]);
    record.number = number;
    let container = name.split("!/").next().unwrap_or_default().into();
    let runs = vec![Extent { file_offset: 0, offset: Some(2048), length: 3 }];
    let Outcome::Hashed(hashed) = &mut record.outcome else { panic!("a record with digests") };
    hashed.closed.inside = Some(Arc::new(Inside { container, kind, volume_offset, runs, ..Inside::default() }));
    record
}

/// The document without its head, as lines.
fn written(passages: Vec<(u64, Passage)>, records: &[Record]) -> Vec<String> {
    let volumes = Arc::<Volumes>::default();
    passages.into_iter().for_each(|(number, passage)| volumes.add(number, passage));
    let algorithms = ["md5".parse().expect("md5")];
    let mut encoder = Format::Dfxml.encoder(Layout::default()).expect("a layout that fits");
    let mut out = Vec::new();
    let preamble = Preamble { algorithms: &algorithms, volumes: Some(&volumes), ..Preamble::default() };
    encoder.head(&mut out, &preamble).expect("algorithms");
    for record in records {
        let _ = encoder.record(&mut out, record).expect("a record");
    }
    encoder.tail(&mut out, &Summary::default());
    let text = String::from_utf8(out).expect("UTF-8");
    let shown = ["<volume", "</volume", "<filename", "<byte_run f"];
    text.lines()
        .map(str::trim)
        .filter(|line| shown.iter().any(|start| line.starts_with(start)))
        .map(Into::into)
        .collect()
}

#[test]
fn a_volume_that_another_interrupts_goes_on_and_an_empty_one_is_there() {
    let passages = vec![
        (1, volume("i!/p1/", Some(512))),
        (2, volume("i!/p1/j!/", Some(0))),
        (3, Passage::Out),
        (4, Passage::Out),
        (4, volume("i!/p2/", Some(1024))),
        (4, Passage::Out),
    ];
    let records: Vec<Record> = ["i", "i!/p1/j", "i!/p1/j!/a", "i!/p1/b", "k"]
        .into_iter()
        .enumerate()
        .map(|(n, name)| {
            let mut record = stream(name.as_bytes(), 0, &[]);
            record.number = n as u64;
            record
        })
        .collect();
    let expected = [
        "<volume offset='512' pfh:name='i!/p1/'>",
        "<filename>i!/p1/j</filename>",
        "</volume>",
        "<volume offset='0' pfh:name='i!/p1/j!/'>",
        "<filename>i!/p1/j!/a</filename>",
        "</volume>",
        "<volume offset='512' pfh:name='i!/p1/' pfh:continued='1'>",
        "<filename>i!/p1/b</filename>",
        "</volume>",
        "<volume offset='1024' pfh:name='i!/p2/'>",
        "</volume>",
        "<filename>i</filename>",
        "<filename>k</filename>",
    ];
    assert_eq!(written(passages, &records), expected);
}

/// Data without a known place on the medium has none.
#[test]
fn runs_count_from_what_they_lie_in() {
    let passages =
        vec![(0, volume("i!/p1/", Some(512))), (2, Passage::Out), (2, volume("i!/vg0/root/", None)), (3, Passage::Out)];
    let records = [
        file(0, "i!/p1/a", "ext4", Some(512)),
        // A gap of a disk that is a file of this volume.
        file(1, "i!/p1/j!/4096!unallocated", "", None),
        file(2, "i!/vg0/root/b", "ext4", None),
        file(3, "i!/4096!unallocated", "", None),
    ];
    let mut records = records.to_vec();
    if let Outcome::Hashed(hashed) = &mut records[1].outcome {
        let inside = hashed.closed.inside.as_deref().cloned().unwrap_or_default();
        hashed.closed.inside = Some(Arc::new(Inside { container: b"i!/p1/j".to_vec(), ..inside }));
    }
    let runs: Vec<String> =
        written(passages, &records).into_iter().filter(|line| line.starts_with("<byte_run")).collect();
    let expected = [
        "<byte_run file_offset='0' fs_offset='2048' img_offset='2560' len='3'/>",
        "<byte_run file_offset='0' fs_offset='2048' len='3'/>",
        "<byte_run file_offset='0' img_offset='2048' len='3'/>",
    ];
    assert_eq!(runs, expected);
}
