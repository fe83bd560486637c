//! Many messages in memory, hashed by several threads.

use pfh_digest::{Algorithm, Digest, Executor, Hasher, Task, finalize_many, hash_many, update_many};
use pfh_engine::Cancel;

/// Bytes that are worth a thread: starting one takes some 30 µs, hashing these some 500.
const SHARE: usize = 1 << 20;
/// Messages of a share, at least: those of the widest lanes, several times.
const COMPANY: usize = 64;
/// Messages that are hashed side by side, at most.
const CROWD: usize = 1 << 12;
/// Bytes between two looks whether the work was cancelled: a tenth of a second of the slowest
/// functions.
const STEP: usize = 4 << 20;

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
    hash_many_until(algorithm, messages, threads, &Cancel::default()).unwrap_or_default()
}

/// The same, or `None` when it is cancelled before its end: each thread looks after some megabytes,
/// also in the midst of a message.
pub fn hash_many_until(
    algorithm: Algorithm,
    messages: &[&[u8]],
    threads: usize,
    cancel: &Cancel,
) -> Option<Vec<Digest>> {
    let bytes: usize = messages.iter().map(|message| message.len()).sum();
    let threads = threads.min(bytes / SHARE).min(messages.len() / COMPANY);
    if threads <= 1 {
        return share(algorithm, messages, cancel);
    }
    // Several shares for each thread: one that is held up holds up no more than its share.
    let count = messages.len().div_ceil(4 * threads).max(COMPANY).next_multiple_of(COMPANY);
    let mut digests = vec![None; messages.len().div_ceil(count)];
    let tasks = digests.iter_mut().zip(messages.chunks(count));
    let tasks = tasks.map(|(digests, messages)| Box::new(|| *digests = share(algorithm, messages, cancel)) as Task<'_>);
    pfh_engine::executor(threads).run(tasks.collect());
    digests.into_iter().collect::<Option<Vec<_>>>().map(|digests| digests.concat())
}

/// The digests of a thread's share.
fn share(algorithm: Algorithm, mut messages: &[&[u8]], cancel: &Cancel) -> Option<Vec<Digest>> {
    // Without lanes a message is finished before the next one begins: a state may be large.
    let company = if algorithm.lanes() > 1 { COMPANY } else { 1 };
    let mut digests = Vec::with_capacity(messages.len());
    while !messages.is_empty() {
        if cancel.is_cancelled() {
            return None;
        }
        let (mut count, mut bytes) = (0, 0);
        while count < messages.len().min(CROWD) && (bytes < STEP || count < company) {
            bytes += messages[count].len();
            count += 1;
        }
        let (some, rest) = messages.split_at(count);
        digests.extend(match bytes <= 2 * STEP {
            true => hash_many(algorithm, some),
            false => stepwise(algorithm, some, cancel)?,
        });
        messages = rest;
    }
    Some(digests)
}

/// The digests of messages of many bytes in sum: all messages advance side by side.
fn stepwise(algorithm: Algorithm, messages: &[&[u8]], cancel: &Cancel) -> Option<Vec<Digest>> {
    let mut hashers: Vec<Hasher> = messages.iter().map(|_| algorithm.hasher()).collect();
    let mut rests = messages.to_vec();
    loop {
        let open = rests.iter().filter(|rest| !rest.is_empty()).count();
        if open == 0 {
            return Some(finalize_many(hashers));
        }
        if cancel.is_cancelled() {
            return None;
        }
        let mut pieces = Vec::with_capacity(open);
        for (hasher, rest) in hashers.iter_mut().zip(&mut rests).filter(|(_, rest)| !rest.is_empty()) {
            let (piece, after) = rest.split_at(rest.len().min(STEP.div_ceil(open)));
            pieces.push((hasher, piece));
            *rest = after;
        }
        update_many(&mut pieces);
    }
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
    #[test]
    fn long_messages_advance_side_by_side() {
        let bytes: Vec<u8> = (0..2 * STEP + 77).map(|n| ((n * n) >> 7) as u8).collect();
        let lengths = [bytes.len(), 0, 5, STEP, STEP + 1, 2 * STEP, 1, bytes.len() - 64];
        let messages: Vec<&[u8]> = lengths.iter().cycle().take(67).map(|length| &bytes[..*length]).collect();
        for name in ["md5", "blake3", "ssdeep"] {
            let algorithm: Algorithm = name.parse::<crate::Algorithm>().unwrap().into();
            let each = lengths.map(|length| algorithm.digest(&bytes[..length]));
            let each: Vec<Digest> = each.iter().cycle().take(67).cloned().collect();
            for (count, threads) in [(1, 1), (8, 1), (67, 1), (67, 2)] {
                assert_eq!(hash_many_on(algorithm, &messages[..count], threads), each[..count], "{name} {count}");
            }
        }
    }

    #[test]
    fn it_ends_when_it_is_cancelled_also_in_a_message() {
        let message = vec![0; 1 << 26];
        for messages in [vec![&message[..]; 4000], vec![&message[..1 << 20]; 200_000]] {
            for (algorithm, threads) in [("md5", 1), ("sha256", 3)] {
                let algorithm: Algorithm = algorithm.parse::<crate::Algorithm>().unwrap().into();
                let cancel = Cancel::default();
                let found = std::thread::scope(|scope| {
                    let found = scope.spawn(|| hash_many_until(algorithm, &messages, threads, &cancel));
                    std::thread::sleep(std::time::Duration::from_millis(20));
                    cancel.cancel();
                    found.join().unwrap()
                });
                assert_eq!(found, None);
            }
        }
    }
}
