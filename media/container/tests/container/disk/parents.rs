//! Differences to a parent: chains that QEMU makes, and differencing VHDs and VHDXs, which the
//! tests make out of QEMU's plain ones.

use super::folder::{disk, noise, open_path, run, same};
use pfh_container::disk::Failure;
use pfh_inject::{Need, lacks};
use std::path::Path;

const TOOLS: [Need; 2] = [Need::Program("qemu-img"), Need::Program("qemu-io")];

fn qemu(room: &Path, words: &str) {
    run(room, "qemu-img", &words.split(' ').collect::<Vec<_>>());
}

fn cause(path: &Path) -> String {
    match open_path(path) {
        Err(failure @ (Failure::Refused(_) | Failure::Malformed { .. })) => failure.to_string(),
        Err(failure) => panic!("{}: {failure}", path.display()),
        Ok(_) => panic!("{} was opened", path.display()),
    }
}

/// The content of an image as QEMU reads it.
fn converted(room: &Path, image: &str) -> Vec<u8> {
    qemu(room, &format!("convert -O raw {image} out"));
    std::fs::read(room.join("out")).unwrap()
}

#[test]
fn chains_of_qcow2_and_vmdk_are_read_as_qemu_reads_them() {
    if lacks(&TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let room = folder.path();
    std::fs::write(room.join("raw"), disk()).unwrap();
    let write = |image: &str, format: &str, what: &[&str]| {
        let commands = what.iter().flat_map(|what| ["-c", what]).collect::<Vec<_>>();
        run(room, "qemu-io", &[&["-f", format][..], &commands, &[image]].concat());
    };
    qemu(room, "convert -O qcow2 raw base.qcow2");
    qemu(room, "create -q -f qcow2 -b base.qcow2 -F qcow2 mid.qcow2");
    write("mid.qcow2", "qcow2", &["write -P 7 64k 200k", "write -z 1M 128k"]);
    // Longer than its parent; states for parts of clusters.
    qemu(room, "create -q -f qcow2 -o extended_l2=on -b mid.qcow2 -F qcow2 top.qcow2 9M");
    write("top.qcow2", "qcow2", &["write -P 9 100k 5k", "write -z 2M 4k", "write -P 1 8M 1k"]);
    // Raw bytes that look like an image stay raw where the image says so.
    qemu(room, "create -q -f qcow2 -b base.qcow2 -F raw rawchild.qcow2");
    write("rawchild.qcow2", "qcow2", &["write -P 5 66k 1k"]);
    qemu(room, "convert -O vmdk raw base.vmdk");
    qemu(room, "create -q -f vmdk -b base.vmdk -F vmdk child.vmdk");
    write("child.vmdk", "vmdk", &["write -P 3 1M 70k"]);
    for image in ["mid.qcow2", "top.qcow2", "rawchild.qcow2", "child.vmdk"] {
        let found = open_path(&room.join(image)).unwrap();
        assert!(found.notes().iter().any(|note| note.starts_with("a difference to \"")), "{image}");
        same(&*found, &converted(room, image), image);
    }
    // A parent that is gone, elsewhere, changed since, or the image itself.
    std::fs::create_dir(room.join("d")).unwrap();
    for image in ["mid.qcow2", "child.vmdk"] {
        std::fs::copy(room.join(image), room.join("d").join(image)).unwrap();
        assert!(cause(&room.join("d").join(image)).contains("which is not beside it"), "{image}");
    }
    qemu(room, "convert -O vmdk raw base.vmdk");
    assert!(cause(&room.join("child.vmdk")).contains("is another disk, or was changed"));
    std::fs::copy(room.join("mid.qcow2"), room.join("base.qcow2")).unwrap();
    assert!(cause(&room.join("mid.qcow2")).contains("which it is itself"));
    qemu(room, "create -q -f qcow2 -u -b b.qcow2 -F qcow2 a.qcow2 1M");
    qemu(room, "create -q -f qcow2 -u -b a.qcow2 -F qcow2 b.qcow2 1M");
    assert!(cause(&room.join("a.qcow2")).contains("more than 32 images"));
}

/// Puts the sum of a footer or header of VHD in its place.
fn sum(bytes: &mut [u8], at: usize) {
    bytes[at..at + 4].fill(0);
    let sum: u32 = bytes.iter().map(|byte| u32::from(*byte)).sum();
    bytes[at..at + 4].copy_from_slice(&(!sum).to_be_bytes());
}

fn be64(bytes: &[u8], at: usize) -> usize {
    u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

fn be32(bytes: &[u8], at: usize) -> usize {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Another disk of the size of [`disk`], and the sectors of it that a difference holds: every third
/// of the first MiB, and all of the third.
fn other() -> Vec<u8> {
    noise(77, disk().len())
}

/// Two images, `parent` of [`disk`] and `child` of [`other`], as QEMU writes them by these words.
fn pair(room: &Path, form: &str, ending: &str) -> [Vec<u8>; 2] {
    std::fs::write(room.join("raw"), disk()).unwrap();
    std::fs::write(room.join("other"), other()).unwrap();
    [("raw", "parent"), ("other", "child")].map(|(from, name)| {
        qemu(room, &format!("convert -O {form} {from} {name}.{ending}"));
        std::fs::read(room.join(format!("{name}.{ending}"))).unwrap()
    })
}

#[test]
fn a_differencing_vhd() {
    if lacks(&TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let room = folder.path();
    let [parent, mut child] = pair(room, "vpc -o force_size=on", "vhd");
    let end = child.len() - 512;
    for at in [0, end] {
        child[at + 63] = 4;
        sum(&mut child[at..at + 512], 64);
    }
    let header = be64(&child, 16);
    child[header + 40..header + 56].copy_from_slice(&parent[68..84]);
    let name: Vec<u8> = "C:\\machines\\parent.vhd".encode_utf16().flat_map(u16::to_be_bytes).collect();
    child[header + 64..header + 64 + name.len()].copy_from_slice(&name);
    sum(&mut child[header..header + 1024], 36);
    let (table, block) = (be64(&child, header + 16), be32(&child, header + 32));
    assert_eq!(block, 2 << 20);
    // The second block is the parent's; of the first every third sector is the child's.
    child[table + 4..table + 8].fill(0xff);
    let bitmap = be32(&child, table) * 512;
    let mut expected = disk();
    let own = other();
    for sector in 0..block / 512 {
        let bit = 0x80 >> (sector % 8);
        match sector % 3 {
            0 => expected[sector * 512..][..512].copy_from_slice(&own[sector * 512..][..512]),
            _ => child[bitmap + sector / 8] &= !bit,
        }
    }
    expected[2 * block..].copy_from_slice(&own[2 * block..]);
    std::fs::write(room.join("child.vhd"), &child).unwrap();
    let found = open_path(&room.join("child.vhd")).unwrap();
    same(&*found, &expected, "child.vhd");
    assert_eq!(found.notes(), ["a difference to \"parent.vhd\", which is read with it"]);
    child[header + 40] ^= 1;
    sum(&mut child[header..header + 1024], 36);
    std::fs::write(room.join("child.vhd"), &child).unwrap();
    assert!(cause(&room.join("child.vhd")).contains("is another disk, or was changed"));
    std::fs::remove_file(room.join("parent.vhd")).unwrap();
    assert!(cause(&room.join("child.vhd")).contains("which is not beside it"));
}

const MIB: usize = 1 << 20;

fn le64(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

/// A GUID of a file as its text.
fn text(id: &[u8]) -> String {
    let hex = |places: &[usize]| places.iter().map(|at| format!("{:02X}", id[*at])).collect::<String>();
    let parts = [&[3, 2, 1, 0][..], &[5, 4], &[7, 6], &[8, 9], &[10, 11, 12, 13, 14, 15]];
    format!("{{{}}}", parts.map(hex).join("-"))
}

/// The locator of a parent: its kind, and pairs of a key and a value.
fn locator(pairs: &[(&str, &str)]) -> Vec<u8> {
    let mut out =
        vec![0xb7, 0xef, 0x4a, 0xb0, 0x9e, 0xd1, 0x81, 0x4a, 0xb7, 0x89, 0x25, 0xb8, 0xe9, 0x44, 0x59, 0x13, 0, 0];
    out.extend((pairs.len() as u16).to_le_bytes());
    let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    let (mut entries, mut words) = (Vec::new(), Vec::new());
    let start = out.len() + 12 * pairs.len();
    for (key, value) in pairs {
        let (key, value) = (wide(key), wide(value));
        let at = (start + words.len()) as u32;
        entries.extend(at.to_le_bytes());
        entries.extend((at + key.len() as u32).to_le_bytes());
        entries.extend((key.len() as u16).to_le_bytes());
        entries.extend((value.len() as u16).to_le_bytes());
        words.extend(key);
        words.extend(value);
    }
    [out, entries, words].concat()
}

#[test]
fn a_differencing_vhdx() {
    if lacks(&TOOLS) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let room = folder.path();
    let [parent, mut child] = pair(room, "vhdx -o block_size=1M", "vhdx");
    // The newer header of the parent has its identifier.
    let newer = if le64(&parent, (64 << 10) + 8) > le64(&parent, (128 << 10) + 8) { 64 << 10 } else { 128 << 10 };
    let linkage = text(&parent[newer + 32..newer + 48]);
    let regions = 192 << 10;
    let region = |id: u8| {
        (0..2)
            .map(|index| regions + 16 + 32 * index)
            .find(|at| child[*at] == id)
            .map(|at| le64(&child, at + 16))
            .unwrap()
    };
    let (table, metadata) = (region(0x66), region(0x06));
    // Metadata: one entry more, and the flag that says that there is a parent.
    let count = u16::from_le_bytes([child[metadata + 10], child[metadata + 11]]);
    let mut parameters = 0;
    for index in 0..usize::from(count) {
        let at = metadata + 32 + 32 * index;
        if child[at..at + 4] == [0x37, 0x67, 0xa1, 0xca] {
            parameters = metadata + u32::from_le_bytes(child[at + 16..at + 20].try_into().unwrap()) as usize;
        }
    }
    child[parameters + 4] |= 2;
    let pairs = [
        ("parent_linkage", linkage.as_str()),
        ("relative_path", ".\\parent.vhdx"),
        ("absolute_win32_path", "C:\\machines\\elsewhere.vhdx"),
    ];
    let locator = locator(&pairs);
    let place = 512 << 10;
    child[metadata + place..metadata + place + locator.len()].copy_from_slice(&locator);
    let entry = metadata + 32 + 32 * usize::from(count);
    child[entry..entry + 16].copy_from_slice(&[
        0x2d, 0x5f, 0xd3, 0xa8, 0x0b, 0xb3, 0x4d, 0x45, 0xab, 0xf7, 0xd3, 0xd8, 0x48, 0x34, 0xab, 0x0c,
    ]);
    child[entry + 16..entry + 20].copy_from_slice(&(place as u32).to_le_bytes());
    child[entry + 20..entry + 24].copy_from_slice(&(locator.len() as u32).to_le_bytes());
    child[entry + 24] = 4;
    child[metadata + 10..metadata + 12].copy_from_slice(&(count + 1).to_le_bytes());
    // The first block in part, by a bitmap; the second the parent's; the third zero.
    let bitmap = child.len().next_multiple_of(MIB);
    child.resize(bitmap + MIB, 0);
    let state = |child: &mut Vec<u8>, block: usize, state: u8| child[table + 8 * block] = state;
    state(&mut child, 0, 7);
    child[table + 8..table + 16].fill(0);
    state(&mut child, 2, 2);
    child[table + 8 * 4096..table + 8 * 4097].copy_from_slice(&(bitmap as u64 | 6).to_le_bytes());
    let mut expected = disk();
    let own = other();
    for sector in (0..MIB / 512).step_by(3) {
        child[bitmap + sector / 8] |= 1 << (sector % 8);
        expected[sector * 512..][..512].copy_from_slice(&own[sector * 512..][..512]);
    }
    expected[2 * MIB..3 * MIB].fill(0);
    expected[3 * MIB..].copy_from_slice(&own[3 * MIB..]);
    let path = room.join("child.vhdx");
    std::fs::write(&path, &child).unwrap();
    let found = open_path(&path).unwrap();
    same(&*found, &expected, "child.vhdx");
    assert_eq!(found.notes(), ["a difference to \"parent.vhdx\", which is read with it"]);
    // A block in part needs its bitmap.
    let mut without = child.clone();
    without[table + 8 * 4096] = 0;
    std::fs::write(&path, &without).unwrap();
    let failed = open_path(&path).unwrap().read_exact_at(0, &mut [0; 512]).unwrap_err();
    assert!(failed.to_string().contains("without its bitmap"), "{failed}");
    // Another disk as parent; none.
    qemu(room, "convert -O vhdx -o block_size=1M raw parent.vhdx");
    std::fs::write(&path, &child).unwrap();
    assert!(cause(&path).contains("is another disk, or was changed"));
    std::fs::remove_file(room.join("parent.vhdx")).unwrap();
    assert!(cause(&path).contains("which is not beside it"));
}
