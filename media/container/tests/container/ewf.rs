//! E01 images: round trips, damage, hostile input, and the verdict of the format's own tools
//! (ewf-tools, The Sleuth Kit).

use pfh_container::Units;
use pfh_container::ewf::{
    CaseData, Compression, Compressor, Decompressor, Descriptor, Digests, Errors, Failure, FileHeader, Geometry, Index,
    Media, ReadAt, Table, Volume, Writer, extension,
};
use pfh_digest::Algorithm;
use proptest::prelude::*;
use std::io;
use std::path::Path;
use std::process::Command;

/// Segment files in memory.
#[derive(Clone, Default)]
pub struct Files(pub Vec<Vec<u8>>);

impl Files {
    fn take(&mut self, writer: &mut Writer) {
        for write in writer.take() {
            let segment = usize::from(write.segment);
            self.0.resize(self.0.len().max(segment), Vec::new());
            let file = &mut self.0[segment - 1];
            let end = write.offset as usize + write.bytes.len();
            file.resize(file.len().max(end), 0);
            file[write.offset as usize..end].copy_from_slice(&write.bytes);
        }
    }
}

impl ReadAt for Files {
    fn segments(&self) -> u16 {
        self.0.len() as u16
    }

    fn length(&self, segment: u16) -> io::Result<u64> {
        Ok(self.0[usize::from(segment) - 1].len() as u64)
    }

    fn read_at(&self, segment: u16, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let file = &self.0[usize::from(segment) - 1];
        let bytes = file.get(offset as usize..offset as usize + buffer.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

fn volume(length: usize, sectors_per_chunk: u32) -> Volume {
    let sectors = length as u64 / 512;
    Volume {
        media: Media::Fixed,
        is_physical: true,
        chunks: sectors.div_ceil(sectors_per_chunk.into()) as u32,
        sectors_per_chunk,
        bytes_per_sector: 512,
        sectors,
        compression: 1,
        error_granularity: 1,
        set: [0x5a; 16],
    }
}

fn about() -> CaseData {
    CaseData {
        case_number: "2026-17".into(),
        evidence_number: "E3".into(),
        description: "a disk, grün".into(),
        examiner: "J. Doe".into(),
        notes: "none at all".into(),
        model: "LOOP".into(),
        serial: "0815".into(),
        software: "pfh 0.1.0".into(),
        platform: "Linux".into(),
        acquired: 1_795_236_019,
    }
}

pub struct Image {
    pub chunk: u32,
    pub segment: u64,
    pub compression: Compression,
    pub errors: Errors,
}

impl Default for Image {
    fn default() -> Self {
        Image { chunk: 64, segment: u64::MAX, compression: Compression::Fast, errors: Errors::default() }
    }
}

impl Image {
    pub fn write(&self, data: &[u8]) -> Files {
        let mut files = Files::default();
        let volume = Volume { compression: self.compression.number(), ..volume(data.len(), self.chunk) };
        let mut writer = Writer::new(Geometry { volume, segment: self.segment }, about());
        let mut compressor = Compressor::new(self.compression);
        writer.set_errors(self.errors.0.len());
        for chunk in data.chunks(volume.chunk_length() as usize) {
            writer.push(&compressor.pack(chunk)).unwrap();
            files.take(&mut writer);
        }
        let sum = |name: &str| name.parse::<Algorithm>().unwrap().digest(data);
        let digests = Digests { md5: sum("md5").bytes().try_into().ok(), sha1: sum("sha1").bytes().try_into().ok() };
        writer.finish(data.len() as u64 / 512, &self.errors, &digests).unwrap();
        files.take(&mut writer);
        files
    }
}

fn read(files: &Files) -> Result<(Index, Vec<u8>), Failure> {
    let index = Index::open(files)?;
    let mut data = Vec::new();
    let tables = Units::default();
    let mut decompressor = Decompressor::default();
    for chunk in 0..index.chunks() {
        let at = index.locate(files, chunk, &tables)?;
        let mut stored = vec![0; at.stored];
        files.read_at(at.segment, at.offset, &mut stored).map_err(|error| Failure::Io {
            segment: at.segment,
            offset: at.offset,
            error,
        })?;
        let mut out = vec![0; at.length];
        decompressor.unpack(&stored, at.is_compressed, &mut out)?;
        data.extend_from_slice(&out);
    }
    Ok((index, data))
}

/// Half noise, half text, and zeros: all three kinds of chunks.
pub fn data(length: usize, seed: u32) -> Vec<u8> {
    let mut state = seed | 1;
    let mut noise = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state
    };
    (0..length)
        .map(|at| match at / 40_000 % 3 {
            0 => (noise() >> 24) as u8,
            1 => b"chunk of text "[at % 14],
            _ => 0,
        })
        .collect()
}

#[test]
fn images_of_all_kinds_round_trip() {
    for sectors in [1, 63, 64, 65, 128, 2 * 64 + 1, 3000] {
        for compression in [Compression::None, Compression::EmptyBlock, Compression::Fast, Compression::Best] {
            let data = data(sectors * 512, sectors as u32);
            let image = Image { compression, errors: Errors(vec![(0, 1)]), ..Image::default() };
            let (index, read) = read(&image.write(&data)).unwrap();
            assert!(read == data, "{sectors} sectors, {compression:?}");
            assert_eq!((&index.about, &index.errors), (&about(), &image.errors));
            assert_eq!(
                index.digests.md5.as_ref().map(|d| &d[..]),
                Some("md5".parse::<Algorithm>().unwrap().digest(&data).bytes())
            );
        }
    }
}

#[test]
fn many_segments_of_bounded_size() {
    let data = data(5 << 20, 3);
    let image = Image { segment: 25_000, chunk: 16, ..Image::default() };
    let files = image.write(&data);
    assert!(files.0.len() > 64, "{} segments", files.0.len());
    assert!(files.0.iter().all(|file| file.len() <= 25_000));
    assert!(read(&files).unwrap().1 == data);
    let mut missing = files.clone();
    missing.0.pop();
    assert!(read(&missing).is_err());
    let mut swapped = files;
    swapped.0.swap(10, 11);
    assert!(read(&swapped).is_err());
}

/// Sections beyond 2 GiB of a segment are reached through the table's base offset.
#[test]
fn bases_pass_two_gibibytes() {
    let table = Table { base: 5 << 30, entries: vec![76, 1 << 31 | 200] };
    let read = Table::decode(&table.encode()).unwrap();
    assert_eq!(
        (read.entry(0), read.entry(1), read.entry(2)),
        (Some(((5 << 30) + 76, false)), Some(((5 << 30) + 200, true)), None)
    );
}

#[test]
fn resumes_where_the_last_whole_section_ended() {
    let data = data(2048 * 16 * 512 * 3 + 4096, 11);
    let image = Image { chunk: 16, segment: 4 << 20, ..Image::default() };
    let whole = image.write(&data);
    assert!(whole.0.len() > 2);
    // Every state that a power cut may leave: all writes before some moment.
    let volume = volume(data.len(), 16);
    let mut writer = Writer::new(Geometry { volume, segment: image.segment }, about());
    let mut compressor = Compressor::new(image.compression);
    let mut writes = Vec::new();
    for chunk in data.chunks(16 * 512) {
        writer.push(&compressor.pack(chunk)).unwrap();
        writes.extend(writer.take());
    }
    let mut resumed_late = 0;
    for stop in (0..writes.len()).step_by(4) {
        let mut files = Files::default();
        let mut replay = Writer::new(Geometry { volume, segment: image.segment }, about());
        replay.take();
        for write in &writes[..stop] {
            let segment = usize::from(write.segment);
            files.0.resize(files.0.len().max(segment), Vec::new());
            let file = &mut files.0[segment - 1];
            let end = write.offset as usize + write.bytes.len();
            file.resize(file.len().max(end), 0);
            file[write.offset as usize..end].copy_from_slice(&write.bytes);
        }
        let Some(last) = Index::open_partial(&files).unwrap().and_then(|index| index.last) else { continue };
        files.0.truncate(last.segment.into());
        files.0[usize::from(last.segment) - 1].truncate(last.end as usize);
        let mut writer = Writer::resume(Geometry { volume, segment: image.segment }, about(), last);
        for chunk in data[last.chunks as usize * 16 * 512..].chunks(16 * 512) {
            writer.push(&compressor.pack(chunk)).unwrap();
        }
        let sum = |name: &str| name.parse::<Algorithm>().unwrap().digest(&data);
        let (md5, sha1) = (sum("md5").bytes().try_into().ok(), sum("sha1").bytes().try_into().ok());
        writer.finish(data.len() as u64 / 512, &image.errors, &Digests { md5, sha1 }).unwrap();
        files.take(&mut writer);
        assert!(files.0 == whole.0, "stopped after {stop} writes");
        resumed_late += 1;
    }
    assert!(resumed_late > 3);
}

/// Every bit of an image of each kind of chunk: a flip is an error, or changes nothing that is
/// read.
#[test]
fn every_flipped_bit_is_found_or_harmless() {
    let data = data(100 * 512, 5)[..90 * 512].to_vec();
    let image = Image { errors: Errors(vec![(3, 2)]), ..Image::default() };
    let files = image.write(&data);
    let (before, _) = read(&files).unwrap();
    let (mut found, mut harmless) = (0, Vec::new());
    for at in 0..files.0[0].len() {
        for bit in [0, 3, 7] {
            let mut flipped = files.clone();
            flipped.0[0][at] ^= 1 << bit;
            match read(&flipped) {
                Err(_) => found += 1,
                Ok((index, read)) => {
                    assert!(read == data, "byte {at}");
                    assert_eq!((&index.about, index.volume), (&before.about, before.volume), "byte {at}");
                    assert_eq!((&index.errors, index.digests), (&before.errors, before.digests), "byte {at}");
                    harmless.push(at);
                }
            }
        }
    }
    // The rest: unused bits behind the last code of a deflate stream (RFC 1951, 3.2.3), and the
    // spare level bits.
    assert!(found > 100_000 && harmless.len() < 40, "{found} found, harmless: {harmless:?}");
}

#[test]
fn hostile_images_are_refused_in_little_memory() {
    // A section that points back: sections would go round in a circle.
    let data = data(64 * 512, 1);
    let files = Image::default().write(&data);
    let sections = |file: &[u8]| {
        let (mut at, mut found) = (FileHeader::LENGTH, Vec::new());
        loop {
            let section = Descriptor::decode(&file[at..]).unwrap();
            found.push((at, section.clone()));
            if section.next == at as u64 {
                return found;
            }
            at = section.next as usize;
        }
    };
    let place = |kind: &str| sections(&files.0[0]).into_iter().find(|(_, s)| s.kind == kind).unwrap();
    let with = |at: usize, bytes: &[u8]| {
        let mut changed = files.clone();
        changed.0[0][at..at + bytes.len()].copy_from_slice(bytes);
        changed
    };
    let (at, sectors) = place("sectors");
    for (next, size) in
        [(13, sectors.size), (13, 0), (at as u64, 0), (u64::MAX, u64::MAX), (sectors.next, sectors.size - 1)]
    {
        let bad = Descriptor { kind: "sectors".into(), next, size }.encode();
        assert!(matches!(Index::open(&with(at, &bad)), Err(Failure::Malformed(_))));
    }
    // A chunk of 16 GiB, and a table of entries that go backwards.
    let (at, _) = place("volume");
    let vast = Volume { sectors_per_chunk: 1 << 25, chunks: 1, ..volume(64 * 512, 64) }.encode();
    assert!(Index::open(&with(at + Descriptor::LENGTH, &vast)).is_err());
    let big = Image { chunk: 16, ..Image::default() }.write(&data);
    let (at, table) = sections(&big.0[0]).into_iter().find(|(_, s)| s.kind == "table").unwrap();
    let mut entries = Table::decode(&big.0[0][at + Descriptor::LENGTH..table.next as usize]).unwrap();
    entries.entries.reverse();
    let mut changed = big;
    let length = Table::length(entries.entries.len()) as usize;
    for from in [at + Descriptor::LENGTH, table.next as usize + Descriptor::LENGTH] {
        changed.0[0][from..from + length].copy_from_slice(&entries.encode());
    }
    assert!(matches!(read(&changed), Err(Failure::Malformed(_))));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_image_reads_back(sectors in 1..400_usize, seed: u32, chunk in prop::sample::select(vec![16_u32, 64, 128]), segment in 90_000..400_000_u64) {
        let data = data(sectors * 512, seed);
        let files = Image { chunk, segment, ..Image::default() }.write(&data);
        prop_assert!(files.0.iter().all(|f| f.len() as u64 <= segment));
        prop_assert!(read(&files).unwrap().1 == data);
    }

    #[test]
    fn any_bytes_are_read_or_refused(mut bytes in prop::collection::vec(any::<u8>(), 0..4000), head: bool) {
        if head && bytes.len() >= FileHeader::LENGTH {
            bytes[..FileHeader::LENGTH].copy_from_slice(&FileHeader { segment: 1 }.encode());
        }
        let files = Files(vec![bytes]);
        prop_assert!(Index::open(&files).is_err());
        let _ = Index::open_partial(&files);
    }
}

fn has(tool: &str) -> bool {
    let found = Command::new(tool).arg("-V").output().is_ok();
    if !found {
        eprintln!("skipped: 1 oracle ({tool} is not installed)");
    }
    found
}

fn run(tool: &str, arguments: &[&str], directory: &Path) -> (bool, String) {
    let out = Command::new(tool).args(arguments).current_dir(directory).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    (out.status.success(), text)
}

/// The format's own tools read a written image, down to the fields.
#[test]
fn ewf_tools_agree() {
    let directory = tempfile::tempdir().unwrap();
    let data = data(7 << 20, 9);
    let errors = Errors(vec![(0, 1), (5000, 4), (14_335, 1)]);
    for (name, segment, compression) in [
        ("one", u64::MAX, Compression::Fast),
        ("many", 70_000, Compression::None),
        ("best", 1 << 20, Compression::Best),
    ] {
        let files = Image { segment, compression, errors: errors.clone(), ..Image::default() }.write(&data);
        for (number, bytes) in files.0.iter().enumerate() {
            let file = format!("{name}.{}", extension(number as u16 + 1).unwrap());
            std::fs::write(directory.path().join(file), bytes).unwrap();
        }
        let first = format!("{name}.E01");
        if has("ewfverify") {
            let (good, text) = run("ewfverify", &["-q", "-d", "sha1", &first], directory.path());
            assert!(good && text.contains("SUCCESS"), "{name}: {text}");
            let md5 = "md5".parse::<Algorithm>().unwrap().digest(&data).to_string();
            assert!(text.contains(&md5), "{name}: {text}");
        }
        if has("ewfinfo") {
            let (_, text) = run("ewfinfo", &["-d", "dm", &first], directory.path());
            let squeezed = text.split_whitespace().collect::<Vec<_>>().join(" ");
            for wanted in [
                "Case number: 2026-17",
                "Description: a disk, grün",
                "Examiner name: J. Doe",
                "Evidence number: E3",
                "Notes: none at all",
                "File format: EnCase 6",
                "Model: LOOP",
                "Serial number: 0815",
                "Is physical: yes",
                "Number of sectors: 14336",
                "at sector(s): 0 - 0 number: 1",
                "at sector(s): 5000 - 5003 number: 4",
                "at sector(s): 14335 - 14335 number: 1",
            ] {
                assert!(squeezed.contains(wanted), "{name}: {wanted:?} is missing in:\n{text}");
            }
        }
        if has("ewfexport") {
            let out = format!("{name}-out");
            let (good, text) = run("ewfexport", &["-q", "-u", "-f", "raw", "-t", &out, &first], directory.path());
            assert!(good, "{text}");
            let exported = std::fs::read(directory.path().join(format!("{out}.raw"))).unwrap();
            assert!(exported == data, "{name}: ewfexport");
        }
    }
}

/// Images that ewfacquire writes are read.
#[test]
fn reads_images_of_ewfacquire() {
    if !has("ewfacquire") {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let data = data(5 << 20, 21);
    std::fs::write(directory.path().join("a.raw"), &data).unwrap();
    for format in ["encase2", "encase3", "encase4", "encase5", "encase6", "encase7", "linen6", "ftk"] {
        for compression in ["none", "empty-block", "fast", "best"] {
            let target = format!("{format}-{compression}");
            let words = [
                "-u",
                "-q",
                "-C",
                "17",
                "-N",
                "words",
                "-f",
                format,
                "-c",
                compression,
                "-S",
                "1MiB",
                "-t",
                &target,
                "a.raw",
            ];
            let (good, text) = run("ewfacquire", &words, directory.path());
            assert!(good, "{text}");
            let mut files = Files::default();
            for segment in 1.. {
                match std::fs::read(directory.path().join(format!("{target}.{}", extension(segment).unwrap()))) {
                    Ok(bytes) => files.0.push(bytes),
                    Err(_) => break,
                }
            }
            let (index, read) = read(&files).unwrap_or_else(|e| panic!("{target}: {e}"));
            assert!(read == data, "{target}");
            assert_eq!((index.about.case_number.as_str(), index.about.notes.as_str()), ("17", "words"), "{target}");
        }
    }
}

/// EnCase 1 has neither a `sectors` section nor a copy of the table: the chunks follow the entries
/// in the table's own section.
#[test]
fn the_chunks_of_encase_1_lie_behind_the_entries() {
    let bytes: Vec<u8> = (0..96 << 10).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let stored: Vec<Vec<u8>> = bytes
        .chunks(32 << 10)
        .map(|chunk| [chunk, &pfh_container::ewf::checksum(chunk).to_le_bytes()].concat())
        .collect();
    let mut file = FileHeader { segment: 1 }.encode().to_vec();
    let section = |file: &mut Vec<u8>, kind: &str, payload: &[u8]| {
        let descriptor = Descriptor::new(kind, file.len() as u64, payload.len() as u64);
        file.extend(descriptor.encode());
        file.extend_from_slice(payload);
    };
    section(&mut file, "volume", &volume(bytes.len(), 64).encode());
    let start = file.len() + 76 + Table::length(stored.len()) as usize;
    let lengths = stored.iter().scan(start, |at, chunk| Some(std::mem::replace(at, *at + chunk.len()) as u32));
    let table = Table { base: 0, entries: lengths.collect() };
    section(&mut file, "table", &[table.encode(), stored.concat()].concat());
    let end = Descriptor::last("done", file.len() as u64).encode();
    file.extend(end);
    let mut files = Files(vec![file]);
    let index = Index::open(&files).unwrap();
    assert_eq!((index.chunks(), index.behind), (3, 0));
    let tables = Units::default();
    for (number, chunk) in stored.iter().enumerate() {
        let at = index.locate(&files, number as u64, &tables).unwrap();
        let mut found = vec![0; at.stored];
        files.read_at(at.segment, at.offset, &mut found).unwrap();
        assert_eq!((&found, at.is_compressed, at.length), (chunk, false, 32 << 10));
    }
    // Bytes behind the last section are counted.
    files.0[0].extend([7; 100]);
    assert_eq!(Index::open(&files).unwrap().behind, 100);
}
