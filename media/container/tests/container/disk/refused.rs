//! Unsupported forms are refused with the cause; damage is a failure.

use super::folder::{disk, open_path, run};
use pfh_container::Bytes;
use pfh_container::crc32c;
use pfh_container::disk::{Alone, Failure, Kind, open};
use pfh_inject::{Need, lacks};
use std::path::Path;
use std::sync::Arc;

/// The cause of a refusal.
fn refusal(path: &Path) -> String {
    match open_path(path) {
        Err(Failure::Refused(what)) => what,
        Err(failure) => panic!("{}: {failure}", path.display()),
        Ok(_) => panic!("{} was opened", path.display()),
    }
}

/// The fault.
fn damage(path: &Path) -> String {
    match open_path(path) {
        Err(failure @ Failure::Malformed { .. }) => failure.to_string(),
        Err(failure) => panic!("{}: {failure}", path.display()),
        Ok(_) => panic!("{} was opened", path.display()),
    }
}

#[test]
fn keys_and_logs() {
    if lacks(&[Need::Program("qemu-img")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let at = |name: &str| room.path().join(name);
    let qemu = |words: &str| run(room.path(), "qemu-img", &words.split(' ').collect::<Vec<_>>());
    std::fs::write(at("raw"), disk()).unwrap();
    qemu("create -q -f qcow2 --object secret,id=s,data=x -o encrypt.format=aes,encrypt.key-secret=s key.qcow2 1M");
    assert!(refusal(&at("key.qcow2")).contains("encrypted"));
    // LUKS is method 2 of the same field. QEMU times its key derivation, which fails on processors
    // whose clock counts CPU time in ticks, so the field is written here.
    let mut key = std::fs::read(at("key.qcow2")).unwrap();
    assert_eq!(key[32..36], [0, 0, 0, 1], "method of a qcow2 with AES");
    key[35] = 2;
    std::fs::write(at("key.qcow2"), key).unwrap();
    assert!(refusal(&at("key.qcow2")).contains("encrypted"));
    qemu("create -q -f qcow2 -o data_file=data.raw out.qcow2 1M");
    assert!(refusal(&at("out.qcow2")).contains("another file"));
    qemu("convert -O vmdk -o subformat=twoGbMaxExtentSparse raw split.vmdk");
    assert!(refusal(&at("split-s001.vmdk")).contains("one extent"));
    let text = std::fs::read_to_string(at("split.vmdk")).unwrap();
    for other in ["/etc/passwd", "../raw", "gone.vmdk"] {
        std::fs::write(at("leads.vmdk"), text.replace("split-s001.vmdk", other)).unwrap();
        assert!(refusal(&at("leads.vmdk")).contains("beside") || refusal(&at("leads.vmdk")).contains("directory"));
    }
    qemu("convert -O vmdk -o subformat=streamOptimized raw stream.vmdk");
    let stream = std::fs::read(at("stream.vmdk")).unwrap();
    std::fs::write(at("cut.vmdk"), &stream[..stream.len() / 2]).unwrap();
    // QEMU puts the directory in front of the grains: the present ones are read.
    let cut = open_path(&at("cut.vmdk")).unwrap();
    let failed = cut.read_exact_at(0, &mut vec![0; cut.size() as usize]).unwrap_err().to_string();
    assert!(failed.contains("ends before"), "{failed}");
    // Others put it behind them, and a footer that says where.
    let mut behind = stream[..stream.len() / 2].to_vec();
    behind[56..64].fill(0xff);
    std::fs::write(at("cut.vmdk"), &behind).unwrap();
    assert!(damage(&at("cut.vmdk")).contains("not finished"));

    qemu("convert -O vpc raw d.vhd");
    let mut vhd = std::fs::read(at("d.vhd")).unwrap();
    let end = vhd.len() - 512;
    vhd[end + 50] ^= 1;
    std::fs::write(at("end.vhd"), &vhd).unwrap();
    assert!(open_path(&at("end.vhd")).unwrap().notes()[0].contains("copy"));
    vhd[50] ^= 1;
    std::fs::write(at("both.vhd"), &vhd).unwrap();
    assert!(damage(&at("both.vhd")).contains("checksum"));

    qemu("convert -O vhdx raw d.vhdx");
    let vhdx = std::fs::read(at("d.vhdx")).unwrap();
    let mut log = vhdx.clone();
    for start in [64 << 10, 128 << 10] {
        log[start + 48] = 1;
        log[start + 4..start + 8].fill(0);
        let sum = !crc32c(!0, &log[start..start + 4096]);
        log[start + 4..start + 8].copy_from_slice(&sum.to_le_bytes());
    }
    std::fs::write(at("log.vhdx"), &log).unwrap();
    assert!(refusal(&at("log.vhdx")).contains("log was not replayed"));
    let mut torn = vhdx;
    torn[(64 << 10) + 100] ^= 1;
    std::fs::write(at("one.vhdx"), &torn).unwrap();
    assert!(open_path(&at("one.vhdx")).is_ok());
    torn[(128 << 10) + 100] ^= 1;
    std::fs::write(at("two.vhdx"), &torn).unwrap();
    assert!(damage(&at("two.vhdx")).contains("checksum"));
}

/// A unit that does not unpack fails in its place, and the rest is read.
#[test]
fn a_damaged_unit_is_a_failure_in_its_place() {
    if lacks(&[Need::Program("qemu-img")]) {
        return;
    }
    let room = tempfile::tempdir().unwrap();
    let whole = disk();
    std::fs::write(room.path().join("raw"), &whole).unwrap();
    // Of these every grain has a checksum; clusters of QCOW2 have none.
    for (format, words) in [("vmdk", &["-o", "subformat=streamOptimized"])] {
        run(room.path(), "qemu-img", &[&["convert", "-O", format], &words[..], &["raw", "image"]].concat());
        let mut bytes = std::fs::read(room.path().join("image")).unwrap();
        let sound = open_path(&room.path().join("image")).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 64].iter_mut().for_each(|byte| *byte ^= 0xff);
        std::fs::write(room.path().join("hurt"), &bytes).unwrap();
        let hurt = open_path(&room.path().join("hurt")).unwrap();
        let (mut failed, mut room) = (0, [0; 4096]);
        for at in (0..sound.size()).step_by(4096) {
            let length = (sound.size() - at).min(4096) as usize;
            match hurt.read_exact_at(at, &mut room[..length]) {
                Ok(()) => assert_eq!(room[..length], whole[at as usize..][..length], "{format}: {at}"),
                Err(_) => failed += 1,
            }
        }
        assert!((1..64).contains(&failed), "{format}: {failed}");
    }
}

#[test]
fn within_another_image_nothing_is_beside() {
    let text = "# Disk DescriptorFile\nRW 9 FLAT \"x-flat.vmdk\" 0\n";
    let file: Arc<dyn Bytes> = Arc::new(text.as_bytes().to_vec());
    assert!(matches!(open(Kind::Vmdk, file, &Alone), Err(Failure::Refused(_))));
}
