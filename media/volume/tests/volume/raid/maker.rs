//! Members of arrays: superblocks, and chunks at the places that a table has.

use std::sync::Arc;

use pfh_inject::random;
use pfh_volume::Bytes;

use super::layouts::Layout;

pub const CHUNK: usize = 4096;
/// Where data begin on a member, behind the superblock.
const START: usize = 16 << 10;

/// An array, by the fields of its superblocks.
#[derive(Clone)]
pub struct Array {
    pub level: i32,
    pub layout: u32,
    pub chunk: usize,
    pub devices: usize,
    /// Bytes of each device that are used.
    pub used: u64,
    pub features: u32,
    pub resync: u64,
    pub name: &'static str,
}

/// The fields of one member.
#[derive(Clone, Copy)]
pub struct Own {
    pub role: u16,
    pub events: u64,
    pub recovered: u64,
}

pub fn own(role: usize) -> Own {
    Own { role: role as u16, events: 7, recovered: 0 }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

/// The checksum of a superblock 1.x: the sum of its words, its carries added in.
pub fn seal(sb: &mut [u8]) {
    put(sb, 216, &[0; 4]);
    let mut sum: u64 = 0;
    let mut at = 0;
    while at + 4 <= sb.len() {
        sum += u64::from(u32::from_le_bytes(sb[at..at + 4].try_into().unwrap()));
        at += 4;
    }
    if at + 2 <= sb.len() {
        sum += u64::from(u16::from_le_bytes(sb[at..at + 2].try_into().unwrap()));
    }
    let sum = (sum & 0xffff_ffff) + (sum >> 32);
    put(sb, 216, &(sum as u32).to_le_bytes());
}

impl Array {
    /// The superblock of a member whose data are `data` bytes.
    pub fn superblock(&self, own: Own, at: usize, data: usize) -> Vec<u8> {
        let roles = self.devices.max(usize::from(own.role) + 1);
        let mut sb = vec![0; 256 + 2 * roles];
        put(&mut sb, 0, &0xa92b_4efc_u32.to_le_bytes());
        put(&mut sb, 4, &1_u32.to_le_bytes());
        put(&mut sb, 8, &self.features.to_le_bytes());
        put(&mut sb, 16, b"pfh array number");
        put(&mut sb, 32, self.name.as_bytes());
        put(&mut sb, 72, &self.level.to_le_bytes());
        put(&mut sb, 76, &self.layout.to_le_bytes());
        put(&mut sb, 80, &(self.used / 512).to_le_bytes());
        put(&mut sb, 88, &((self.chunk / 512) as u32).to_le_bytes());
        put(&mut sb, 92, &(self.devices as u32).to_le_bytes());
        put(&mut sb, 128, &((START / 512) as u64).to_le_bytes());
        put(&mut sb, 136, &((data / 512) as u64).to_le_bytes());
        put(&mut sb, 144, &((at / 512) as u64).to_le_bytes());
        put(&mut sb, 152, &(own.recovered / 512).to_le_bytes());
        put(&mut sb, 160, &u32::from(own.role).to_le_bytes());
        put(&mut sb, 200, &own.events.to_le_bytes());
        put(&mut sb, 208, &self.resync.to_le_bytes());
        put(&mut sb, 220, &(roles as u32).to_le_bytes());
        for role in 0..self.devices {
            put(&mut sb, 256 + 2 * role, &(role as u16).to_le_bytes());
        }
        for spare in self.devices..roles {
            put(&mut sb, 256 + 2 * spare, &0xffff_u16.to_le_bytes());
        }
        seal(&mut sb);
        sb
    }

    /// A member with a superblock 1.2 and these data.
    pub fn member(&self, own: Own, data: &[u8]) -> Vec<u8> {
        let mut image = vec![0; START];
        let sb = self.superblock(own, 4096, data.len());
        put(&mut image, 4096, &sb);
        image.extend_from_slice(data);
        image
    }
}

/// A chunk of the array.
fn chunk(number: usize) -> Vec<u8> {
    random(number as u64 + 1, CHUNK)
}

/// `by` times 2 to a power in the field of RAID 6, bit by bit.
fn doubled(mut by: u8, power: u32) -> u8 {
    for _ in 0..power {
        by = (by << 1) ^ if by & 128 == 0 { 0 } else { 0x1d };
    }
    by
}

/// The content of an array with the chunks of a table, and the data of its devices.
pub fn written(layout: &Layout) -> (Vec<u8>, Vec<Vec<u8>>) {
    let rows: Vec<Vec<&str>> = layout.rows.split('/').map(|row| row.split_whitespace().collect()).collect();
    let mut devices = vec![Vec::new(); rows[0].len()];
    let mut most = 0;
    for row in &rows {
        let data: Vec<(usize, u32)> = row
            .iter()
            .filter(|word| !matches!(**word, "P" | "Q"))
            .map(|word| word.split_once('.').unwrap_or((word, "0")))
            .map(|(number, power)| (number.parse().unwrap(), power.parse().unwrap()))
            .collect();
        let sum = |powers: bool| {
            let mut sum = vec![0; CHUNK];
            for (number, power) in &data {
                let times = if powers { *power } else { 0 };
                sum.iter_mut().zip(chunk(*number)).for_each(|(sum, byte)| *sum ^= doubled(byte, times));
            }
            sum
        };
        let mut data = data.iter();
        for (device, word) in devices.iter_mut().zip(row) {
            device.extend(match *word {
                "P" => sum(false),
                "Q" => sum(true),
                _ => {
                    let (number, _) = data.next().unwrap();
                    most = most.max(*number);
                    chunk(*number)
                }
            });
        }
    }
    ((0..=most).flat_map(chunk).collect(), devices)
}

pub fn medium(image: Vec<u8>) -> Arc<dyn Bytes> {
    Arc::new(image)
}
