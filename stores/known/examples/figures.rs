//! `figures DIR ENTRIES [MEMORY-MiB]`: builds a set of that many made-up SHA-1 digests from a list
//! in DIR, and measures building, opening and looking up. Every answer is checked before a time is
//! printed.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;

use pfh_digest::{Algorithm, Digest};
use pfh_known::{Build, Class, DEFAULT_RESIDENT, Input, KnownSet};

/// Look-ups per measurement; the best and the median of five are printed.
const LOOKUPS: u64 = 1_000_000;

/// The n-th made-up digest: a mixed counter (SplitMix64), which has no two alike.
fn digest(sha1: Algorithm, n: u64) -> Digest {
    let mut bytes = [0; 20];
    for (at, part) in bytes.chunks_mut(8).enumerate() {
        let mut z = (n * 3 + at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        part.copy_from_slice(&(z ^ (z >> 31)).to_le_bytes()[..part.len()]);
    }
    Digest::from_bytes(sha1, &bytes).expect("20 bytes")
}

/// The peak of resident memory in MiB, from /proc/self/status (VmHWM).
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse::<u64>().ok()).unwrap_or(0) / 1024
}

/// Nanoseconds that this thread was on a processor (/proc/self/schedstat): on a busy machine the
/// honest measure of a core.
fn on_processor() -> f64 {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split_whitespace().next().and_then(|number| number.parse().ok()).unwrap_or(f64::NAN)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, directory, entries, rest @ ..] = &arguments[..] else {
        return Err("figures DIR ENTRIES [MEMORY-MiB]".into());
    };
    let (directory, entries) = (Path::new(directory), entries.parse::<u64>()?);
    let memory = rest.first().map_or(Ok(512), |number| number.parse::<usize>())? << 20;
    let sha1: Algorithm = "sha1".parse()?;
    let (list, output) =
        (directory.join(format!("list-{entries}.txt")), directory.join(format!("set-{entries}.pfhknown")));
    if !list.exists() {
        let mut file = BufWriter::with_capacity(1 << 20, std::fs::File::create(&list)?);
        for n in 0..entries {
            writeln!(file, "{}", digest(sha1, n))?;
        }
        file.flush()?;
    }
    let (from, on) = (Instant::now(), on_processor());
    let built = Build {
        inputs: vec![Input::new(&list, Class::Good)],
        output: output.clone(),
        work: None,
        memory,
        fault: &mut |_, line, fault| panic!("{line}: {fault}"),
        progress: &mut |_| {},
        cancel: Default::default(),
    }
    .run()?;
    let seconds = from.elapsed().as_secs_f64();
    assert_eq!(built.digests, [("sha1".to_owned(), entries)]);
    let size = std::fs::metadata(&output)?.len();
    let reading = (on_processor() - on) / 1e9;
    println!(
        "build    {seconds:8.2} s of wall, {reading:.2} s of processor in the thread that reads and merges; peak {} MiB",
        peak()
    );
    println!("size     {size} bytes   {:.3} per entry", size as f64 / entries as f64);
    let mut opens: Vec<f64> = Vec::new();
    for _ in 0..5 {
        let from = Instant::now();
        drop(KnownSet::open(&output, DEFAULT_RESIDENT)?);
        opens.push(from.elapsed().as_secs_f64() * 1e3);
    }
    opens.sort_by(f64::total_cmp);
    println!("open     {:8.3} ms least, {:.3} ms median", opens[0], opens[2]);
    let known = KnownSet::open(&output, DEFAULT_RESIDENT)?;
    let stride = entries / LOOKUPS.min(entries);
    let present: Vec<Digest> = (0..LOOKUPS.min(entries)).map(|n| digest(sha1, n * stride)).collect();
    let absent: Vec<Digest> = (0..LOOKUPS).map(|n| digest(sha1, n + (1 << 40))).collect();
    for (name, digests, expected) in [("absent", &absent, false), ("present", &present, true)] {
        let (mut walls, mut cores) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            let (from, on) = (Instant::now(), on_processor());
            for digest in digests {
                assert_eq!(known.find_certain(digest)?.is_some(), expected);
            }
            cores.push(digests.len() as f64 * 1e9 / (on_processor() - on));
            walls.push(digests.len() as f64 / from.elapsed().as_secs_f64());
        }
        for rates in [&mut cores, &mut walls] {
            rates.sort_by(f64::total_cmp);
        }
        println!("{name:8} {:.0} best, {:.0} median per second of processor", cores[4], cores[2]);
        println!("{name:8} {:.0} best, {:.0} median per second of wall", walls[4], walls[2]);
    }
    Ok(())
}
