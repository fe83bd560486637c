//! Requests of the served page, as lines.

/// The address of a page that is served, as a line.
pub fn address(address: std::net::SocketAddr) -> String {
    format!("http://{address}/\n")
}

/// A sentence on a request that was refused.
pub fn refusal(served: &pfh::report::serve::RequestOutcome) -> Option<String> {
    let is_refused = !matches!(served.status, 200 | 499);
    is_refused.then(|| format!("{}: refused with {}: {}", served.peer, served.status, served.reason))
}
