//! The result of a report.

use super::counted;
use pfh::report::Summary;

/// The address of a page that is served, as a line.
#[cfg(feature = "serve")]
pub fn address(address: std::net::SocketAddr) -> String {
    format!("http://{address}/\n")
}

/// A sentence on a request that was refused.
#[cfg(feature = "serve")]
pub fn refusal(served: &pfh::report::serve::Served) -> Option<String> {
    let is_refused = !matches!(served.status, 200 | 499);
    is_refused.then(|| format!("{}: refused with {}: {}", served.peer, served.status, served.reason))
}

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
