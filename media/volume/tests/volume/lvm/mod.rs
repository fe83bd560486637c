//! LVM2 as its own tools write it: logical volumes in one piece and in several, over two physical
//! volumes, in stripes, and damaged ones.

mod types;

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pfh_inject::{Need, lacks, mutants};
use pfh_volume::{Bytes, Composition, Piece, Slice, account, compose, free_extents, is_piece};

use crate::image::{Bench, open, poke, run, text};
use crate::listing::{assert_same, items, volume_of};
use crate::tree::{self, noise};

const TOOLS: [Need; 4] = [Need::Loop, Need::Program("lvcreate"), Need::Program("mke2fs"), Need::Program("losetup")];

const MIB: u64 = 1 << 20;
/// Start and length of the two physical volumes on the medium.
const VOLUMES: [(u64, u64); 2] = [(MIB, 20 * MIB), (21 * MIB, 43 * MIB)];

/// Loop devices over ranges of an image, the image's path, and the tools that see nothing else.
struct Devices(Vec<String>, String);

impl Devices {
    fn new(image: &Path) -> Devices {
        let device = |(start, length): &(u64, u64)| {
            let (start, length) = (start.to_string(), length.to_string());
            let line = ["--find", "--show", "--offset", &start, "--sizelimit", &length, text(image)];
            run("losetup", &line).trim().to_owned()
        };
        Devices(VOLUMES.iter().map(device).collect(), text(image).to_owned())
    }

    /// An image of zeros and its devices.
    fn blank(bench: &Bench) -> (PathBuf, Devices) {
        let image = bench.blank("image", 64 * MIB);
        let devices = Devices::new(&image);
        (image, devices)
    }

    /// Makes both physical volumes.
    fn physical(&self) {
        self.lvm("pvcreate", &["-q", "-ff", "-y", &self.0[0], &self.0[1]]);
    }

    /// Makes a group of both, in extents of 1 MiB.
    fn group(&self) {
        self.lvm("vgcreate", &["-q", "-s", "1M", "vg0", &self.0[0], &self.0[1]]);
    }

    /// Runs a tool of LVM2, without the kernel's device mapper.
    fn lvm(&self, program: &str, arguments: &[&str]) -> String {
        let seen: Vec<String> = self.0.iter().map(|device| format!("\"a|^{device}$|\"")).collect();
        let devices = format!("devices{{use_devicesfile=0 filter=[{},\"r|.*|\"]}}", seen.join(","));
        let config = format!("{devices} activation{{udev_sync=0 udev_rules=0}} backup{{backup=0 archive=0}}");
        run(program, &[&["--driverloaded", "n", "--config", &config], arguments].concat())
    }
}

impl Drop for Devices {
    fn drop(&mut self) {
        for device in &self.0 {
            let _ = std::process::Command::new("losetup").args(["--detach", device]).status();
        }
        // The kernel detaches a device when its last reader closes it, perhaps another test's scan.
        for device in &self.0 {
            let path = PathBuf::from(device.replace("/dev/", "/sys/block/") + "/loop/backing_file");
            let is_this = || std::fs::read_to_string(&path).is_ok_and(|file| file.contains(&self.1));
            (0..100).take_while(|_| is_this()).for_each(|_| std::thread::sleep(std::time::Duration::from_millis(50)));
        }
    }
}

/// The physical volumes of an image.
fn physical(image: &Path) -> Vec<Arc<dyn Bytes>> {
    let medium = open(image);
    VOLUMES.map(|(start, length)| Arc::new(Slice::new(medium.clone(), start, length).unwrap()) as Arc<dyn Bytes>).into()
}

/// The volumes that these make up, by those of them that are physical volumes.
fn logical_volumes(volumes: &[Arc<dyn Bytes>]) -> Composition {
    compose(&volumes.iter().filter_map(|volume| Piece::of(b"", volume)).collect::<Vec<_>>())
}

fn whole(bytes: &dyn Bytes) -> Vec<u8> {
    let mut all = vec![0; bytes.size() as usize];
    bytes.read_exact_at(0, &mut all).unwrap();
    all
}

#[test]
fn linear_volumes_over_two_physical_ones() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, devices) = Devices::blank(&bench);
    let (root, part) = (bench.path("tree"), bench.blank("part", 46 * MIB));
    let [first, second] = [&devices.0[0], &devices.0[1]];
    devices.physical();
    devices.group();
    let create = ["-q", "-an", "-Zn", "-Wn", "-y"];
    devices.lvm("lvcreate", &[&create[..], &["-l", "12", "-n", "root", "vg0", first]].concat());
    devices.lvm("lvcreate", &[&create[..], &["-l", "46", "-n", "big", "vg0"]].concat());
    // The places of the extents as LVM2 states them; its data begin 1 MiB behind each start.
    let list = devices.lvm("lvs", &["--segments", "--noheadings", "-o", "lv_name,seg_start_pe,seg_pe_ranges"]);
    tree::plain(&root);
    run("mke2fs", &["-q", "-t", "ext4", "-d", text(&root), text(&part)]);
    let content = fs::read(&part).unwrap();
    let (file, mut segments) = (fs::OpenOptions::new().write(true).open(&image).unwrap(), 0);
    let small = noise(5, 12 << 20);
    for line in list.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (device, range) = words[2].split_once(':').unwrap();
        let (from, to) = range.split_once('-').unwrap();
        let number = |text: &str| text.parse::<u64>().unwrap() * MIB;
        let start = VOLUMES[usize::from(device == second.as_str())].0 + MIB + number(from);
        let (at, length) = (number(words[1]) as usize, (number(to) - number(from) + MIB) as usize);
        let source = if words[0] == "big" { &content } else { &small };
        file.write_all_at(&source[at..at + length], start).unwrap();
        segments += 1;
    }
    assert_eq!(segments, 3, "{list}");
    drop(devices);
    let volumes = physical(&image);
    assert!(volumes.iter().all(is_piece) && !is_piece(&open(&image)));
    let found: Vec<_> =
        logical_volumes(&volumes).volumes.into_iter().map(|found| found.map_err(|failed| failed.cause)).collect();
    let names: Vec<_> = found.iter().map(|found| found.as_ref().map(|volume| volume.name.clone())).collect();
    assert_eq!(names, [Ok(b"vg0/big".to_vec()), Ok(b"vg0/root".to_vec())]);
    let [Ok(big), Ok(root_volume)] = &found[..] else { unreachable!() };
    assert!(whole(&*big.bytes) == content);
    assert!(whole(&*root_volume.bytes) == small);
    let mut expected = tree::items(&root);
    expected.insert(b"lost+found".to_vec(), tree::Item::Directory);
    assert_same(&items(&volume_of(big.bytes.clone())), &expected);
    // The account: each extent is that of a volume or free.
    for (volume, free) in volumes.iter().zip([3, 0]) {
        let account = account::medium(volume).unwrap();
        let sum = |name: &str| {
            let of = account.extents.iter().filter(|extent| extent.name == name.as_bytes());
            of.map(|extent| extent.length).sum::<u64>() / MIB
        };
        let held = [sum("vg0/big"), sum("vg0/root"), account.sum(account::Holds::Free) / MIB];
        assert_eq!(held[0] + held[1] + held[2], volume.size() / MIB - 1, "{held:?}");
        assert_eq!(held[2], free, "{held:?}");
        assert_eq!(account.sum(account::Holds::Residue), 0);
        let ranges = free_extents(volume);
        assert_eq!(ranges.iter().map(|range| range.end - range.start).sum::<u64>(), free * MIB, "{ranges:?}");
    }
    // Without the second physical volume one of the two is whole.
    let found = logical_volumes(&volumes[..1]);
    assert!(!found.is_complete && found.warnings[0].cause.contains("without its physical volumes"));
    let said: Vec<_> =
        found.volumes.iter().map(|found| found.as_ref().map_or_else(|failed| failed.cause.as_str(), |_| "")).collect();
    assert!(said.len() == 2 && said[0].contains("is not there") && said[1].is_empty(), "{said:?}");
}

#[test]
fn a_striped_volume_is_read_and_damage_is_a_failure() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, devices) = Devices::blank(&bench);
    devices.physical();
    // A physical volume without a group is not an empty one.
    let alone = logical_volumes(&physical(&image)).volumes;
    assert!(alone.len() == 2 && alone.iter().all(Result::is_err));
    devices.group();
    devices.lvm("lvcreate", &["-q", "-an", "-Zn", "-Wn", "-y", "-i2", "-I64k", "-l", "4", "-n", "two", "vg0"]);
    drop(devices);
    // Chunks in turn on both, whose data begin 1 MiB behind each start.
    let content = noise(6, 4 << 20);
    let file = fs::OpenOptions::new().write(true).open(&image).unwrap();
    for (number, chunk) in content.chunks(64 << 10).enumerate() {
        let start = VOLUMES[number % 2].0 + MIB + (number as u64 / 2) * (64 << 10);
        file.write_all_at(chunk, start).unwrap();
    }
    let found = logical_volumes(&physical(&image));
    let [Ok(two)] = &found.volumes[..] else { panic!("no volume") };
    assert!(two.name == b"vg0/two" && whole(&*two.bytes) == content);
    let found = logical_volumes(&physical(&image)[1..]).volumes;
    let failed = found[0].as_ref().err().expect("a failure");
    assert!(failed.path == b"vg0/two" && failed.cause.contains("is not there"), "{failed:?}");
    // The text, its head and the label have checksums.
    for (start, _) in VOLUMES {
        poke(&image, start + 4096 + 8, b"X");
    }
    assert!(logical_volumes(&physical(&image)).volumes.iter().all(Result::is_err));
    // A byte of the random identifier, which is letters and digits alone: a letter could be the
    // present one.
    for (start, _) in VOLUMES {
        poke(&image, start + 512 + 40, b"\0");
    }
    let said = logical_volumes(&physical(&image)).volumes;
    assert!(said.iter().all(|found| found.as_ref().is_err_and(|failed| failed.cause.contains("label"))));
}

/// Metadata with bytes that were changed: the reader always ends.
#[test]
fn mutants_end() {
    if lacks(&TOOLS) {
        return;
    }
    let bench = Bench::new();
    let (image, devices) = Devices::blank(&bench);
    devices.physical();
    devices.group();
    devices.lvm("lvcreate", &["-q", "-an", "-Zn", "-Wn", "-y", "-l", "46", "-n", "big", "vg0"]);
    drop(devices);
    let mut raw = fs::read(&image).unwrap();
    raw.truncate(2 << 20);
    let one = raw[1 << 20..].to_vec();
    for seed in 1..=mutants() {
        let mut bytes = one.clone();
        for pair in noise(seed, 24).chunks(8) {
            let number = u64::from_le_bytes(pair.try_into().unwrap());
            let at = 512 + (number >> 8) as usize % 12_000;
            bytes[at] = number as u8;
        }
        // Half of them with checksums that hold.
        if seed % 2 == 0 {
            seal(&mut bytes);
        }
        for found in logical_volumes(&[Arc::new(bytes)]).volumes.into_iter().flatten() {
            let _ = found.bytes.read_at(found.bytes.size() / 2, &mut [0; 4096]);
        }
    }
}

/// Makes the checksums of label, head and text hold.
fn seal(bytes: &mut [u8]) {
    let crc = |bytes: &[u8]| {
        let step = |sum: u32| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
        bytes.iter().fold(0xf597_a6cf_u32, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum)))
    };
    let sum = crc(&bytes[512 + 20..1024]);
    bytes[512 + 16..512 + 20].copy_from_slice(&sum.to_le_bytes());
    let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    let (offset, length) = (number(bytes, 4096 + 40), number(bytes, 4096 + 48));
    if let Some(text) = offset.checked_add(length).and_then(|end| bytes.get(4096 + offset..4096 + end)) {
        let sum = crc(text);
        bytes[4096 + 56..4096 + 60].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = crc(&bytes[4096 + 4..4096 + 512]);
    bytes[4096..4100].copy_from_slice(&sum.to_le_bytes());
}
