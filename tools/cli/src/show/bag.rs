//! Findings in a bag as lines.

use pfh::bag::Finding;
use pfh::terminal::render;

/// A finding for people.
pub fn text(finding: &Finding) -> String {
    format!("{:<10}  {}: {}\n", finding.severity.name(), render(&finding.path), render(finding.what.as_bytes()))
}
