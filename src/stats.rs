//! Where the time of a run went (the paper's `with-timing` and `with-stats`).

use crate::compare::Comparing;
use pfh_engine::Summary;
use serde_json::json;
use std::time::Duration;

/// How figures are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// Lines for people.
    Text,
    /// One JSON object.
    Json,
}

/// The figures as text or as one JSON object. Times of stages are sums over threads.
pub fn render(summary: &Summary, form: Format) -> String {
    let s = &summary.stats;
    let seconds = |d: Duration| d.as_secs_f64();
    let rate = if s.total.is_zero() { 0.0 } else { s.read_bytes as f64 / 1e6 / seconds(s.total) };
    match form {
        Format::Json => json!({
            "files": summary.hashed,
            "skipped": summary.skipped,
            "failed": summary.failed,
            "interrupted": summary.interrupted,
            "total_s": seconds(s.total),
            "read_s": seconds(s.read),
            "hash_s": seconds(s.hash),
            "wait_for_space_s": seconds(s.waited_for_space),
            "wait_for_data_s": seconds(s.waited_for_data),
            "waits_for_space": s.waits_for_space,
            "waits_for_data": s.waits_for_data,
            "read_bytes": s.read_bytes,
            "hash_bytes": s.hash_bytes,
            "mb_per_s": rate,
            "batches": s.batches,
            "jobs": s.jobs,
            "peak_table_bytes": s.peak_table,
            "table_bytes": s.table,
            "threads_sharing": s.sharing,
            "lent_s": seconds(s.lent),
        })
        .to_string(),
        Format::Text => format!(
            "files {}  skipped {}  failed {}\ntotal {:.3} s  read {:.3} s  hash {:.3} s (sums over threads)\n\
             wait for space {:.3} s, {} times  wait for data {:.3} s, {} times\n{} bytes read, {rate:.1} MB/s\n\
             table: at most {} of {} bytes; {} jobs in {} batches\n\
             at most {} threads shared a message's leaves; {:.3} s on such shares",
            summary.hashed,
            summary.skipped,
            summary.failed,
            seconds(s.total),
            seconds(s.read),
            seconds(s.hash),
            seconds(s.waited_for_space),
            s.waits_for_space,
            seconds(s.waited_for_data),
            s.waits_for_data,
            s.read_bytes,
            s.peak_table,
            s.table,
            s.jobs,
            s.batches,
            s.sharing,
            seconds(s.lent),
        ),
    }
}

/// The figures of a comparison: those of the run over its files, if any were read, and of
/// comparing; as text or as one JSON object.
pub fn render_compared(run: Option<&Summary>, comparing: &Comparing, form: Format) -> String {
    let (seconds, rate) = (comparing.elapsed.as_secs_f64(), comparing.rate());
    let Comparing { pairs, scored, .. } = comparing;
    match form {
        Format::Json => {
            let run = run.map_or_else(|| "{}".to_owned(), |run| render(run, form));
            let mut all: serde_json::Map<_, _> = serde_json::from_str(&run).unwrap_or_default();
            let own = [("compared_pairs", json!(pairs)), ("scored_pairs", json!(scored))];
            all.extend(own.map(|(name, value)| (name.to_owned(), value)));
            let times = [("compare_s", json!(seconds)), ("compared_pairs_per_s", json!(rate))];
            all.extend(times.map(|(name, value)| (name.to_owned(), value)));
            serde_json::Value::Object(all).to_string()
        }
        Format::Text => {
            let before = run.map_or_else(String::new, |run| render(run, form) + "\n");
            format!("{before}compare {seconds:.3} s  {pairs} pairs, {rate:.0} pairs/s; {scored} of them scored")
        }
    }
}

/// What the paper's `with-timing` prints: times of the stages, waits and rates.
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

/// What the paper's `with-stats` prints: how often threads waited.
pub fn states(run: Option<&Summary>) -> String {
    let s = run.map(|run| run.stats).unwrap_or_default();
    format!("waits for a file: {}\nwaits for space in the RAM table: {}", s.waits_for_data, s.waits_for_space)
}
