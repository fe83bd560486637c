//! Many messages in memory, hashed by several threads.

use pfh_digest::{Algorithm, Digest, Executor, Task, hash_many};

/// Bytes that are worth a thread: starting one takes some 30 µs, hashing these some 500.
const SHARE: usize = 1 << 20;
/// Messages of a share, at least: those of the widest lanes, several times.
const COMPANY: usize = 64;

/// The digests of whole messages, in the order of the messages, as [`hash_many`] gives them, by at
/// most this many threads: one for each megabyte.
///
/// ```
/// let messages: Vec<Vec<u8>> = (0..1000_u32).map(|n| vec![n as u8; 4096]).collect();
/// let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
/// let sha256 = "sha256".parse()?;
/// assert_eq!(pfh::hash_many_on(sha256, &messages, 4), pfh::hash_many(sha256, &messages));
/// # Ok::<(), pfh::digest::UnknownAlgorithm>(())
/// ```
pub fn hash_many_on(algorithm: Algorithm, messages: &[&[u8]], threads: usize) -> Vec<Digest> {
    let bytes: usize = messages.iter().map(|message| message.len()).sum();
    let threads = threads.min(bytes / SHARE).min(messages.len() / COMPANY);
    if threads <= 1 {
        return hash_many(algorithm, messages);
    }
    // Several shares for each thread: one that is held up holds up no more than its share.
    let count = messages.len().div_ceil(4 * threads).max(COMPANY).next_multiple_of(COMPANY);
    let mut digests = vec![Vec::new(); messages.len().div_ceil(count)];
    let tasks = digests.iter_mut().zip(messages.chunks(count));
    let tasks = tasks.map(|(digests, messages)| Box::new(|| *digests = hash_many(algorithm, messages)) as Task<'_>);
    pfh_engine::executor(threads).run(tasks.collect());
    digests.concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_change_no_digest() {
        let messages: Vec<Vec<u8>> = (0..700_usize).map(|n| vec![n as u8; n * n % 9000]).collect();
        let messages: Vec<&[u8]> = messages.iter().map(|message| &message[..]).collect();
        for name in ["sha256", "blake3", "crc32", "ssdeep"] {
            let algorithm: Algorithm = name.parse::<crate::Algorithm>().unwrap().into();
            for count in [0, 1, 63, 64, 65, 200, 700] {
                let one: Vec<Digest> = messages[..count].iter().map(|message| algorithm.digest(message)).collect();
                for threads in [0, 1, 2, 3, 64] {
                    assert_eq!(hash_many_on(algorithm, &messages[..count], threads), one, "{name} {count} {threads}");
                }
            }
        }
    }
}
