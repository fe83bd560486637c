//! Accounts of media and archives, pieces that are missing, and bytes that nothing accounts for as
//! members.

use crate::inside::{input, row, rows};
use crate::room::Room;
use pfh::Control;
use pfh::inside::Holds;
use pfh::list::{self, Row};

/// A tar of one file, with bytes behind its end.
fn tar(behind: &[u8]) -> Vec<u8> {
    let mut block = vec![0; 512];
    block[..5].copy_from_slice(b"a.txt");
    block[100..108].copy_from_slice(b"0000644\0");
    block[108..116].copy_from_slice(b"0000000\0");
    block[116..124].copy_from_slice(b"0000000\0");
    block[124..136].copy_from_slice(b"00000000005\0");
    block[136..148].copy_from_slice(b"00000000000\0");
    block[156] = b'0';
    block[257..265].copy_from_slice(b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum::<u32>() + 8 * 32;
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut whole = [&block[..], b"hello", &[0; 507], &[0; 1024]].concat();
    whole.extend_from_slice(behind);
    whole
}

#[test]
fn each_byte_of_a_tar_is_accounted_for() {
    let room = Room::new();
    for (behind, residue) in [(vec![0; 512], 0), ([&b"hidden"[..], &[0; 506]].concat(), 1)] {
        room.file("a.tar", &tar(&behind));
        let (mut at, mut content, mut size) = (0, 0, 0);
        let mut taken = |row: Row<'_>| {
            match row {
                Row::Extent { extent, .. } => {
                    assert_eq!(extent.start, at);
                    at += extent.length;
                }
                Row::Sums { account, .. } => (content, size) = (account.sum(Holds::Content), account.size),
                other => panic!("{other:?}"),
            }
            Ok(())
        };
        let request = list::Request::new(input(&room, &["a.tar"], |_| {}));
        let sums = list::account(&request, &mut taken, &Control::new()).unwrap();
        assert_eq!((at, content, sums.residue, sums.is_whole()), (size, 5, residue, residue == 0));
    }
}

#[test]
fn a_set_with_a_piece_that_is_missing_is_named_inside() {
    let room = Room::new();
    for name in ["im.001", "im.002", "im.004"] {
        room.file(name, &[7; 4096]);
    }
    let (found, summary) = rows(&room, &["im.001"]);
    let cause = row(&found, "im.001!/").cause();
    assert!(cause.contains("im.003 is missing") && cause.contains("im.004 is there"), "{cause}");
    assert!(summary.failed > 0);
}

#[test]
fn a_set_without_its_first_piece_is_named_and_a_later_piece_points_to_it() {
    let room = Room::new();
    for name in ["im.002", "im.003", "whole.aaa", "whole.aab", "whole.aac"] {
        room.file(name, &[7; 4096]);
    }
    room.file("u.zip", b"the last part");
    room.file("u.z01", b"PK\x07\x08PK\x03\x04and more of it");
    for (name, expected) in [
        ("im.002", "im.001 is missing, and im.003 is there"),
        ("whole.aac", "it belongs to whole.aaa"),
        ("u.z01", "it belongs to u.zip"),
    ] {
        let (found, summary) = rows(&room, &[name]);
        let cause = row(&found, &format!("{name}!/")).cause();
        assert!(cause.contains(expected) && summary.failed > 0, "{name}: {cause}");
    }
    // With the first among the inputs it is an ordinary file.
    let (found, _) = rows(&room, &["whole.aaa", "whole.aab", "whole.aac"]);
    assert!(found.iter().all(|row| row.name != "whole.aac!/"));
}

#[test]
fn the_piece_behind_the_last_is_missed_where_the_medium_says_so() {
    let room = Room::new();
    let mut start = vec![0; 4096];
    start[3..11].copy_from_slice(b"NTFS    ");
    (start[12], start[40]) = (2, 64);
    let rest = vec![0; 4096];
    for pieces in [7, 8] {
        for number in 1..=pieces {
            room.file(format!("im.00{number}"), if number == 1 { &start } else { &rest });
        }
        let (found, _) = rows(&room, &["im.001"]);
        let is_named = found.iter().any(|row| row.cause().contains("im.008 is missing: by its NTFS volume"));
        assert_eq!(is_named, pieces == 7);
    }
}

#[test]
fn extents_of_a_vmdk_belong_to_its_descriptor_and_have_its_lengths() {
    let room = Room::new();
    let text = "# Disk DescriptorFile\nversion=1\nCID=fffffffe\nparentCID=ffffffff\ncreateType=\"twoGbMaxExtentFlat\"\n\
                RW 64 FLAT \"d-f001.vmdk\" 0\nRW 64 FLAT \"d-f002.vmdk\" 0\n";
    room.file("d.vmdk", text.as_bytes());
    room.file("d-f001.vmdk", &[0; 64 * 512]);
    room.file("d-f002.vmdk", &[0; 64 * 512]);
    let (found, _) = rows(&room, &["d-f002.vmdk"]);
    assert!(row(&found, "d-f002.vmdk!/").cause().contains("it belongs to d.vmdk"));
    room.file("d-f001.vmdk", &[0; 65 * 512]);
    let (found, _) = rows(&room, &["d.vmdk"]);
    let cause = row(&found, "d.vmdk!/").cause();
    assert!(cause.contains("\"d-f001.vmdk\" has 33280 bytes, and its extent ends at 32768"), "{cause}");
}

#[test]
fn an_account_of_a_tar_that_is_cut_is_not_whole() {
    let room = Room::new();
    let whole = tar(&[]);
    room.file("a.tar", &whole[..514]);
    let mut faults = Vec::new();
    let mut taken = |row: Row<'_>| {
        if let Row::Failed { problem, .. } = row {
            faults.push(problem.cause.to_string());
        }
        Ok(())
    };
    let request = list::Request::new(input(&room, &["a.tar"], |_| {}));
    let sums = list::account(&request, &mut taken, &Control::new()).unwrap();
    assert!(!sums.is_whole() && sums.failed > 0, "{sums:?}");
    assert!(faults.iter().any(|fault| fault.contains("3 bytes beyond the end")), "{faults:?}");
}
