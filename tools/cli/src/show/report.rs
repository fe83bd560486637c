//! What a report came to.

use super::counted;
use pfh::report::Summary;

/// A sentence for people.
pub fn sentence(summary: &Summary) -> String {
    let Summary { results, records, holding, negative, broken, unknown, .. } = summary;
    let are = if *results == 1 { "is" } else { "are" };
    let mut line = format!("{} with {} {are} on the page", counted(*results, "result"), counted(*records, "record"));
    if *holding > 0 {
        line += &if *holding == 1 {
            "; 1 seal or chain holds".into()
        } else {
            format!("; {holding} seals and chains hold")
        };
    }
    if *broken > 0 {
        line += &format!("; {broken} DO NOT HOLD");
    }
    if *negative > 0 {
        line += &format!("; {}", counted(*negative, "negative verdict"));
    }
    if *unknown > 0 {
        line += &format!("; {} not understood or not whole", counted(*unknown, "file"));
    }
    line
}
