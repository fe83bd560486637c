//! mrsh-v2 2.0, one byte at a time.

use super::Rolling;

/// A digest: 256-byte filters and the number of blocks in each.
#[derive(Clone, Debug, PartialEq)]
pub struct Digest {
    /// Bytes of the input.
    pub size: u64,
    /// The Bloom filters, in order.
    pub filters: Vec<([u8; 256], u32)>,
}

/// The digest of `data` with block size `b`, `max` blocks per filter. `network` leaves out the
/// first and the last chunk.
pub fn digest(data: &[u8], b: u32, max: u32, network: bool) -> Digest {
    let mut filters = vec![([0u8; 256], 0u32)];
    let mut rolling = Rolling::default();
    let mut last = 0;
    let mut chunks = 0;
    let mut i = 0;
    while i < data.len() {
        if rolling.feed(data[i]) % b == b - 1 {
            if !(network && chunks == 0) {
                add(&mut filters, max, fnv1a(&data[last..=i]));
            }
            chunks += 1;
            last = i + 1;
            let skip = (b / 4) as usize;
            if i + skip < data.len() {
                i += skip;
            }
        }
        i += 1;
    }
    if !network && !data.is_empty() {
        add(&mut filters, max, fnv1a(&data[last..]));
    }
    Digest { size: data.len() as u64, filters }
}

fn fnv1a(chunk: &[u8]) -> u64 {
    chunk.iter().fold(0xcbf2_9ce4_8422_2325, |h, &byte| (h ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn add(filters: &mut Vec<([u8; 256], u32)>, max: u32, hash: u64) {
    if filters[filters.len() - 1].1 == max {
        filters.push(([0; 256], 0));
    }
    let (bits, blocks) = filters.last_mut().unwrap();
    let mut new = false;
    for j in 0..5 {
        let bit = (hash >> (11 * j)) as usize & 0x7ff;
        new |= bits[bit / 8] & (1 << (bit % 8)) == 0;
        bits[bit / 8] |= 1 << (bit % 8);
    }
    *blocks += u32::from(new);
}

/// The digest as the reference prints it, without the line's end.
pub fn print(digest: &Digest, name: &str) -> String {
    let mut text = format!("{name}:{}:{}:{}:", digest.size, digest.filters.len() - 1, digest.filters.last().unwrap().1);
    for byte in digest.filters.iter().flat_map(|filter| filter.0) {
        text.push_str(&format!("{byte:02X}"));
    }
    text
}

/// The score of two digests in this order, 0 to 100. `fragment` is the reference's `-f`.
pub fn compare(a: &Digest, b: &Digest, min: u32, fragment: bool) -> u32 {
    let (small, big) = if b.filters.len() > a.filters.len() { (a, b) } else { (b, a) };
    let counted = if fragment { big } else { small };
    let count = counted.filters.len() as u32 - u32::from(counted.filters.last().unwrap().1 < min);
    if count < 1 {
        return 0;
    }
    let enough = |filter: &&([u8; 256], u32)| filter.1 >= min;
    let sum: u32 = small
        .filters
        .iter()
        .take_while(enough)
        .map(|s| big.filters.iter().take_while(enough).map(|t| filter_score(s, t)).max().unwrap_or(0))
        .sum();
    sum / count
}

fn filter_score(a: &([u8; 256], u32), b: &([u8; 256], u32)) -> u32 {
    let p = 0.99951172f64;
    let power = |count: u32| p.powf(f64::from(5 * count));
    let e_min = (2048.0 * (1.0 - power(a.1) - power(b.1) + power(a.1 + b.1))).trunc();
    let ones = |bits: &[u8; 256]| bits.iter().map(|byte| byte.count_ones()).sum::<u32>();
    let e_max = f64::from(ones(&a.0).min(ones(&b.0)));
    let cutoff = (0.3 * (e_max - e_min) + e_min).trunc();
    let both = f64::from(a.0.iter().zip(&b.0).map(|(x, y)| (x & y).count_ones()).sum::<u32>());
    if both < cutoff || e_max - cutoff < 1.0 { 0 } else { (100.0 * (both - cutoff) / (e_max - cutoff)) as u32 }
}
