//! Tables that sfdisk writes.

use std::path::Path;

use pfh_inject::{Need, lacks};
use pfh_volume::{PartitionTable, Scheme, Usage, VolumeContent, file_system, partitions};

use crate::image::{Bench, open, poke, run, run_with, text};

const MIB: u64 = 1 << 20;

/// Number, usage, first and length in sectors of everything in a table.
fn outline(table: &PartitionTable) -> Vec<(Option<u32>, Usage, u64, u64)> {
    let unit = u64::from(table.sector_size);
    table.partitions.iter().map(|part| (part.number, part.usage, part.start / unit, part.length / unit)).collect()
}

/// Writes a table as a disk with sectors of this size has it.
fn divide(image: &Path, sector: u64, script: &str) {
    let device = run("losetup", &["--find", "--show", "--sector-size", &sector.to_string(), text(image)]);
    run_with("sfdisk", &["--quiet", device.trim()], script.as_bytes());
    run("losetup", &["--detach", device.trim()]);
}

#[test]
fn an_mbr_with_logical_partitions() {
    if lacks(&[Need::Program("sfdisk")]) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("mbr", 64 * MIB);
    let script =
        b"label: dos\nlabel-id: 0xcafe0001\n2048,8192,83\n10240,4096,7\n20480,81920,5\n\n22528,4096,83\n30000,4096,b\n";
    run_with("sfdisk", &["--quiet", text(&image)], script);
    let table = partitions(&open(&image)).unwrap();
    assert_eq!((table.scheme, table.sector_size, table.id.as_str()), (Scheme::Mbr, 512, "cafe0001"));
    let dump = run("sfdisk", &["--dump", text(&image)]);
    let listed = |number: u32| {
        let line = dump.lines().find(|line| line.starts_with(&format!("{}{number} :", text(&image)))).expect("a line");
        let field = |name: &str| {
            let rest = line.split(name).nth(1).expect("a field");
            rest.trim_start().split([',', ' ']).next().expect("a value").to_owned()
        };
        let number_of = |name: &str| field(name).parse::<u64>().expect("a number");
        (number_of("start="), number_of("size="), format!("{:#04x}", u8::from_str_radix(&field("type="), 16).unwrap()))
    };
    let found: Vec<_> = table.partitions.iter().filter_map(|part| Some((part.number?, part))).collect();
    assert_eq!(found.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [1, 2, 3, 5, 6]);
    for (number, part) in found {
        assert_eq!((part.start / 512, part.length / 512, part.kind.clone()), listed(number), "partition {number}");
        assert_eq!(part.usage == Usage::Extended, number == 3);
    }
    // The gaps are the rest of the medium.
    let covered: u64 =
        table.partitions.iter().filter(|part| part.usage != Usage::Extended).map(|part| part.length).sum();
    assert_eq!(covered, 64 * MIB);
    assert_eq!(outline(&table)[0], (None, Usage::Unallocated, 0, 2048));
    assert_eq!(table.warnings, []);

    // A chain that leads to itself ends: the second boot record's link is its own sector.
    let second = table.partitions.iter().find(|part| part.number == Some(5)).unwrap().start - 2048 * 512;
    let link: Vec<u8> = [&[0, 0, 0, 0, 5, 0, 0, 0][..], &0u32.to_le_bytes(), &100u32.to_le_bytes()].concat();
    poke(&image, second + 446 + 16, &link);
    let table = partitions(&open(&image)).unwrap();
    assert!(table.warnings.iter().any(|warning| warning.cause.contains("leads to itself")), "{:?}", table.warnings);
    assert!(table.partitions.iter().any(|part| part.number == Some(5)));
}

/// A boot record without its signature, or with a state that is none, is read where known volumes
/// begin at all of its entries, and not otherwise.
#[test]
fn a_boot_record_without_its_signature_is_read_where_volumes_prove_it() {
    if lacks(&[Need::Program("sfdisk"), Need::Program("mkfs.vfat")]) {
        return;
    }
    let bench = Bench::new();
    let (image, part) = (bench.blank("mbr", 32 * MIB), bench.blank("part", 8 * MIB));
    run_with("sfdisk", &["--quiet", text(&image)], b"label: dos\n2048,16384,6\n20480,16384,6\n");
    run("mkfs.vfat", &[text(&part)]);
    let volume = std::fs::read(&part).unwrap();
    poke(&image, MIB, &volume);
    let whole = std::fs::read(&image).unwrap();
    // The second entry leads to nothing that is known.
    poke(&image, 510, &[0, 0]);
    assert_eq!(partitions(&open(&image)).unwrap().scheme, Scheme::None);
    poke(&image, 10 * MIB, &volume);
    let table = partitions(&open(&image)).unwrap();
    let starts = [(None, 0), (Some(1), 2048), (None, 18432), (Some(2), 20480), (None, 36864)];
    let found: Vec<_> = table.partitions.iter().map(|part| (part.number, part.start / 512)).collect();
    assert!(table.scheme == Scheme::Mbr && found == starts, "{found:?}");
    assert_eq!(table.warnings[0].cause, "the boot record has no signature (55 AA)");
    // With its signature, and 0x7f where 0 or 0x80 is the state of a partition.
    poke(&image, 510, &[0x55, 0xaa]);
    poke(&image, 446, &[0x7f]);
    let table = partitions(&open(&image)).unwrap();
    assert!(table.scheme == Scheme::Mbr && table.warnings[0].cause.ends_with("in a state that is none"));
    // Entries that overlap, or lead beyond the end, make none.
    for (at, bytes) in [(470, 4096_u32), (474, 1 << 20), (458, 20_000)] {
        std::fs::write(&image, &whole).unwrap();
        poke(&image, 10 * MIB, &volume);
        poke(&image, 510, &[0, 0]);
        poke(&image, at, &bytes.to_le_bytes());
        assert_eq!(partitions(&open(&image)).unwrap().scheme, Scheme::None, "{at}");
    }
}

#[test]
fn a_gpt_of_either_sector_and_its_backup() {
    if lacks(&[Need::Program("sfdisk"), Need::Loop]) {
        return;
    }
    for sector in [512_u64, 4096] {
        let bench = Bench::new();
        let image = bench.blank("gpt", 64 * MIB);
        let script =
            "label: gpt\nstart=8MiB,size=16MiB,name=\"Grüße\"\nsize=8MiB,type=C12A7328-F81F-11D2-BA4B-00A0C93EC93B\n";
        divide(&image, sector, script);
        let whole = partitions(&open(&image)).unwrap();
        assert_eq!((whole.scheme, u64::from(whole.sector_size)), (Scheme::Gpt, sector));
        assert_eq!(whole.warnings, []);
        let [_, first, second, _] = &whole.partitions[..] else { panic!("{whole:?}") };
        assert_eq!((first.number, first.start, first.length), (Some(1), 8 * MIB, 16 * MIB));
        assert_eq!(first.name, "Grüße".as_bytes());
        assert_eq!(second.kind, "c12a7328-f81f-11d2-ba4b-00a0c93ec93b");
        let covered: u64 = whole.partitions.iter().map(|part| part.length).sum();
        assert_eq!(covered, 64 * MIB);

        // An entry that was changed: its CRC shows it, and the backup serves.
        poke(&image, 2 * sector + 60, b"X");
        let backup = partitions(&open(&image)).unwrap();
        assert_eq!(backup.partitions, whole.partitions);
        let causes: Vec<_> = backup.warnings.iter().map(|warning| warning.cause.as_str()).collect();
        assert!(
            causes[0].contains("the CRC of the entries is wrong") && causes[1].contains("backup is used"),
            "{causes:?}"
        );

        // Both: no table is made up. The byte is one of a random identifier: another than it was.
        let at = 64 * MIB - sector + 60;
        let was = std::fs::read(&image).unwrap()[at as usize];
        poke(&image, at, &[!was]);
        assert!(partitions(&open(&image)).unwrap_err().cause.contains("CRC"));
    }
}

#[test]
fn an_mbr_in_sectors_of_4096() {
    if lacks(&[Need::Program("sfdisk"), Need::Program("mkswap"), Need::Loop]) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("mbr", 64 * MIB);
    divide(&image, 4096, "label: dos\nstart=1MiB,size=16MiB,type=82\n");
    let volume = bench.blank("swap", 16 * MIB);
    run("mkswap", &[text(&volume)]);
    poke(&image, MIB, &std::fs::read(&volume).unwrap());
    let medium = open(&image);
    let table = partitions(&medium).unwrap();
    assert_eq!((table.sector_size, outline(&table)[1]), (4096, (Some(1), Usage::Partition, 256, 4096)));
    let swap = file_system(table.partitions[1].open(&medium).unwrap()).unwrap();
    assert!(matches!(swap, VolumeContent::Unread(name) if name == "swap"));
}

#[test]
fn a_medium_without_a_table_is_one_volume() {
    if lacks(&[Need::Program("mkfs.vfat")]) {
        return;
    }
    let bench = Bench::new();
    let image = bench.blank("fat", 16 * MIB);
    for blank in [true, false] {
        if !blank {
            run("mkfs.vfat", &[text(&image)]);
        }
        let table = partitions(&open(&image)).unwrap();
        assert_eq!((table.scheme, table.partitions.len(), table.warnings.len()), (Scheme::None, 1, 0));
        assert_eq!((table.partitions[0].start, table.partitions[0].length), (0, 16 * MIB));
    }
}

#[test]
fn hostile_tables_end_and_say_so() {
    // Entries in all four slots of type extended that lead everywhere, beyond the end too.
    let mut medium = vec![0; 1 << 16];
    medium[510..512].copy_from_slice(&[0x55, 0xaa]);
    for slot in 0..4 {
        let at = 446 + 16 * slot;
        medium[at + 4] = if slot < 3 { 5 } else { 0x83 };
        medium[at + 8..at + 12].copy_from_slice(&(0x7fff_fff0 + slot as u32).to_le_bytes());
        medium[at + 12..at + 16].copy_from_slice(&u32::MAX.to_le_bytes());
    }
    let table = partitions(&(std::sync::Arc::new(medium) as _)).unwrap();
    assert!(table.warnings.len() >= 4, "{:?}", table.warnings);
    assert_eq!(table.partitions.iter().filter(|part| part.usage == Usage::Partition).count(), 1);
}
