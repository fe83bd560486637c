//! What an audit found, as lines.

use super::classes::{Change, Class, Counts, Rot};
use super::event::Checked;
use super::expected::Expected;
use super::summary::{Findings, Summary};
use pfh_source::terminal::render;

/// A line for people: class, name, and where it came from.
pub fn text(change: &Change) -> String {
    let mut line = format!("{:<13}  {}", change.class.name(), render(&change.name));
    if let Some(from) = &change.from {
        line += &format!("  (from {})", render(from));
    }
    if change.partly {
        line += "  (some digests are as they were)";
    }
    // Of bit rot the class says it.
    if let Some(rot) = change.rot.filter(|rot| *rot != Rot::AtRest) {
        line += &format!("  ({})", rot.sentence());
    }
    if let Some(cause) = &change.cause {
        line += &format!("  ({cause})");
    }
    line + "\n"
}

/// A name that is not UTF-8 stands exactly in `KEY_b64`.
fn name(object: &mut serde_json::Map<String, serde_json::Value>, key: &str, bytes: &[u8]) {
    object.insert(key.to_owned(), String::from_utf8_lossy(bytes).into());
    if str::from_utf8(bytes).is_err() {
        object.insert(format!("{key}_b64"), data_encoding::BASE64.encode(bytes).into());
    }
}

/// A JSON object per line; names that are not UTF-8 stand exactly in `…_b64`.
pub fn json(change: &Change) -> String {
    let mut object = serde_json::Map::new();
    object.insert("type".into(), "audit".into());
    object.insert("class".into(), change.class.name().into());
    name(&mut object, "path", &change.name);
    change.from.iter().for_each(|from| name(&mut object, "from", from));
    if change.partly {
        object.insert("partly".into(), true.into());
    }
    if let Some(rot) = change.rot {
        object.insert("evidence".into(), rot.name().into());
    }
    if let Some(cause) = &change.cause {
        object.insert("cause".into(), cause.clone().into());
    }
    serde_json::Value::from(object).to_string() + "\n"
}

/// hashdeep's words for a change, as `hashdeep -a -vvv` prints them; `None` for what it has none
/// for.
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
        Class::Error => vec![format!("{name}: {}", change.cause.as_deref().unwrap_or("error"))],
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
    let (examined, expected) = (counts.examined, counts.expected);
    format!("audit of {examined} files against {expected} entries: {}\n", words.join(", "))
}

/// The counts and the verdict as one JSON object.
pub fn summary_json(counts: &Counts) -> String {
    let mut object: serde_json::Map<String, serde_json::Value> =
        Class::ALL.iter().map(|class| (class.name().to_owned(), counts.of(*class).into())).collect();
    object.insert("type".into(), "summary".into());
    object.insert("examined".into(), counts.examined.into());
    object.insert("expected".into(), counts.expected.into());
    object.insert("unverified".into(), counts.unverified.into());
    object.insert("beyond".into(), counts.beyond.into());
    object.insert("passed".into(), counts.passed().into());
    object.insert("verdict".into(), counts.tally().verdict().to_string().into());
    serde_json::Value::from(object).to_string() + "\n"
}

/// What became of a listed file, as one JSON object.
pub fn compared_json(entry: &Expected, found: Checked) -> String {
    let mut object = serde_json::Map::new();
    object.insert("type".into(), "check".into());
    let result = match found {
        Checked::Right => "ok",
        Checked::Wrong => "failed",
        Checked::Unread => "unread",
        Checked::Ignored => "ignored",
    };
    object.insert("result".into(), result.into());
    name(&mut object, "path", &entry.name);
    serde_json::Value::from(object).to_string() + "\n"
}

/// What became of all listed files, as one JSON object.
pub fn files_json(summary: &Summary) -> String {
    let Findings::Files(files) = &summary.findings else { return String::new() };
    let object = serde_json::json!({
        "type": "summary",
        "verdict": summary.verdict().to_string(),
        "expected": summary.expected,
        "verified": summary.verified,
        "failed": files.different,
        "missing": files.missing,
        "ignored": files.ignored,
        "unread": files.unread,
        "algorithms": summary.by_algorithm,
        "not_compared": summary.not_compared,
    });
    object.to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict in JSON is that of the exit code: what cannot be read differs from nothing.
    #[test]
    fn an_audit_has_one_verdict() {
        let of = |class: Class| {
            let mut counts = Counts { examined: 1, expected: 1, ..Counts::default() };
            counts.classes[class as usize] = 1;
            summary_json(&counts)
        };
        for (class, verdict) in [
            (Class::Matched, "verified"),
            (Class::MetadataOnly, "verified"),
            (Class::Error, "incomplete"),
            (Class::New, "differs"),
            (Class::Missing, "differs"),
            (Class::BitRot, "differs"),
        ] {
            let json = of(class);
            assert!(json.contains(&format!("\"verdict\":\"{verdict}\"")), "{class:?}: {json}");
        }
        assert!(summary_json(&Counts::default()).contains("nothing-to-compare-with"));
    }
}
