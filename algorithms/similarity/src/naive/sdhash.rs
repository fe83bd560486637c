//! sdhash 4.0 (`sdbf:03`), stream and block mode, step by step.

use crate::sdhash::tables::{CUTOFFS, ENTROPY, RANKS};
use sha1::{Digest as _, Sha1};

/// Bytes of a feature and of the windows that choose it.
const WINDOW: usize = 64;
/// A chunk of stream mode: features never straddle two of them.
const CHUNK: usize = 32 << 20;

/// A digest: 256-byte filters with their element counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Digest {
    /// The name that the digest carries; it can decide which of two digests is the reference.
    pub name: String,
    /// Bytes of the input.
    pub size: u64,
    /// Block size in bytes (block mode), none in stream mode.
    pub block: Option<u32>,
    /// The Bloom filters with their element counts, in order.
    pub filters: Vec<([u8; 256], u32)>,
}

/// The rank of every position of a chunk; the last 64 are zero.
fn ranks(chunk: &[u8]) -> Vec<u16> {
    let mut ranks = vec![0; chunk.len() + 1];
    for (rank, window) in ranks.iter_mut().zip(chunk.windows(WINDOW)).take(chunk.len().saturating_sub(WINDOW)) {
        let mut counts = [0usize; 256];
        for &byte in window {
            counts[usize::from(byte)] += 1;
        }
        let entropy: u32 = counts.iter().map(|&count| ENTROPY[count]).sum();
        *rank = RANKS[entropy as usize >> 10];
    }
    ranks
}

/// How often each position was the minimum of a window of 64 ranks.
fn popularity(rank: &[u16], n: usize) -> Vec<u32> {
    let mut scores = vec![0; n];
    let end = n.saturating_sub(WINDOW);
    let (mut i, mut at, mut least) = (0, 0, rank[0]);
    while i < end {
        if i > 0 && least > 0 {
            while rank[i + 64] >= least && i < at && i < end + 1 {
                if rank[i + 64] == least {
                    at = i + 64;
                }
                scores[at] += 1;
                i += 1;
            }
        }
        (at, least) = (i, rank[i]);
        for (j, &r) in rank.iter().enumerate().take(i + 64).skip(i + 1) {
            if r < least && r != 0 {
                (at, least) = (j, r);
            } else if at == j - 1 && r == least {
                at = j;
            }
        }
        if rank[at] > 0 {
            scores[at] += 1;
        }
        i += 1;
    }
    scores
}

/// The five words that a feature sets bits by.
fn words(feature: &[u8]) -> [u32; 5] {
    let hash = Sha1::digest(feature);
    std::array::from_fn(|i| u32::from_le_bytes(hash[4 * i..4 * i + 4].try_into().unwrap()))
}

/// Sets the bits and says whether one of them was new.
fn insert(filter: &mut [u8], words: [u32; 5]) -> bool {
    let mut new = false;
    for word in words {
        let bit = word as usize & (filter.len() * 8 - 1);
        new |= filter[bit / 8] & (1 << (bit % 8)) == 0;
        filter[bit / 8] |= 1 << (bit % 8);
    }
    new
}

/// The digest in stream mode; none below 512 bytes.
pub fn stream(data: &[u8], name: &str) -> Option<Digest> {
    if data.len() < 512 {
        return None;
    }
    let mut filters = vec![([0u8; 256], 0u32)];
    let mut big = vec![0u8; 16 << 10];
    for chunk in data.chunks(CHUNK) {
        let scores = popularity(&ranks(chunk), chunk.len());
        let mut counted = 0;
        for o in 0..chunk.len().saturating_sub(WINDOW) {
            if scores[o] <= 16 {
                continue;
            }
            let words = words(&chunk[o..o + WINDOW]);
            let (bits, count) = filters.last_mut().unwrap();
            if !insert(bits, words) || !insert(&mut big, words) {
                continue;
            }
            *count += 1;
            counted += 1;
            if *count == 160 {
                filters.push(([0; 256], 0));
            }
            if counted == 8738 {
                big.fill(0);
                counted = 0;
            }
        }
    }
    if filters.len() > 1 && filters.last().unwrap().1 < 20 {
        filters.pop();
        filters.last_mut().unwrap().1 = 160;
    }
    Some(Digest { name: name.into(), size: data.len() as u64, block: None, filters })
}

/// The digest in block mode (the reference's `-b`); none below 512 bytes.
pub fn blocks(data: &[u8], name: &str, block: usize) -> Option<Digest> {
    if data.len() < 512 {
        return None;
    }
    let mut filters = Vec::new();
    for bytes in data.chunks(block) {
        if bytes.len() < block && bytes.len() < 512 {
            break;
        }
        let scores = popularity(&ranks(bytes), bytes.len());
        let scores = &scores[..bytes.len() - WINDOW];
        let (mut k, mut sum) = (65, 0);
        let (threshold, mut allowed) = if bytes.len() == block {
            while k >= 16 {
                let h = scores.iter().filter(|&&s| s == k).count();
                if sum <= 192 && sum + h > 192 {
                    break;
                }
                sum += h;
                k -= 1;
            }
            (k, 192 - sum as i64)
        } else {
            (16, 192)
        };
        let (mut bits, mut count) = ([0; 256], 0);
        for (o, &s) in scores.iter().enumerate() {
            if count >= 192 {
                break;
            }
            if (s > threshold || (s == threshold && allowed > 0)) && insert(&mut bits, words(&bytes[o..o + WINDOW])) {
                count += 1;
                if s == threshold {
                    allowed -= 1;
                }
            }
        }
        filters.push((bits, count));
    }
    Some(Digest { name: name.into(), size: data.len() as u64, block: Some(block as u32), filters })
}

/// The digest as the reference prints it, without the line's end.
pub fn print(digest: &Digest) -> String {
    let Digest { name, size, filters, .. } = digest;
    let count = filters.len();
    match digest.block {
        None => {
            let all: Vec<u8> = filters.iter().flat_map(|filter| filter.0).collect();
            let last = filters[count - 1].1;
            let len = name.len();
            format!("sdbf:03:{len}:{name}:{size}:sha1:256:5:7ff:160:{count}:{last}:{}", base64(&all))
        }
        Some(block) => {
            let mut text = format!("sdbf-dd:03:{}:{name}:{size}:sha1:256:5:7ff:192:{count}:{block}", name.len());
            for (bits, elements) in filters {
                text.push_str(&format!(":{elements:02x}:{}", base64(bits)));
            }
            text
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = (0..3).fold(0, |w, i| w << 8 | u32::from(three.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let sextet = word >> (18 - 6 * i) & 63;
            text.push(if i <= three.len() { char::from(alphabet[sextet as usize]) } else { '=' });
        }
    }
    text
}

/// The score of two digests; none where the reference gives a negative number.
pub fn compare(a: &Digest, b: &Digest) -> Option<u32> {
    let key = |digest: &Digest| (digest.filters.len(), digest.filters.last().unwrap().1, digest.name.clone());
    let (reference, target) = if key(a) > key(b) { (b, a) } else { (a, b) };
    let mut sum = -1.0;
    let mut sparse = 0;
    for filter in &reference.filters {
        let mut best = -1.0f64;
        if filter.1 < 16 {
            sparse += 1;
            best = 0.0;
        } else {
            for other in target.filters.iter().filter(|other| other.1 >= 16) {
                best = best.max(filter_score(filter, other));
            }
        }
        sum = if sum < 0.0 { best } else { sum + best };
    }
    let count = reference.filters.len();
    let denominator = if count > 1 { count - sparse } else { count };
    let score = (100.0 * sum / denominator as f64).round();
    (denominator > 0 && score >= 0.0).then_some(score as u32)
}

fn filter_score(a: &([u8; 256], u32), b: &([u8; 256], u32)) -> f64 {
    let cut = u32::from(CUTOFFS[4096 / (a.1 + b.1) as usize]);
    let common = |bytes: usize| a.0.iter().zip(&b.0).take(bytes).map(|(x, y)| (x & y).count_ones()).sum::<u32>();
    // The reference estimates first and gives up early; its estimates can be wrong, and parity
    // needs them.
    if 8 * common(32) + 48 < cut || 4 * common(64) + 48 < cut || 2 * common(128) + 48 < cut || common(256) <= cut {
        return 0.0;
    }
    let ones = |bits: &[u8; 256]| bits.iter().map(|byte| byte.count_ones()).sum::<u32>();
    let most = ones(&a.0).min(ones(&b.0));
    f64::from(common(256) - cut) / (f64::from(most) - f64::from(cut))
}
