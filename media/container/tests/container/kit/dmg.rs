//! Writes UDIF images, after the format's published descriptions.

use super::sum;

/// A run: its kind, its number of sectors, and its stored bytes.
pub struct Run {
    pub kind: u32,
    pub sectors: u64,
    pub stored: Vec<u8>,
}

/// Base64 in lines.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for (at, piece) in bytes.chunks(3).enumerate() {
        let word = piece.iter().fold(0_u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - piece.len()));
        for place in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= piece.len() { char::from(digit) } else { '=' });
        }
        if at % 13 == 12 {
            out.push_str("\n\t\t\t\t");
        }
    }
    out
}

fn checksum(crc: &[u8]) -> Vec<u8> {
    let mut bytes = [2_u32.to_be_bytes(), 32_u32.to_be_bytes()].concat();
    bytes.extend_from_slice(crc);
    bytes.resize(136, 0);
    bytes
}

/// The image of a disk, whose parts with their runs cover it in order.
pub fn write(disk: &[u8], parts: &[(&str, Vec<Run>)]) -> Vec<u8> {
    let (mut fork, mut tables, mut sums, mut first) = (Vec::new(), String::new(), Vec::new(), 0_u64);
    for (number, (name, runs)) in parts.iter().enumerate() {
        let sectors: u64 = runs.iter().map(|run| run.sectors).sum();
        let content = &disk[first as usize * 512..(first + sectors) as usize * 512];
        let crc = sum("crc32", content);
        let mut mish = b"mish\0\0\0\x01".to_vec();
        for word in [first, sectors, 0] {
            mish.extend(word.to_be_bytes());
        }
        mish.extend(0x208_u32.to_be_bytes());
        mish.extend((number as u32).to_be_bytes());
        mish.extend([0; 24]);
        mish.extend(checksum(&crc));
        mish.extend((runs.len() as u32 + 1).to_be_bytes());
        let mut at = 0;
        let end = Run { kind: 0xffff_ffff, sectors: 0, stored: Vec::new() };
        for run in runs.iter().chain([&end]) {
            mish.extend(run.kind.to_be_bytes());
            mish.extend([0; 4]);
            for word in [at, run.sectors, fork.len() as u64, run.stored.len() as u64] {
                mish.extend(word.to_be_bytes());
            }
            fork.extend_from_slice(&run.stored);
            at += run.sectors;
        }
        let data = base64(&mish);
        tables.push_str(&format!(
            "<dict><key>Attributes</key><string>0x0050</string><key>Data</key><data>\n\t\t\t\t{data}\n</data>\
             <key>ID</key><string>{number}</string><key>Name</key><string>{name}</string></dict>\n"
        ));
        sums.extend(crc);
        first += sectors;
    }
    let list = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><dict><key>resource-fork</key><dict>\
         <key>blkx</key><array>\n{tables}</array><key>plst</key><array/></dict></dict></plist>\n"
    );
    let mut koly = b"koly".to_vec();
    koly.extend([4_u32, 512, 1].map(u32::to_be_bytes).concat());
    koly.extend([0, 0, fork.len() as u64, 0, 0].map(u64::to_be_bytes).concat());
    koly.extend([1_u32, 1].map(u32::to_be_bytes).concat());
    koly.extend([7; 16]);
    koly.extend(checksum(&sum("crc32", &fork)));
    koly.extend([fork.len() as u64, list.len() as u64].map(u64::to_be_bytes).concat());
    koly.resize(352, 0);
    koly.extend(checksum(&sum("crc32", &sums)));
    koly.extend(1_u32.to_be_bytes());
    koly.extend((disk.len() as u64 / 512).to_be_bytes());
    koly.resize(512, 0);
    [fork, list.into_bytes(), koly].concat()
}
