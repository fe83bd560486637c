//! The results of a check: lines, hashdeep's words, and the last sentence.

use super::{counted, many};
use pfh::check::{Change, Class, Counts, Findings, Part, Remark, Rot};
use pfh::terminal::render;

/// A line for people: class, name, and where it came from.
pub fn text(change: &Change) -> String {
    let mut line = format!("{:<13}  {}", change.class.name(), render(&change.name));
    if let Some(from) = &change.from {
        line += &format!("  (from {})", render(from));
    }
    if change.partly {
        line += "  (some digests are as they were)";
    }
    if let Some(reread) = &change.reread {
        line += &format!("  ({})", reread.sentence());
    }
    // Of bit rot the class says it.
    line + &remarks(change.rot.filter(|rot| *rot != Rot::AtRest), change.cause.as_ref())
}

/// The end of a line about a changed file: how its times compare, and why it was not read.
pub fn remarks(rot: Option<Rot>, cause: Option<&impl std::fmt::Display>) -> String {
    let rot = rot.map(|rot| format!("  ({})", rot.sentence())).unwrap_or_default();
    let cause = cause.map(|cause| format!("  ({cause})")).unwrap_or_default();
    format!("{rot}{cause}\n")
}

/// hashdeep's words for a change, as `hashdeep -a -vvv` prints them.
fn words(change: &Change) -> Vec<String> {
    let name = render(&change.name);
    match change.class {
        Class::Matched | Class::MetadataOnly => vec![format!("{name}: Ok")],
        Class::Moved | Class::Copied => {
            vec![format!("{name}: Moved from {}", render(change.from.as_deref().unwrap_or_default()))]
        }
        Class::New => vec![format!("{name}: No match")],
        Class::Missing | Class::Unverified => vec![format!("{name}: Known file not used")],
        Class::Modified | Class::BitRot => vec![format!("{name}: No match"), format!("{name}: Known file not used")],
        _ => vec![format!("{name}: {}", change.cause.as_deref().unwrap_or("error"))],
    }
}

/// The changes and the verdict in hashdeep's wording; its two first counters, which hashdeep leaves
/// at 0, are right here.
pub fn hashdeep(changes: &[Change], counts: &Counts, all: bool) -> String {
    let mut lines = String::new();
    for change in changes {
        let fine = matches!(change.class, Class::Matched | Class::MetadataOnly);
        if all || !fine {
            lines += &(words(change).join("\n") + "\n");
        }
    }
    let sum = |classes: &[Class]| classes.iter().map(|class| counts.of(*class)).sum::<u64>();
    let changed = sum(&[Class::Modified, Class::BitRot]);
    lines += &format!("hashdeep: Audit {}\n", if counts.passed() { "passed" } else { "failed" });
    let numbers = [
        ("Input files examined", counts.examined),
        ("Known files expecting", counts.expected),
        ("Files matched", sum(&[Class::Matched, Class::MetadataOnly])),
        ("Files partially matched", counts.partly),
        ("Files moved", sum(&[Class::Moved, Class::Copied])),
        ("New files found", counts.of(Class::New) + changed - counts.partly),
        ("Known files not found", counts.of(Class::Missing) + changed - counts.partly + counts.unverified),
    ];
    for (what, number) in numbers {
        lines += &format!("{what:>23}: {number}\n");
    }
    lines
}

/// The counts in a sentence for people.
pub fn summary_text(counts: &Counts) -> String {
    let words: Vec<String> = Class::ALL.map(|class| format!("{} {}", counts.of(class), class.name())).to_vec();
    let examined = counted(counts.examined, "file");
    let expected = many(counts.expected, "entry", "entries");
    format!("audit of {examined} against {expected}: {}\n", words.join(", "))
}

/// GNU's warnings over the listed files, then the entries of the manifest that were not compared.
pub fn warnings(part: &Part) -> Vec<String> {
    let counted = match &part.findings {
        Findings::Files(files) => vec![
            (part.said_missing() + files.unread, "listed file could not be read", "listed files could not be read"),
            (files.different, "computed checksum did NOT match", "computed checksums did NOT match"),
        ],
        _ => Vec::new(),
    };
    let counted = counted.into_iter().filter(|(count, ..)| *count > 0);
    let counted = counted.map(|(count, one, many)| format!("{count} {}", if count == 1 { one } else { many }));
    counted.chain(part.not_compared.iter().cloned()).collect()
}

/// The sentence of a part of the check, with the options that help.
pub fn sentence(part: &Part) -> String {
    part.sentence(|remark| match remark {
        Remark::MoreIn(directory, why) => {
            format!("more of the names are in {}, {why}: --root checks those", render(directory))
        }
        Remark::Nowhere => "no name is there below the working directory: name the directory with --root".into(),
        Remark::OtherAlgorithms(_) => format!("{remark}: -a says it"),
        Remark::Likely(_) => "--names as-found compares them".into(),
        Remark::Weak(weak) => format!(
            "a file has the {weak} that stands there, which anybody can bring about: say -a {weak} if the manifest is of that"
        ),
        _ => remark.to_string(),
    })
}
