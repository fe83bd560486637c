//! The closing line: what was compared with what, by which digests.

use crate::shown;
use pfh::check::{Class, Findings, Nothing, Reason, Remark, Summary};
use std::os::unix::ffi::OsStrExt;

fn reason(why: Reason) -> &'static str {
    match why {
        Reason::Beside => "where the manifest lies",
        Reason::Recorded => "which the manifest records",
    }
}

/// A remark as a part of a sentence.
fn remark(remark: &Remark) -> String {
    match remark {
        Remark::StartIn(directory, why) => format!("names start in {}, {}", shown(directory), reason(*why)),
        Remark::MoreIn(directory, why) => {
            format!("more of the names are in {}, {}: --root checks those", shown(directory), reason(*why))
        }
        Remark::Nowhere => "no name is there below the working directory: name the directory with --root".into(),
        Remark::WithoutPrefix(root, prefix) => {
            format!("names are looked for in {} without {} in front", shown(root), shown(prefix))
        }
        Remark::Walked(directory) => format!("{} was walked, which all names have in common", shown(directory)),
        Remark::OtherAlgorithms(others) => {
            let names: Vec<String> = others.iter().map(pfh::Algorithm::to_string).collect();
            format!("that digests are of {} was found by trying: -a says it", names.join(" and "))
        }
        Remark::Weak(weak) => format!(
            "a file has the {weak} that stands there, which anybody can bring about: say -a {weak} if the manifest is of that"
        ),
        other => format!("{other:?}"),
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
        _ => "it has no record with a digest".into(),
    }
}

/// Whether there is nothing to report but that all is well.
pub fn is_plain(summary: &Summary) -> bool {
    summary.remarks.is_empty() && summary.nothing.is_none()
}

/// The closing line of a check.
pub fn closing(summary: &Summary) -> String {
    let manifest = shown(summary.manifest.as_os_str().as_bytes());
    if let Some(why) = summary.nothing {
        return format!("{manifest}: nothing to compare with: {}", nothing(why, &manifest));
    }
    let (verified, expected) = (summary.verified, summary.expected);
    let files = |count: u64| if count == 1 { "file" } else { "files" };
    let mut line = if verified == expected {
        format!("{verified} {} verified against {manifest}", files(verified))
    } else {
        format!("{verified} of {expected} {} verified against {manifest}", files(expected))
    };
    // An algorithm that was not compared for every file says for how many it was.
    let by = summary.by_algorithm.iter();
    let by = by.map(|(name, count)| if *count == verified { name.clone() } else { format!("{name} ({count})") });
    let names: Vec<String> = by.collect();
    if !names.is_empty() {
        line += &format!(": {}", names.join(", "));
    }
    for (count, what) in against(&summary.findings).iter().filter(|(count, _)| *count > 0) {
        line += &format!("; {count} {what}");
    }
    if !summary.not_compared.is_empty() {
        line += "; not all of the manifest was compared, see above";
    }
    if summary.skipped > 0 {
        line += &format!("; {} without a digest, skipped when it was made", summary.skipped);
    }
    for found in &summary.remarks {
        line += &format!("; {}", remark(found));
    }
    line
}

/// GNU's warnings over the listed files.
pub fn warnings(findings: &Findings) -> Vec<String> {
    let Findings::Files(files) = findings else { return Vec::new() };
    let counted = [
        (files.missing + files.unread, "listed file could not be read", "listed files could not be read"),
        (files.different, "computed checksum did NOT match", "computed checksums did NOT match"),
    ];
    let counted = counted.iter().filter(|(count, ..)| *count > 0);
    counted.map(|(count, one, many)| format!("{count} {}", if *count == 1 { one } else { many })).collect()
}

/// Whether a class of an audit is no alarm: a copy has other times.
pub fn is_fine(class: Class) -> bool {
    matches!(class, Class::Matched | Class::MetadataOnly)
}
