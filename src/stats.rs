//! Where the time of a run went (the paper's `with-timing` and `with-stats`).

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
             wait for space {:.3} s  wait for data {:.3} s\n{} bytes read, {rate:.1} MB/s\n\
             table: at most {} of {} bytes; {} jobs in {} batches\n\
             at most {} threads shared a message's leaves; {:.3} s on such shares",
            summary.hashed,
            summary.skipped,
            summary.failed,
            seconds(s.total),
            seconds(s.read),
            seconds(s.hash),
            seconds(s.waited_for_space),
            seconds(s.waited_for_data),
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
