//! Verdicts and events in words.

#[cfg(feature = "serve")]
use super::ServedRequest;
use super::event::Event;
use super::renewed::FileRenewal;
use super::verdict::{AuditVerdict, Evidence};
use pfh_digest::hex;
use pfh_source::terminal::{counted, many, render};

impl AuditVerdict {
    /// A sentence for people: the two sides, or why the answer was rejected or not asked for.
    pub fn sentence(&self) -> String {
        let name = render(&self.identity);
        let time = self.time.map_or_else(String::new, |time| format!("; in {:.3} s", time.as_secs_f64()));
        match &self.result {
            Ok(()) => {
                let signed = match &self.signer {
                    None => String::new(),
                    Some((key, true)) => format!("; signed by {}", hex::encode(key.as_bytes())),
                    Some((key, false)) => {
                        format!("; signed by {}, a key that was not asked for", hex::encode(key.as_bytes()))
                    }
                };
                format!("{name}: PROVED: {}; {}{signed}{time}", compared(self), found(self))
            }
            Err(error) if error.is_verdict() => format!("{name}: REJECTED: {error}{time}"),
            Err(error) => format!("{name}: NOT ASKED: {error}"),
        }
    }
}

impl Event<'_> {
    /// A sentence for people; empty for a scene.
    pub fn sentence(&self) -> String {
        let shown = |path: &std::path::Path| render(path.as_os_str().as_encoded_bytes());
        match self {
            Event::Judged(verdict) => verdict.sentence(),
            Event::Partly { name, proved, of } => {
                let files = if *of == 1 { "file proved its part" } else { "files proved their part" };
                format!("{}: {proved} of {of} {files}", render(name))
            }
            Event::LastToken(path) => format!("{}: that was the last token", shown(path)),
            Event::Missed(error) => error.to_string(),
            Event::Renewed(summary) => renewed(summary),
            #[cfg(feature = "serve")]
            Event::Listening { address, files, directory } => {
                format!("http://{address}: {} of {}", counted(*files as u64, "file"), shown(directory))
            }
            #[cfg(feature = "serve")]
            Event::Answered(ServedRequest { peer, identity, status, reason, .. }) => {
                let identity = identity.as_deref().map_or_else(|| "-".to_owned(), render);
                format!("{peer}: {identity}: {status} {reason}").trim_end().to_owned()
            }
            _ => String::new(),
        }
    }
}

/// The two sides of the comparison.
fn compared(verdict: &AuditVerdict) -> String {
    let ((asked, all), algorithm) = (verdict.leaves, verdict.algorithm);
    let all = many(all, "leaf", "leaves");
    let of = match verdict.files {
        Some((asked, all)) => format!(" of {} ({asked} asked)", counted(all as u64, "file")),
        None => String::new(),
    };
    match verdict.evidence {
        Evidence::Copy => {
            format!("the keyed digest of {asked} of {all} is that of your copy, which gives the kept {algorithm} root")
        }
        Evidence::Token => format!("the keyed digest of {asked} of {all} is that of the token"),
        _ => {
            let give = if asked == 1 { "gives" } else { "give" };
            format!("{asked} of {all}{of} {give} the kept {algorithm} root")
        }
    }
}

fn found(verdict: &AuditVerdict) -> String {
    let (asked, all) = verdict.leaves;
    if asked == all {
        return "any loss is found".into();
    }
    let percent = format!("{:.6}", 100.0 * verdict.loss);
    let percent = percent.trim_end_matches('0').trim_end_matches('.');
    format!("a loss of {percent} % is found with p = {:.3}", verdict.finds_at_least())
}

fn renewed(summary: &FileRenewal) -> String {
    let range = |range: &std::ops::Range<u64>| format!("{}:{}", range.start, range.end - range.start);
    format!(
        "{}: from the kept {} root to {}: nothing changed but the leaves at {}",
        render(&summary.identity),
        summary.commitment.parameters().function().name(),
        hex::encode(summary.commitment.root()),
        summary.ranges.iter().map(range).collect::<Vec<_>>().join(",")
    )
}
