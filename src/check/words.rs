//! What a check came to, in words: what was compared with what, by which digests.

use super::place::{Reason, Remark};
use super::{Findings, Nothing, Summary};
use crate::{rendered, shown};
use pfh_digest::Algorithm;
use std::fmt;

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Beside => "where the manifest lies",
            Reason::Recorded => "which the manifest records",
        })
    }
}

/// A part of a sentence.
impl fmt::Display for Remark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Remark::StartIn(directory, why) => write!(f, "names start in {}, {why}", rendered(directory)),
            Remark::MoreIn(directory, why) => {
                write!(f, "more of the names are in {}, {why}: --root checks those", rendered(directory))
            }
            Remark::Nowhere => {
                f.write_str("no name is there below the working directory: name the directory with --root")
            }
            Remark::WithoutPrefix(root, prefix) => {
                write!(f, "names are looked for in {} without {} in front", rendered(root), rendered(prefix))
            }
            Remark::Walked(directory) => {
                write!(f, "{} was walked, which all names have in common", rendered(directory))
            }
            Remark::OtherAlgorithms(others) => {
                let names: Vec<String> = others.iter().map(Algorithm::to_string).collect();
                write!(f, "that digests are of {} was found by trying: -a says it", names.join(" and "))
            }
            Remark::Weak(weak) => write!(
                f,
                "a file has the {weak} that stands there, which anybody can bring about: say -a {weak} if the manifest is of that"
            ),
        }
    }
}

/// What is not as it should be, with its number.
fn against(findings: &Findings) -> Vec<(u64, &'static str)> {
    match findings {
        Findings::Files(files) => vec![
            (files.different, "not as the manifest has it"),
            (files.missing, "missing"),
            (files.ignored, "not there, ignored"),
            (files.unread, "could not be read"),
        ],
        Findings::Audit(counts) => vec![
            (counts.negative(), "not as the manifest has it"),
            (counts.unverified - counts.beyond, "could not be looked at"),
            (counts.beyond, "outside of what was audited"),
        ],
    }
}

fn nothing(why: Nothing, manifest: &str) -> String {
    match why {
        Nothing::NoFile => format!("no file of {manifest} was verified"),
        Nothing::NoPart => "no file of it is in the part that was audited".into(),
        Nothing::NoRecord => "it has no record with a digest".into(),
    }
}

impl Summary {
    /// Whether there is nothing to report but that all is well.
    pub fn is_plain(&self) -> bool {
        self.remarks.is_empty() && self.nothing.is_none()
    }

    /// What was compared with what, by which digests, and what was not.
    pub fn sentence(&self) -> String {
        let manifests = std::iter::once(&self.manifest).chain(&self.also);
        let manifest = manifests.map(|manifest| shown(manifest)).collect::<Vec<_>>().join(", ");
        if let Some(why) = self.nothing {
            return format!("{manifest}: nothing to compare with: {}", nothing(why, &manifest));
        }
        let (verified, expected) = (self.verified, self.expected);
        let files = |count: u64| if count == 1 { "file" } else { "files" };
        let mut line = if verified == expected {
            format!("{verified} {} verified against {manifest}", files(verified))
        } else {
            format!("{verified} of {expected} {} verified against {manifest}", files(expected))
        };
        // An algorithm that was not compared for every file says for how many it was.
        let by = self.by_algorithm.iter();
        let by = by.map(|(name, count)| if *count == verified { name.clone() } else { format!("{name} ({count})") });
        let names: Vec<String> = by.collect();
        if !names.is_empty() {
            line += &format!(": {}", names.join(", "));
        }
        for (count, what) in against(&self.findings).iter().filter(|(count, _)| *count > 0) {
            line += &format!("; {count} {what}");
        }
        if !self.not_compared.is_empty() {
            line += "; not all of the manifest was compared, see above";
        }
        if self.skipped > 0 {
            line += &format!("; {} without a digest, skipped when it was made", self.skipped);
        }
        for remark in &self.remarks {
            line += &format!("; {remark}");
        }
        line
    }

    /// GNU's warnings over the listed files, then what the manifest holds and was not compared.
    pub fn warnings(&self) -> Vec<String> {
        let counted = match &self.findings {
            Findings::Files(files) => vec![
                (files.missing + files.unread, "listed file could not be read", "listed files could not be read"),
                (files.different, "computed checksum did NOT match", "computed checksums did NOT match"),
            ],
            Findings::Audit(_) => Vec::new(),
        };
        let counted = counted.into_iter().filter(|(count, ..)| *count > 0);
        let counted = counted.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
        counted.chain(self.not_compared.iter().cloned()).collect()
    }
}
