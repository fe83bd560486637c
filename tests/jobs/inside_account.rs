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
