//! Where the time of an acquisition went, as text and as JSON.

use super::stats::StatsFormat;
use pfh::imaging::Times;
use pfh::manifest::row;
use serde::Serialize;

// In the order of the names of its members.
/// The stages of an acquisition, which work at the same time, in seconds.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Stages {
    /// The stage that worked longest: `read`, `hash`, `pack` or `write`.
    bound_by: &'static str,
    /// The busiest thread of digests.
    hash_s: f64,
    /// The compressors of the busiest target, each of them.
    pack_s: f64,
    /// The readers, each of them.
    read_s: f64,
    total_s: f64,
    /// The reader, waiting for a free block.
    wait_for_space_s: f64,
    /// The busiest target, without its waits for its compressors.
    write_s: f64,
}

/// One line for people, or one JSON object.
pub fn render(times: &Times, form: StatsFormat) -> String {
    let stages = [("read", times.read), ("hash", times.hash), ("pack", times.pack), ("write", times.write)];
    let bound_by = stages.iter().max_by_key(|(_, time)| *time).map_or("read", |(name, _)| name);
    let [read, hash, pack, write, wait, total] =
        [times.read, times.hash, times.pack, times.write, times.waited, times.total].map(|time| time.as_secs_f64());
    match form {
        StatsFormat::Json => row::object(&Stages {
            bound_by,
            hash_s: hash,
            pack_s: pack,
            read_s: read,
            total_s: total,
            wait_for_space_s: wait,
            write_s: write,
        }),
        StatsFormat::Text => format!(
            "{total:.3} s  reader {read:.3} s and {wait:.3} s waiting for a free block, digests {hash:.3} s, \
             compressors {pack:.3} s, writer {write:.3} s: bound by {}",
            match bound_by {
                "read" => "the reader",
                "hash" => "the digests",
                "pack" => "the compressors",
                _ => "the writer",
            }
        ),
    }
}
