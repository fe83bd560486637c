//! Where the time of a run went (the paper's `with-timing` and `with-stats`), as text and as JSON.

use super::{counted, many};
use clap::ValueEnum;
use pfh::Summary;
use pfh::compare::Comparing;
use pfh::manifest::row;
use serde::Serialize;
use std::time::Duration;

/// A form of the statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StatsFormat {
    /// Lines for people.
    Text,
    /// One JSON object.
    Json,
}

// In the order of the names of its members.
/// Where the time of a run went. Times of stages are sums over threads, all in seconds.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Figures {
    /// Bytes that came out of compressed streams which one thread decoded.
    alone_bytes: u64,
    /// Such streams, where several threads were to decode.
    alone_streams: u64,
    /// Batches of messages that were hashed side by side.
    batches: u64,
    /// Inputs that could not be read.
    failed: u64,
    /// Files with digests.
    files: u64,
    /// Bytes that were hashed.
    hash_bytes: u64,
    hash_s: f64,
    interrupted: bool,
    /// Pieces of messages that were hashed.
    jobs: u64,
    /// Spent on shares of another thread's message.
    lent_s: f64,
    /// Megabytes read in a second.
    mb_per_s: f64,
    /// Processor time of the one thread that lists names in containers while others decode.
    names_s: f64,
    /// The most bytes that the table held.
    peak_table_bytes: u64,
    read_bytes: u64,
    read_s: f64,
    skipped: u64,
    /// Bytes that the table may hold.
    table_bytes: u64,
    /// The most threads that shared a message.
    threads_sharing: u64,
    total_s: f64,
    wait_for_data_s: f64,
    wait_for_space_s: f64,
    waits_for_data: u64,
    waits_for_space: u64,
}

/// Where the time of a comparison went.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparedFigures {
    compare_s: f64,
    compared_pairs: u64,
    compared_pairs_per_s: f64,
    scored_pairs: u64,
}

/// Where the time of a comparison went that read its files.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ComparisonTimes {
    #[serde(flatten)]
    run: Figures,
    #[serde(flatten)]
    compared: ComparedFigures,
}

/// Megabytes read in a second.
fn rate(summary: &Summary) -> f64 {
    let s = &summary.stats;
    if s.total.is_zero() { 0.0 } else { s.read_bytes as f64 / 1e6 / s.total.as_secs_f64() }
}

fn figures(summary: &Summary) -> Figures {
    let s = &summary.stats;
    Figures {
        alone_bytes: s.alone_bytes,
        alone_streams: s.alone_streams,
        batches: s.batches,
        failed: summary.failed,
        files: summary.hashed,
        hash_bytes: s.hash_bytes,
        hash_s: s.hash.as_secs_f64(),
        interrupted: summary.interrupted,
        jobs: s.jobs,
        lent_s: s.lent.as_secs_f64(),
        mb_per_s: rate(summary),
        names_s: s.names.as_secs_f64(),
        peak_table_bytes: s.peak_table,
        read_bytes: s.read_bytes,
        read_s: s.read.as_secs_f64(),
        skipped: summary.skipped,
        table_bytes: s.table,
        threads_sharing: s.sharing,
        total_s: s.total.as_secs_f64(),
        wait_for_data_s: s.waited_for_data.as_secs_f64(),
        wait_for_space_s: s.waited_for_space.as_secs_f64(),
        waits_for_data: s.waits_for_data,
        waits_for_space: s.waits_for_space,
    }
}

fn text(summary: &Summary) -> String {
    let s = &summary.stats;
    let mut text = format!(
        "files {}  skipped {}  failed {}\ntotal {:.3} s  read {:.3} s  hash {:.3} s (sums over threads)\n\
         wait for space {:.3} s, {}  wait for data {:.3} s, {}\n{} read, {:.1} MB/s\n\
         table: at most {} of {}; {} in {}\n\
         at most {} shared a message's leaves; {:.3} s on such shares",
        summary.hashed,
        summary.skipped,
        summary.failed,
        s.total.as_secs_f64(),
        s.read.as_secs_f64(),
        s.hash.as_secs_f64(),
        s.waited_for_space.as_secs_f64(),
        counted(s.waits_for_space, "time"),
        s.waited_for_data.as_secs_f64(),
        counted(s.waits_for_data, "time"),
        counted(s.read_bytes, "byte"),
        rate(summary),
        s.peak_table,
        counted(s.table, "byte"),
        counted(s.jobs, "job"),
        many(s.batches, "batch", "batches"),
        counted(s.sharing, "thread"),
        s.lent.as_secs_f64(),
    );
    if s.alone_streams > 0 {
        let (streams, bytes) = (counted(s.alone_streams, "stream"), counted(s.alone_bytes, "byte"));
        text.push_str(&format!("\n{streams} of {bytes} decoded by one thread: its compression allows no more"));
    }
    if !s.names.is_zero() {
        text.push_str(&format!("\nnames in containers: {:.3} s of one thread", s.names.as_secs_f64()));
    }
    text
}

/// The figures as text or as one JSON object. Times of stages are sums over threads.
pub fn render(summary: &Summary, form: StatsFormat) -> String {
    match form {
        StatsFormat::Json => row::object(&figures(summary)),
        StatsFormat::Text => text(summary),
    }
}

/// The figures of a comparison: those of the run over its files, if any were read, and of
/// comparing.
pub fn render_compared(run: Option<&Summary>, comparing: &Comparing, form: StatsFormat) -> String {
    let (elapsed, rate) = (comparing.elapsed, comparing.rate());
    let Comparing { pairs, scored, .. } = comparing;
    match form {
        StatsFormat::Json => {
            let compared = ComparedFigures {
                compare_s: elapsed.as_secs_f64(),
                compared_pairs: *pairs,
                compared_pairs_per_s: rate,
                scored_pairs: *scored,
            };
            match run.map(figures) {
                // In the order of the names of its members.
                Some(run) => row::object(&serde_json::json!(ComparisonTimes { run, compared })),
                None => row::object(&compared),
            }
        }
        StatsFormat::Text => {
            let (before, seconds) = (run.map_or_else(String::new, |run| text(run) + "\n"), elapsed.as_secs_f64());
            {
                let pairs = counted(*pairs, "pair");
                format!("{before}compare {seconds:.3} s  {pairs}, {rate:.0} pairs/s; {scored} of them scored")
            }
        }
    }
}

/// The output of the paper's `with-timing`: times of the stages, waits and rates.
pub fn timing(run: Option<&Summary>, comparing: Option<&Comparing>) -> String {
    let s = run.map(|run| run.stats).unwrap_or_default();
    let compare = comparing.map_or(Duration::ZERO, |comparing| comparing.elapsed);
    let rate = if s.total.is_zero() { 0.0 } else { s.hash_bytes as f64 / 1e6 / s.total.as_secs_f64() };
    let lines = [
        ("total time", s.total + compare),
        ("compare time", compare),
        ("hash time, all threads", s.hash),
        ("waiting for RAM, all threads", s.waited_for_space),
        ("waiting for a file, all threads", s.waited_for_data),
        ("reading from disk, all threads", s.read),
    ];
    let mut text: String = lines.iter().map(|(what, time)| format!("{what}: {:.3} s\n", time.as_secs_f64())).collect();
    text += &format!("throughput of hashing: {rate:.1} MB/s\n");
    text + &format!("throughput of comparing: {:.0} items/s", comparing.map_or(0.0, Comparing::rate))
}

/// The output of the paper's `with-stats`: how often threads waited.
pub fn states(run: Option<&Summary>) -> String {
    let s = run.map(|run| run.stats).unwrap_or_default();
    format!("waits for a file: {}\nwaits for space in the RAM table: {}", s.waits_for_data, s.waits_for_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Threads wait once on a busy machine alone, so no run of the program shows it for certain.
    #[test]
    fn one_of_anything_has_no_plural() {
        let mut summary = Summary::default();
        let s = &mut summary.stats;
        (s.waits_for_space, s.waits_for_data, s.read_bytes) = (1, 1, 1);
        (s.peak_table, s.table, s.jobs, s.batches, s.sharing) = (1, 1, 1, 1, 1);
        (s.alone_streams, s.alone_bytes) = (1, 1);
        let text = render(&summary, StatsFormat::Text);
        for words in [
            "0.000 s, 1 time  wait",
            "1 byte read",
            "1 of 1 byte;",
            "1 job in 1 batch\n",
            "1 thread shared",
            "\n1 stream of 1 byte decoded",
        ] {
            assert!(text.contains(words), "{words:?} is missing:\n{text}");
        }
        assert!(text.contains("data 0.000 s, 1 time\n"), "{text}");
    }
}
