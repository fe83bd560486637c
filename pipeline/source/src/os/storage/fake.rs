//! Devices of tests, which answer each control code as Microsoft documents it, and tests with them.

use super::*;
use std::cell::RefCell;
use std::collections::HashMap;

/// A device: for each control code, and each property, its whole answer or its error.
struct Fake {
    answers: HashMap<u32, Result<Vec<u8>, u32>>,
    properties: HashMap<u32, Result<Vec<u8>, u32>>,
    /// The codes that came, with the room for their answers.
    asked: RefCell<Vec<(u32, usize)>>,
}

impl Asks for Fake {
    fn ask(&self, code: u32, input: &[u8], room: usize) -> Result<Vec<u8>, u32> {
        self.asked.borrow_mut().push((code, room));
        if code == code::STORAGE_QUERY_PROPERTY {
            let [id, kind] = [0, 4].map(|at| u32::from_le_bytes(input[at..at + 4].try_into().unwrap()));
            assert_eq!((input.len(), kind), (12, 0), "STORAGE_PROPERTY_QUERY of a standard query");
            // A descriptor is cut to the room, and states its whole size.
            let answer = self.properties.get(&id).cloned().unwrap_or(Err(error::INVALID_FUNCTION))?;
            return Ok(answer[..answer.len().min(room)].to_vec());
        }
        assert!(input.is_empty(), "{code:#x} takes no input");
        let answer = self.answers.get(&code).cloned().unwrap_or(Err(error::INVALID_FUNCTION))?;
        match answer.len() <= room {
            true => Ok(answer),
            // VOLUME_DISK_EXTENTS: a part fits.
            false if code == code::VOLUME_GET_VOLUME_DISK_EXTENTS && room >= 32 => Err(error::MORE_DATA),
            false => Err(error::INSUFFICIENT_BUFFER),
        }
    }
}

fn joined(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

/// Numbers of four bytes.
fn u32s(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// STORAGE_DEVICE_DESCRIPTOR with texts behind it, as drivers pad them.
fn device(bus: u32, removable: bool, texts: [&str; 4]) -> Vec<u8> {
    let (mut behind, mut offsets) = (Vec::new(), Vec::new());
    for text in texts {
        offsets.push(if text.is_empty() { 0 } else { 36 + behind.len() as u32 });
        behind.extend(text.bytes().chain((!text.is_empty()).then_some(0)));
    }
    let size = 36 + behind.len() as u32;
    let head = [u32s(&[40, size]), vec![0, 0, u8::from(removable), 1], u32s(&offsets), u32s(&[bus, 0])];
    joined(&[&head.concat(), &behind])
}

/// STORAGE_ACCESS_ALIGNMENT_DESCRIPTOR.
fn alignment(logical: u32, physical: u32) -> Vec<u8> {
    u32s(&[28, 28, 0, 0, logical, physical, 0])
}

/// DEVICE_SEEK_PENALTY_DESCRIPTOR.
fn seeks(cost: bool) -> Vec<u8> {
    u32s(&[12, 12, u32::from(cost)])
}

/// STORAGE_IDENTIFIER: code set, type, association, bytes.
fn identifier(set: u32, kind: u32, association: u32, bytes: &[u8], is_last: bool) -> Vec<u8> {
    let whole = (16 + bytes.len()).next_multiple_of(4);
    let next = if is_last { 0 } else { whole as u32 };
    let mut found = u32s(&[set, kind, bytes.len() as u32 | next << 16, association]);
    found.extend(bytes);
    found.resize(whole, 0);
    found
}

/// STORAGE_DEVICE_ID_DESCRIPTOR.
fn identifiers(all: &[Vec<u8>]) -> Vec<u8> {
    let behind = all.concat();
    joined(&[&u32s(&[13, 12 + behind.len() as u32, all.len() as u32]), &behind])
}

/// DISK_GEOMETRY_EX of fixed media.
fn geometry(sector: u32, size: u64) -> Vec<u8> {
    let cylinders = size / u64::from(sector) / 255 / 63;
    joined(&[&cylinders.to_le_bytes(), &u32s(&[12, 255, 63, sector]), &size.to_le_bytes(), &[0; 80]])
}

/// VOLUME_DISK_EXTENTS.
fn on_disks(all: &[(u32, u64, u64)]) -> Vec<u8> {
    let mut found = u32s(&[all.len() as u32, 0]);
    for (disk, start, length) in all {
        found.extend(joined(&[&u32s(&[*disk, 0]), &start.to_le_bytes(), &length.to_le_bytes()]));
    }
    found
}

impl Fake {
    fn none() -> Fake {
        Fake { answers: HashMap::new(), properties: HashMap::new(), asked: RefCell::default() }
    }

    /// A whole disk with a medium, which may be written.
    fn disk(number: u32, size: u64, sectors: (u32, u32)) -> Fake {
        Fake::none()
            .says(code::DISK_GET_LENGTH_INFO, Ok(size.to_le_bytes().into()))
            .says(code::DISK_GET_DRIVE_GEOMETRY_EX, Ok(geometry(sectors.0, size)))
            .says(code::STORAGE_GET_DEVICE_NUMBER, Ok(u32s(&[7, number, 0])))
            .says(code::STORAGE_CHECK_VERIFY2, Ok(vec![]))
            .says(code::DISK_IS_WRITABLE, Ok(vec![]))
            .states(6, Ok(alignment(sectors.0, sectors.1)))
    }

    /// A volume at these places.
    fn volume(places: &[(u32, u64, u64)]) -> Fake {
        Fake::none().says(code::VOLUME_GET_VOLUME_DISK_EXTENTS, Ok(on_disks(places)))
    }

    fn says(mut self, code: u32, answer: Result<Vec<u8>, u32>) -> Fake {
        self.answers.insert(code, answer);
        self
    }

    fn states(mut self, property: u32, answer: Result<Vec<u8>, u32>) -> Fake {
        self.properties.insert(property, answer);
        self
    }

    fn word(&self, name: &str) -> Option<String> {
        words(self).into_iter().find(|(word, _)| *word == name).map(|(_, text)| text)
    }
}

#[test]
fn an_nvme_disk() {
    let eui = [0x00, 0x25, 0x38, 0x5b, 0x71, 0x00, 0xab, 0x01];
    let disk = Fake::disk(1, 1_000_204_886_016, (512, 4096))
        .states(0, Ok(device(17, false, ["", "Samsung SSD 980 PRO 1TB", "5B2QGXA7", "0025_385B_7100_AB01."])))
        .states(7, Ok(seeks(false)))
        .states(
            2,
            Ok(identifiers(&[identifier(1, 2, 0, &eui, false), identifier(3, 8, 0, b"eui.0025385B7100AB01", true)])),
        );
    let found = facts(&disk);
    assert_eq!((found.bus, found.model.as_str()), ("nvme", "Samsung SSD 980 PRO 1TB"));
    assert_eq!((found.serial.as_str(), found.firmware.as_str()), ("0025_385B_7100_AB01.", "5B2QGXA7"));
    assert_eq!((found.size, found.sectors), (1_000_204_886_016, (512, 4096)));
    assert_eq!((found.rotational, found.removable, found.write_blocked), (Some(false), false, Some(false)));
    assert_eq!(found.wwid, "eui.0025385b7100ab01");
    assert_eq!(disk.word("name").as_deref(), Some("PhysicalDrive1"));
    assert_eq!(disk.word("number").as_deref(), Some("1:0"));
    assert_eq!(number_of(&disk), Ok(whole_disk(1)));
    assert_eq!(disk.word("partition"), None);
}

#[test]
fn a_sata_disk_behind_usb() {
    let naa = [0x50, 0x01, 0x4e, 0xe2, 0xb1, 0x23, 0x45, 0x67];
    let disk = Fake::disk(2, 4_000_787_030_016, (512, 0))
        // Blanks around texts, as SCSI pads them; the bridge states no costs of seeks.
        .states(0, Ok(device(7, false, ["WD      ", "My Passport 25E2", "4005", "  WX12A3456789  "])))
        .states(7, Err(error::INVALID_FUNCTION))
        .states(
            2,
            Ok(identifiers(&[
                identifier(2, 1, 0, b"WD      My Passport", false),
                identifier(1, 3, 1, &[0x5a; 8], false),
                identifier(1, 3, 0, &naa, true),
            ])),
        );
    let found = facts(&disk);
    assert_eq!(
        (found.bus, found.model.as_str(), found.serial.as_str()),
        ("usb", "WD My Passport 25E2", "WX12A3456789")
    );
    assert_eq!(found.sectors, (512, 512), "a bridge that states no physical sector");
    assert_eq!(found.wwid, "naa.50014ee2b1234567", "of the device, not of its port");
    assert_eq!((found.rotational, disk.word("rotational")), (None, None));
    let sata = Fake::disk(0, 1 << 30, (512, 512)).states(0, Ok(device(11, false, ["ATA", "ST500DM002", "KC45", ""])));
    assert_eq!((facts(&sata).model.as_str(), facts(&sata).bus, sata.word("serial")), ("ST500DM002", "ata", None));
}

#[test]
fn a_virtual_disk_and_one_of_large_sectors() {
    let disk = Fake::disk(3, 64 << 20, (512, 512))
        .states(0, Ok(device(15, false, ["Msft    ", "Virtual Disk    ", "1.0 ", ""])))
        .states(7, Ok(seeks(true)));
    let found = facts(&disk);
    assert_eq!(
        (found.bus, found.model.as_str(), found.firmware.as_str()),
        ("virtual-file", "Msft Virtual Disk", "1.0")
    );
    assert_eq!((found.rotational, found.wwid.as_str()), (Some(true), ""));
    let large = Fake::disk(4, 8 << 40, (4096, 4096));
    assert_eq!((sectors(&large), length(&large)), (Ok((4096, 4096)), Ok(8 << 40)));
    // Drivers that do not know the property: the geometry.
    let old = Fake::disk(4, 8 << 40, (4096, 4096)).states(6, Err(error::INVALID_FUNCTION));
    assert_eq!(sectors(&old), Ok((4096, 4096)));
}

#[test]
fn a_card_reader_without_a_medium() {
    for missing in [error::NOT_READY, error::NO_MEDIA_IN_DRIVE] {
        let disk = Fake::disk(5, 0, (512, 512))
            .says(code::DISK_GET_LENGTH_INFO, Err(missing))
            .says(code::DISK_GET_DRIVE_GEOMETRY_EX, Err(missing))
            .says(code::STORAGE_CHECK_VERIFY2, Err(missing))
            .states(6, Err(missing))
            .states(0, Ok(device(7, true, ["Generic-", "SD/MMC", "1.00", "058F63666485"])));
        assert_eq!((has_medium(&disk), length(&disk)), (false, Ok(0)));
        let found = facts(&disk);
        assert_eq!((found.size, found.removable, found.model.as_str()), (0, true, "Generic- SD/MMC"));
        assert_eq!(sectors(&disk), Err(Fault::System(missing)));
    }
    assert!(has_medium(&Fake::none()), "a device that cannot be asked");
}

#[test]
fn a_write_block_is_seen() {
    let asked = |answer| is_write_blocked(&Fake::none().says(code::DISK_IS_WRITABLE, answer));
    assert_eq!(asked(Err(error::WRITE_PROTECT)), Some(true));
    assert_eq!(asked(Ok(vec![])), Some(false));
    for unknown in [error::NOT_READY, error::INVALID_FUNCTION, error::ACCESS_DENIED, error::NOT_SUPPORTED] {
        assert_eq!(asked(Err(unknown)), None);
    }
    let blocked = Fake::disk(0, 1 << 20, (512, 512)).says(code::DISK_IS_WRITABLE, Err(error::WRITE_PROTECT));
    assert_eq!(blocked.word("read-only").as_deref(), Some("1"));
}

#[test]
fn a_length_without_the_right_to_read() {
    let denied = [error::ACCESS_DENIED, error::NOT_SUPPORTED, error::INVALID_FUNCTION, error::INVALID_PARAMETER];
    for fault in denied {
        let disk = Fake::disk(0, 1 << 30, (512, 512)).says(code::DISK_GET_LENGTH_INFO, Err(fault));
        assert_eq!(length(&disk), Ok(1 << 30), "the geometry states it");
        // A partition's geometry is that of its disk: its table states the length.
        let partition =
            joined(&[&u32s(&[1, 0]), &(1_u64 << 20).to_le_bytes(), &(100_u64 << 20).to_le_bytes(), &[0; 120]]);
        let volume = Fake::disk(0, 1 << 30, (512, 512))
            .says(code::DISK_GET_LENGTH_INFO, Err(fault))
            .says(code::STORAGE_GET_DEVICE_NUMBER, Ok(u32s(&[7, 0, 2])))
            .says(code::DISK_GET_PARTITION_INFO_EX, Ok(partition));
        assert_eq!(length(&volume), Ok(100 << 20));
        assert_eq!((volume.word("partition").as_deref(), volume.word("name")), (Some("2"), None));
        // A volume over several disks has no number, and a geometry of one of them.
        let span = Fake::disk(0, 1 << 30, (512, 512))
            .says(code::DISK_GET_LENGTH_INFO, Err(fault))
            .says(code::STORAGE_GET_DEVICE_NUMBER, Err(error::INVALID_FUNCTION));
        assert_eq!(length(&span), Err(Fault::System(fault)), "never that of its disk");
        let silent = Fake::none()
            .says(code::DISK_GET_LENGTH_INFO, Err(fault))
            .says(code::STORAGE_GET_DEVICE_NUMBER, Ok(u32s(&[7, 0, 0])));
        assert_eq!(length(&silent), Err(Fault::System(fault)));
    }
}

#[test]
fn a_striped_volume_lies_on_two_disks() {
    let places = [(1, 1 << 20, 500 << 20), (2, 1 << 20, 500 << 20), (2, 800 << 20, 7 << 20)];
    let volume = Fake::volume(&places);
    let found = extents(&volume).unwrap();
    assert_eq!(found.iter().map(|at| (at.disk, at.start, at.length)).collect::<Vec<_>>(), places);
    let rooms: Vec<usize> = volume.asked.borrow().iter().map(|(_, room)| *room).collect();
    assert_eq!(rooms, [32, 64, 128], "more room after ERROR_MORE_DATA");
    assert_eq!(extents(&Fake::volume(&[(0, 0, 9)])).unwrap().len(), 1);
    assert_eq!(extents(&Fake::volume(&[])), Ok(vec![]));
    assert_eq!(extents(&Fake::none()), Err(Fault::System(error::INVALID_FUNCTION)));
    let endless = Fake::none().says(code::VOLUME_GET_VOLUME_DISK_EXTENTS, Err(error::MORE_DATA));
    assert_eq!(extents(&endless), Err(Fault::System(error::MORE_DATA)), "not asked without end");
    assert!(endless.asked.borrow().len() < 20);
    let many: Vec<(u32, u64, u64)> = (0..700).map(|at| (at, 0, 1)).collect();
    assert_eq!(extents(&Fake::volume(&many)).unwrap().len(), 700);
    let volume = Volume { extents: found, ..Volume::default() };
    assert!(volume.is_on(1) && volume.is_on(2) && !volume.is_on(0));
}

#[test]
fn a_volume_without_a_number_is_known_by_its_name() {
    let named = |name: &str| {
        let units: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let answer = joined(&[&(units.len() as u16).to_le_bytes(), &units]);
        Fake::none().says(code::MOUNTDEV_QUERY_DEVICE_NAME, Ok(answer))
    };
    let copies = [1, 2].map(|n| number_of(&named(&format!(r"\Device\HarddiskVolumeShadowCopy{n}"))).unwrap());
    assert!(copies[0] != copies[1] && copies.iter().all(|number| number >> 63 == 1));
    assert_eq!(number_of(&named(r"\Device\HarddiskVolumeShadowCopy1")), Ok(copies[0]));
    assert_eq!(number_of(&Fake::none()), Err(Fault::System(error::INVALID_FUNCTION)));
    assert_eq!(number_of(&named("")), Err(Fault::Answer("the name of a volume")));
    let short = Fake::none().says(code::MOUNTDEV_QUERY_DEVICE_NAME, Ok(vec![200, 0, 65, 0]));
    assert_eq!(number_of(&short), Err(Fault::Answer("the name of a volume")));
    let optical = Fake::none().says(code::STORAGE_GET_DEVICE_NUMBER, Ok(u32s(&[2, 0, u32::MAX])));
    assert_eq!(number(&optical), Ok(Number { kind: 2, device: 0, partition: 0 }));
    assert_ne!(number_of(&optical), Ok(whole_disk(0)), "CdRom0 is not PhysicalDrive0");
    assert_eq!((optical.word("number").as_deref(), optical.word("name")), (Some("0:0"), None));
    // A shadow copy that states the disk of its volume, and no partition: never that whole disk.
    let part =
        named(r"\Device\HarddiskVolumeShadowCopy1").says(code::STORAGE_GET_DEVICE_NUMBER, Ok(u32s(&[7, 0, u32::MAX])));
    assert_eq!(number(&part), Err(Fault::Answer("the number of a device")));
    assert!(number_of(&part).is_ok_and(|number| number >> 63 == 1));
    let nameless = Fake::none().says(code::DISK_GET_LENGTH_INFO, Ok((1_u64 << 20).to_le_bytes().into()));
    assert_eq!(number_of(&nameless), Ok(3 << 62 | 1 << 20));
}

#[test]
fn a_volume_is_locked_or_in_use() {
    for (code, call) in [(code::LOCK_VOLUME, lock as fn(&dyn Asks) -> _), (code::DISMOUNT_VOLUME, dismount)] {
        assert_eq!(call(&Fake::none().says(code, Ok(vec![]))), Ok(()));
        for refused in [error::ACCESS_DENIED, error::INVALID_PARAMETER, error::LOCKED_VOLUME] {
            assert_eq!(call(&Fake::none().says(code, Err(refused))), Err(refused));
        }
    }
    assert!(allow_all_sectors(&Fake::none().says(code::ALLOW_EXTENDED_DASD_IO, Ok(vec![]))));
    assert!(!allow_all_sectors(&Fake::none()), "FAT knows no such thing");
}

#[test]
fn a_volume_locked_by_bitlocker_states_its_facts() {
    // The driver below BitLocker answers all but reads.
    let volume = Fake::disk(0, 1 << 30, (512, 512)).says(code::DISK_GET_LENGTH_INFO, Err(error::LOCKED_VOLUME));
    assert_eq!(length(&volume), Ok(1 << 30));
    let read = |_: &mut [u8], _| Err(error::LOCKED_VOLUME);
    assert_eq!(bounced(&mut [0; 9], 1, 1 << 30, 512, read), Some(Err(error::LOCKED_VOLUME)));
}

#[test]
fn each_documented_error_of_a_property_is_reported() {
    let errors = [
        error::INVALID_FUNCTION,
        error::NOT_SUPPORTED,
        error::INVALID_PARAMETER,
        error::NOT_READY,
        error::IO_DEVICE,
        error::ACCESS_DENIED,
    ];
    for fault in errors {
        let device = |property| Fake::none().states(property, Err(fault));
        assert_eq!(descriptor(&device(0)), Err(Fault::System(fault)));
        assert_eq!(wwid(&device(2)), Err(Fault::System(fault)));
        assert_eq!(is_rotational(&device(7)), Err(Fault::System(fault)));
        assert!(sectors(&device(6)).is_err());
        assert_eq!(number(&Fake::none().says(code::STORAGE_GET_DEVICE_NUMBER, Err(fault))), Err(Fault::System(fault)));
    }
}

#[test]
fn a_long_property_is_asked_for_again() {
    let model = "m".repeat(3000);
    let disk = Fake::none().states(0, Ok(device(1, false, ["v", &model, "1", "s"])));
    let found = descriptor(&disk).unwrap();
    assert_eq!((found.model.len(), found.serial.as_str()), (3000, "s"));
    assert_eq!(disk.asked.borrow().len(), 2);
    // A driver that returns more than the descriptor: the bytes behind it are not read.
    let mut long = device(1, false, ["v", "", "", ""]);
    let end = long.len() as u32;
    long[16..20].copy_from_slice(&end.to_le_bytes());
    long.extend(b"garbage\0");
    assert_eq!(descriptor(&Fake::none().states(0, Ok(long))).unwrap().model, "");
}

#[test]
fn contradictions_are_refused() {
    let state = |answer: Vec<u8>| Fake::none().states(0, Ok(answer));
    let sized = |size: u32| {
        let mut answer = device(1, false, ["v", "m", "1", "s"]);
        answer[4..8].copy_from_slice(&size.to_le_bytes());
        answer
    };
    for size in [0, 7, 31, 500, u32::MAX] {
        assert!(matches!(descriptor(&state(sized(size))), Err(Fault::Answer(_))), "{size}");
    }
    assert!(matches!(descriptor(&state(vec![])), Err(Fault::Answer(_))));
    // Offsets outside, and those of old drivers for "none".
    let mut outside = device(1, false, ["v", "m", "1", "s"]);
    outside[16..20].copy_from_slice(&9999_u32.to_le_bytes());
    outside[24..28].copy_from_slice(&u32::MAX.to_le_bytes());
    let found = descriptor(&state(outside)).unwrap();
    assert_eq!((found.vendor.as_str(), found.model.as_str(), found.serial.as_str()), ("v", "", ""));
    let says = |code, answer: Vec<u8>| Fake::none().says(code, Ok(answer));
    let negative = says(code::DISK_GET_LENGTH_INFO, (-1_i64).to_le_bytes().into());
    assert_eq!(length(&negative), Err(Fault::Answer("the length of a device")));
    assert_eq!(length(&says(code::DISK_GET_LENGTH_INFO, vec![1, 2])), Err(Fault::Answer("the length of a device")));
    let counted = |count: u32| says(code::VOLUME_GET_VOLUME_DISK_EXTENTS, u32s(&[count, 0]));
    assert!(extents(&counted(1)).is_err() && extents(&counted(u32::MAX)).is_err());
    let beyond = on_disks(&[(0, i64::MAX as u64, i64::MAX as u64)]);
    assert_eq!(
        extents(&says(code::VOLUME_GET_VOLUME_DISK_EXTENTS, beyond)).map(|found| found[0].end()),
        Ok(u64::MAX - 1)
    );
    for (logical, physical) in [(0, 4096), (513, 512), (1 << 30, 1 << 30)] {
        assert!(sectors(&Fake::none().states(6, Ok(alignment(logical, physical)))).is_err(), "{logical}");
    }
    let odd = Fake::disk(0, 1000, (512, 512)).says(code::DISK_GET_LENGTH_INFO, Err(error::NOT_SUPPORTED));
    assert_eq!(length(&odd), Err(Fault::System(error::NOT_SUPPORTED)));
    // Identifiers that overlap, go in circles, or lie outside.
    let mut near = identifiers(&[identifier(1, 3, 0, &[1; 8], false), identifier(1, 3, 0, &[1; 8], true)]);
    near[22..24].copy_from_slice(&4_u16.to_le_bytes());
    assert_eq!(wwid(&Fake::none().states(2, Ok(near))), Err(Fault::Answer("the place of an identifier")));
    let mut far = identifiers(&[identifier(1, 3, 0, &[1; 8], true)]);
    far[20..22].copy_from_slice(&60_000_u16.to_le_bytes());
    assert_eq!(wwid(&Fake::none().states(2, Ok(far))), Err(Fault::Answer("an identifier")));
    assert_eq!(wwid(&Fake::none().states(2, Ok(identifiers(&[])))), Ok(String::new()));
    let zeros = identifiers(&[identifier(1, 2, 0, &[0; 8], true)]);
    assert_eq!(wwid(&Fake::none().states(2, Ok(zeros))), Ok(String::new()), "an identifier that is none");
}

/// A device that answers all questions with bytes of a generator, some of them plausible.
struct Hostile(RefCell<u64>);

impl Asks for Hostile {
    fn ask(&self, _: u32, _: &[u8], room: usize) -> Result<Vec<u8>, u32> {
        let mut state = self.0.borrow_mut();
        let mut next = || {
            // xorshift64.
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            *state
        };
        if next() % 8 == 0 {
            return Err((next() % 300) as u32);
        }
        // Longer than the room as well.
        let length = (next() as usize) % (room + 32);
        let mut answer: Vec<u8> = (0..length).map(|_| if next() % 2 == 0 { 0 } else { next() as u8 }).collect();
        if let Some(size) = answer.get_mut(4..8).filter(|_| next() % 2 == 0) {
            size.copy_from_slice(&(length as u32).to_le_bytes());
        }
        if let Some(count) = answer.get_mut(8..12).filter(|_| next() % 2 == 0) {
            count.copy_from_slice(&((next() % 5) as u32).to_le_bytes());
        }
        Ok(answer)
    }
}

#[test]
fn hostile_answers_never_panic() {
    let mut answered = [0; 4];
    for seed in 1..=1500_u64 {
        let device = Hostile(RefCell::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        let found = facts(&device);
        assert!(found.sectors.0.is_power_of_two() && found.sectors.0 <= found.sectors.1);
        drop(words(&device));
        answered[0] += usize::from(number_of(&device).is_ok());
        answered[1] += usize::from(extents(&device).is_ok());
        answered[2] += usize::from(wwid(&device).is_ok());
        answered[3] += usize::from(descriptor(&device).is_ok());
    }
    assert!(answered.iter().all(|count| *count > 0), "some answers are taken: {answered:?}");
}

#[test]
fn lists_of_names() {
    let units: Vec<u16> =
        "PhysicalDrive10\0C:\0PhysicalDrive2\0PhysicalDriveX\0HarddiskVolumeShadowCopy4\0PhysicalDrive2\0\0"
            .encode_utf16()
            .collect();
    let found = names(&units);
    assert_eq!(disks(&found), [2, 10]);
    assert_eq!(shadow_copies(&found), [4]);
    assert_eq!(named(shadow_path(4).as_bytes()), Some(DeviceName::ShadowCopy(4)));
    assert_eq!(names(&[]), Vec::<String>::new());
    assert_eq!(names(&[0xd800, 0, 0x61]), ["a"], "half of a pair, and an end without a zero");
    let mounts = vec![r"C:\mnt\data\".to_owned(), r"D:\".to_owned()];
    let volume = Volume { name: r"\\?\Volume{1}".into(), mounts, ..Volume::default() };
    assert_eq!(volume.shown(), "D:");
    assert_eq!(Volume { mounts: vec![], ..volume }.shown(), r"\\?\Volume{1}");
}
