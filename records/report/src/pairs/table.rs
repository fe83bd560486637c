//! Pairs by several methods, each by one of them: a table for people.

use super::Pair;
use pfh_similarity::{Evidence, MethodName};
use pfh_source::terminal;

/// Writes the header.
pub fn head(out: &mut Vec<u8>) {
    out.extend_from_slice(b"algorithm        score         shared  a in b  b in a  resemblance  a\tb\n");
}

/// Writes a pair. A method that says nothing of a column has a line there.
pub fn row(out: &mut Vec<u8>, pair: &Pair<'_>) {
    let percent = |share: Option<u8>| share.map_or_else(|| "-".into(), |share| share.to_string());
    let Evidence { contained, .. } = pair.evidence;
    let line = format!(
        "{:<15}  {:>5}  {:>13}  {:>6}  {:>6}  {:>11}  {}\t{}",
        pair.algorithm.name(),
        pair.score.number(),
        shared(pair),
        percent(contained.map(|[share, _]| share)),
        percent(contained.map(|[_, share]| share)),
        percent(pair.evidence.resemblance()),
        terminal::render(pair.a),
        terminal::render(pair.b),
    );
    out.extend_from_slice(line.as_bytes());
    if let Some(why) = pair.degenerate {
        out.extend_from_slice(format!("\t{why}").as_bytes());
    }
    out.push(b'\n');
}

/// The parts that both have, in the method's own unit.
fn shared(pair: &Pair<'_>) -> String {
    let unit = MethodName::of(pair.algorithm).map_or("feature", |method| method.profile().unit);
    match (pair.evidence.shared_chunks.or(pair.evidence.shared_features), pair.evidence.shared_bytes) {
        (Some(count), _) => format!("{count} {unit}s"),
        (None, Some(bytes)) => format!("{bytes} bytes"),
        (None, None) => "-".into(),
    }
}
