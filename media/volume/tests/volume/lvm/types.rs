//! Logical volumes of each type, out of texts as LVM2 writes them, over chunks at the places where
//! the kernel puts them.

use std::sync::Arc;

use pfh_volume::{Bytes, Composition, Piece, compose};

use super::seal;
use crate::raid::layouts::{LAYOUTS, Layout};
use crate::raid::maker::{CHUNK, written};
use crate::tree::noise;

const EXTENT: usize = 16 << 10;
/// Where extents begin on a physical volume.
const START: usize = 1 << 20;

/// A group whose logical volumes are written one behind the other onto one physical volume, or a
/// part of them onto others.
#[derive(Default)]
struct Maker {
    text: String,
    /// The extents of each physical volume.
    data: Vec<Vec<u8>>,
}

impl Maker {
    /// Bytes on the physical volume `on`; the extent that they begin with.
    fn put(&mut self, on: usize, bytes: &[u8]) -> usize {
        self.data.resize(self.data.len().max(on + 1), Vec::new());
        let data = &mut self.data[on];
        let first = data.len() / EXTENT;
        data.extend_from_slice(bytes);
        data.resize(data.len().next_multiple_of(EXTENT), 0);
        first
    }

    /// A logical volume of one segment.
    fn volume(&mut self, name: &str, is_visible: bool, bytes: usize, segment: &str) {
        let status = if is_visible { "\"READ\", \"WRITE\", \"VISIBLE\"" } else { "\"READ\", \"WRITE\"" };
        let extents = bytes.div_ceil(EXTENT);
        self.text += &format!(
            "{name} {{ id = \"x\" status = [{status}] segment_count = 1\n\
             segment1 {{ start_extent = 0 extent_count = {extents} {segment} }} }}\n"
        );
    }

    /// A volume of bytes on one physical volume.
    fn linear(&mut self, name: &str, is_visible: bool, on: usize, bytes: &[u8]) {
        let first = self.put(on, bytes);
        let segment = format!("type = \"striped\" stripe_count = 1 stripes = [\"pv{on}\", {first}]");
        self.volume(name, is_visible, bytes.len(), &segment);
    }

    /// The physical volumes, each with the text.
    fn end(self) -> Vec<Vec<u8>> {
        let id = |on: usize| format!("identifierofaphysicalvolume{on:05}");
        let places: String = (0..self.data.len())
            .map(|on| {
                let count = self.data[on].len() / EXTENT;
                format!("pv{on} {{ id = \"{}\" pe_start = {} pe_count = {count} }}\n", id(on), START / 512)
            })
            .collect();
        let text = format!(
            "vg {{ id = \"group\" seqno = 3 extent_size = {} physical_volumes {{ {places} }}\n\
             logical_volumes {{ {} }} }}\n",
            EXTENT / 512,
            self.text
        );
        let image = |(on, data): (usize, &Vec<u8>)| {
            let mut image = vec![0; START];
            let mut put = |at: usize, bytes: &[u8]| image[at..at + bytes.len()].copy_from_slice(bytes);
            let number = |number: usize| (number as u64).to_le_bytes();
            put(512, b"LABELONE");
            put(520, &number(1));
            put(532, &32_u32.to_le_bytes());
            put(536, b"LVM2 001");
            put(544, id(on).as_bytes());
            // An area of data to the end, an area of metadata.
            put(544 + 40, &number(START));
            put(544 + 72, &number(4096));
            put(544 + 80, &number(START - 4096));
            put(4096 + 4, b" LVM2 x[5A%r0N*>");
            put(4096 + 20, &1_u32.to_le_bytes());
            put(4096 + 24, &number(4096));
            put(4096 + 32, &number(START - 4096));
            put(4096 + 40, &number(512));
            put(4096 + 48, &number(text.len()));
            put(4096 + 512, text.as_bytes());
            seal(&mut image);
            [&image[..], data].concat()
        };
        self.data.iter().enumerate().map(image).collect()
    }
}

fn composed(images: &[Vec<u8>]) -> Composition {
    let pieces = images.iter().map(|image| {
        let bytes: Arc<dyn Bytes> = Arc::new(image.clone());
        Piece::of(b"", &bytes).expect("a physical volume")
    });
    compose(&pieces.collect::<Vec<_>>())
}

/// The content of each volume that is read, or the reason why it is not.
fn found(composition: &Composition) -> Vec<(String, Result<Vec<u8>, String>)> {
    let text = |name: &[u8]| String::from_utf8(name.to_vec()).unwrap();
    let volume = |volume: &Result<pfh_volume::ComposedVolume, pfh_volume::Failure>| match volume {
        Ok(volume) => {
            let mut all = vec![0; volume.bytes.size() as usize];
            let read = volume.bytes.read_exact_at(0, &mut all).map_err(|error| error.to_string());
            (text(&volume.name), read.map(|()| all))
        }
        Err(failure) => (text(&failure.path), Err(failure.cause.clone())),
    };
    composition.volumes.iter().map(volume).collect()
}

fn layout(name: &str) -> &'static Layout {
    LAYOUTS.iter().find(|layout| layout.name == name).unwrap()
}

/// An array over volumes on physical volumes of their own; its bytes.
fn raid(maker: &mut Maker, name: &str, kind: &str, of: &Layout, metadata: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
    let (mut expected, devices) = written(of);
    let mut parts = Vec::new();
    for (on, data) in devices.iter().enumerate() {
        maker.linear(&format!("{name}_rmeta_{on}"), false, on, &metadata(on));
        maker.linear(&format!("{name}_rimage_{on}"), false, on, data);
        parts.push(format!("\"{name}_rmeta_{on}\", \"{name}_rimage_{on}\""));
    }
    // Whole extents, as far as the chunks that the table has reach.
    expected.truncate(expected.len() / EXTENT * EXTENT);
    let (count, list) = (devices.len(), parts.join(", "));
    let sectors = CHUNK / 512;
    let segment = format!("type = \"{kind}\" device_count = {count} stripe_size = {sectors} raids = [{list}]");
    maker.volume(name, true, expected.len(), &segment);
    expected
}

#[test]
fn arrays_and_mirrors_whole_and_with_a_physical_volume_less() {
    let mut maker = Maker::default();
    let types = [
        ("a", "raid5_la", "raid5-left-asymmetric of 4"),
        ("b", "raid5_ls", "raid5-left-symmetric of 4"),
        ("c", "raid5_n", "raid5-parity-last of 4"),
        ("d", "raid4", "raid5-parity-first of 4"),
        ("e", "raid6_zr", "raid6-ddf-zero-restart of 5"),
        ("f", "raid6_ls_6", "raid6-left-symmetric-6 of 5"),
        ("g", "raid10", "raid10-n2 of 4"),
    ];
    let mut expected: Vec<(String, Vec<u8>)> = Vec::new();
    for (name, kind, of) in types {
        let bytes = raid(&mut maker, name, kind, layout(of), |_| vec![0; 4096]);
        assert!(kind == "raid10" || !bytes.is_empty(), "{kind}");
        expected.push((format!("vg/{name}"), bytes));
    }
    let same = noise(4, 2 * EXTENT);
    maker.linear("m_mimage_0", false, 0, &same);
    maker.linear("m_mimage_1", false, 1, &same);
    maker.volume("m", true, same.len(), "type = \"mirror\" mirrors = [\"m_mimage_0\", 0, \"m_mimage_1\", 0]");
    expected.push(("vg/m".to_owned(), same));
    let images = maker.end();
    let composition = composed(&images);
    assert!(composition.is_complete && composition.warnings.is_empty());
    let whole: Vec<_> = expected.iter().map(|(name, bytes)| (name.clone(), Ok(bytes.clone()))).collect();
    assert!(found(&composition) == whole);
    for gone in 0..images.len() {
        let mut left = images.clone();
        left.remove(gone);
        let composition = composed(&left);
        assert!(composition.warnings[0].cause.contains("are read without its physical volumes"));
        assert!(!composition.is_complete && found(&composition) == whole, "without {gone}");
    }
    let two = found(&composed(&images[2..]));
    let read = two.iter().filter(|(_, bytes)| bytes.is_ok()).map(|(name, _)| &name[..]);
    assert_eq!(read.collect::<Vec<_>>(), ["vg/e", "vg/f"]);
    // Of RAID 10 it depends on which are missing.
    assert!(two[6].1.as_ref().unwrap_err().contains("more devices are missing"), "{:?}", two[6].0);
    let cause = two[0].1.as_ref().unwrap_err();
    assert!(cause.contains("2 of 4 devices of a raid5_la") && cause.contains("pv0"), "{cause}");
}

/// The metadata of a device of dm-raid.
fn state(events: u64, failed: u64, synced: u64) -> Vec<u8> {
    let numbers = [events, failed, u64::MAX, synced].into_iter().flat_map(u64::to_le_bytes);
    let mut state = [&b"DmRd"[..], &[0; 12]].concat();
    state.extend(numbers);
    state.resize(4096, 0);
    state
}

#[test]
fn devices_that_failed_are_not_read() {
    let of = layout("raid5-left-symmetric of 4");
    let make = |states: [Vec<u8>; 4], damaged: Option<usize>| {
        let mut maker = Maker::default();
        let expected = raid(&mut maker, "b", "raid5_ls", of, |on| states[on].clone());
        if let Some(on) = damaged {
            maker.data[on][EXTENT..].fill(0xaa);
        }
        (expected, found(&composed(&maker.end())).remove(0).1)
    };
    let sound = state(9, 0, u64::MAX);
    let (expected, read) = make([sound.clone(), sound.clone(), sound.clone(), sound.clone()], None);
    assert!(read.unwrap() == expected);
    // By the word of the others, and by its own count of changes.
    let without = state(9, 4, u64::MAX);
    for own in [without.clone(), state(5, 0, u64::MAX)] {
        let (expected, read) = make([without.clone(), without.clone(), own, without.clone()], Some(2));
        assert!(read.unwrap() == expected);
    }
    let two = state(9, 6, u64::MAX);
    let (_, read) = make([two.clone(), two.clone(), two.clone(), two], None);
    assert!(read.unwrap_err().contains("1 failed; 2 failed"));
}

#[test]
fn a_snapshot_keeps_what_differs() {
    let mut maker = Maker::default();
    let origin = noise(8, 16 * EXTENT);
    maker.linear("root", true, 0, &origin);
    // Chunks of 4 KiB: the head, a list, and behind it the chunks that it names.
    let chunk = 4096;
    let mut store = vec![0; 4 * EXTENT];
    let mut put = |at: usize, bytes: &[u8]| store[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, b"SnAp");
    for (at, number) in [(4, 1_u32), (8, 1), (12, 8)] {
        put(at, &number.to_le_bytes());
    }
    let mut expected = origin.clone();
    for (index, old) in [3_usize, 60, 17].into_iter().enumerate() {
        let kept = noise(90 + index as u64, chunk);
        put(chunk + 16 * index, &(old as u64).to_le_bytes());
        put(chunk + 16 * index + 8, &(index as u64 + 2).to_le_bytes());
        put((index + 2) * chunk, &kept);
        expected[old * chunk..][..chunk].copy_from_slice(&kept);
    }
    maker.linear("yesterday", false, 0, &store);
    let segment = "type = \"snapshot\" chunk_size = 8 origin = \"root\" cow_store = \"yesterday\"";
    maker.volume("snapshot0", true, origin.len(), segment);
    let images = maker.end();
    let read = found(&composed(&images));
    assert!(read == [("vg/root".to_owned(), Ok(origin)), ("vg/yesterday".to_owned(), Ok(expected))]);
    // One that has no room left is worth nothing.
    let mut full = images[0].clone();
    full[START + 16 * EXTENT + 4] = 0;
    assert!(found(&composed(&[full]))[1].1.as_ref().unwrap_err().contains("overflowed"));
}

/// A block of a pool's metadata with its checksum.
fn block(mut bytes: Vec<u8>, seed: u32) -> Vec<u8> {
    bytes.resize(4096, 0);
    // CRC-32C, bit by bit.
    let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0x82f6_3b78 } else { sum >> 1 };
    let sum = bytes[4..].iter().fold(!0_u32, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)));
    bytes[..4].copy_from_slice(&(sum ^ seed).to_le_bytes());
    bytes
}

/// A node of a tree: 1 of inner ones, 2 of leaves.
fn node(at: u64, kind: u32, entries: &[(u64, u64)]) -> Vec<u8> {
    let most = 252;
    let mut bytes = vec![0; 4096];
    let mut put = |at: usize, number: &[u8]| bytes[at..at + number.len()].copy_from_slice(number);
    put(4, &kind.to_le_bytes());
    put(8, &at.to_le_bytes());
    put(16, &(entries.len() as u32).to_le_bytes());
    put(20, &(most as u32).to_le_bytes());
    put(24, &8_u32.to_le_bytes());
    for (index, (key, value)) in entries.iter().enumerate() {
        put(32 + 8 * index, &key.to_le_bytes());
        put(32 + 8 * (most + index), &value.to_le_bytes());
    }
    block(bytes, 121_107)
}

#[test]
fn volumes_of_a_pool() {
    let mut maker = Maker::default();
    let data = noise(9, 16 * EXTENT);
    let mut head = vec![0; 4096];
    head[32..40].copy_from_slice(&27_022_010_u64.to_le_bytes());
    head[40] = 2;
    head[320] = 1;
    head[336..340].copy_from_slice(&(EXTENT as u32 / 512).to_le_bytes());
    head[340] = 8;
    // Volume 7 has a tree of two levels, volume 9 one leaf, with blocks that it shares.
    let metadata = [
        block(head, 160_774),
        node(1, 2, &[(7, 2), (9, 5)]),
        node(2, 1, &[(0, 3), (6, 4)]),
        node(3, 2, &[(1, 11 << 24 | 3), (2, 4 << 24)]),
        node(4, 2, &[(6, 0), (7, 15 << 24 | 1)]),
        node(5, 2, &[(1, 11 << 24 | 3), (3, 8 << 24)]),
    ];
    maker.linear("p_tmeta", false, 0, &metadata.concat());
    maker.linear("p_tdata", false, 1, &data);
    let pool = "type = \"thin-pool\" metadata = \"p_tmeta\" pool = \"p_tdata\" chunk_size = 128";
    maker.volume("p", true, data.len(), pool);
    for (name, id) in [("home", 7), ("older", 9), ("none", 8)] {
        let segment = format!("type = \"thin\" thin_pool = \"p\" transaction_id = 1 device_id = {id}");
        maker.volume(name, true, 8 * EXTENT, &segment);
    }
    let volume = |blocks: &[(usize, usize)]| {
        let mut bytes = vec![0; 8 * EXTENT];
        for (at, from) in blocks {
            bytes[at * EXTENT..][..EXTENT].copy_from_slice(&data[from * EXTENT..][..EXTENT]);
        }
        bytes
    };
    let images = maker.end();
    let read = found(&composed(&images));
    let names: Vec<&str> = read.iter().map(|(name, _)| &name[..]).collect();
    assert_eq!(names, ["vg/home", "vg/none", "vg/older"]);
    assert!(read[0].1.as_ref().unwrap() == &volume(&[(1, 11), (2, 4), (6, 0), (7, 15)]));
    assert!(read[1].1.as_ref().unwrap_err().contains("the pool has no volume 8"));
    assert!(read[2].1.as_ref().unwrap() == &volume(&[(1, 11), (3, 8)]));
    // A damaged node is an error in its place; a pool that leads in circles ends.
    let mut damaged = images.clone();
    damaged[0][START + 4 * 4096 + 100] ^= 1;
    let composition = composed(&damaged);
    let Ok(home) = &composition.volumes[0] else { panic!("no volume") };
    assert!(home.bytes.read_at(0, &mut [0; 512]).is_ok());
    let failed = home.bytes.read_at(6 * EXTENT as u64, &mut [0; 512]).unwrap_err();
    assert!(failed.to_string().contains("block 4 of the pool's metadata is damaged"), "{failed}");
    let mut circle = images.clone();
    circle[0][START + 2 * 4096..][..4096].copy_from_slice(&node(2, 1, &[(0, 2)]));
    let composition = composed(&circle);
    let Ok(home) = &composition.volumes[0] else { panic!("no volume") };
    assert!(home.bytes.read_at(0, &mut [0; 512]).unwrap_err().to_string().contains("too deep"));
}
