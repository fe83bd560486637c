//! Programs that unpack themselves: their strings, imports and code are those of the packer.

/// Bytes that show it.
pub const DECIDING: usize = 4096;
/// Bytes of a row of a PE's table of sections.
const ROW: usize = 40;
/// Where the mark of UPX is in an ELF, at most: behind the program headers.
const MARKED: usize = 512;
/// Names of sections that packers give, as their authors' programs write them: UPX, ASPack, Petite,
/// MPRESS, VMProtect, Themida, Enigma, NsPack, PECompact, FSG and kkrunchy, Y0da.
const SECTIONS: [&[u8]; 18] = [
    b"UPX0",
    b"UPX1",
    b"UPX2",
    b".aspack",
    b".petite",
    b".MPRESS1",
    b".MPRESS2",
    b".vmp0",
    b".vmp1",
    b".themida",
    b".enigma1",
    b".enigma2",
    b".nsp0",
    b".nsp1",
    b"PEC2",
    b"pec1",
    b"kkrunchy",
    b".y0da",
];

/// Whether a program that begins with these bytes, 4,096 of them or all, says that it is
/// packed. One that hides it does not.
pub fn is_packed(first: &[u8]) -> bool {
    if first.starts_with(b"\x7fELF") {
        return first[..first.len().min(MARKED)].windows(4).any(|four| four == b"UPX!");
    }
    first.starts_with(b"MZ") && of_pe(first).unwrap_or(false)
}

fn of_pe(first: &[u8]) -> Option<bool> {
    let short = |at: usize| Some(usize::from(u16::from_le_bytes([*first.get(at)?, *first.get(at + 1)?])));
    let header = short(0x3c)? | short(0x3e)? << 16;
    if first.get(header..header.checked_add(4)?)? != b"PE\0\0" {
        return None;
    }
    let (count, optional) = (short(header + 6)?, short(header + 20)?);
    let rows = first.get(header + 24 + optional..)?.chunks_exact(ROW).take(count);
    let name = |row: &[u8]| row[..8].split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
    Some(rows.map(name).any(|name| SECTIONS.contains(&&name[..])))
}
