//! The schemas, made from the types of the rows: what docs/schema holds.

use crate::show::{
    acquire, algorithms, audit, bag, check, diff, disks, dups, kernels, known, list, plan, sectors, stated, stats,
    tree, update, verify,
};
use pfh::known::KnownStatus;
use pfh::manifest::jsonl;
use pfh::manifest::row::Counts;
use pfh::report::rows;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// The rows of a document, by a name and a title.
type Document = (&'static str, &'static str, &'static [fn(&mut SchemaGenerator) -> Value]);

fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.root_schema_for::<T>().to_value()
}

const DOCUMENTS: &[Document] = &[
    ("acquire", "pfh acquire --json", &[of::<acquire::Acquired<'_>>]),
    (
        "algorithms",
        "pfh algorithms --json, also with --measure",
        &[of::<algorithms::Line<'_>>, of::<kernels::Line<'_>>],
    ),
    ("audit", "pfh audit verify, ask and demo --json", &[of::<audit::Line<'_>>, of::<audit::Staged<'_>>]),
    ("bag", "pfh bag validate, create and update --json", &[of::<bag::Found<'_>>, of::<bag::Whole>, of::<bag::Made>]),
    (
        "check",
        "pfh check --json, also with --audit and of objects",
        &[
            of::<check::Compared<'_>>,
            of::<check::Audited<'_>>,
            of::<check::Listed<'_>>,
            of::<check::Audit>,
            of::<stated::Object<'_>>,
            of::<stated::All<'_>>,
        ],
    ),
    ("compare", "pfh compare --json, pfh match --similar --json", &[of::<rows::Similar<'_>>, of::<rows::Cluster<'_>>]),
    ("diff", "pfh diff --json", &[of::<diff::Row<'_>>, of::<diff::Counts<'_>>]),
    ("disks", "pfh disks --json", &[of::<disks::DiskRow<'_>>]),
    ("dups", "pfh dups --json", &[of::<dups::Grouped<'_>>, of::<dups::Equal<'_>>, of::<dups::All>]),
    ("hash", "pfh hash --json, pfh merge, and every manifest in -f jsonl", &[of::<jsonl::Line<'_>>]),
    ("known-info", "pfh known info --json", &[of::<known::Held<'_>>]),
    ("list", "pfh list --json", &[of::<list::Line<'_>>]),
    ("lookup", "pfh lookup --json", &[of::<rows::Lookup<'_>>]),
    (
        "match",
        "pfh match --json, also with --sectors",
        &[
            of::<rows::Match<'_>>,
            of::<rows::Total<Counts<KnownStatus>>>,
            of::<sectors::Fragment<'_>>,
            of::<sectors::Total>,
        ],
    ),
    ("plan", "pfh plan --json, and PLAN/plan.json", &[of::<plan::Row>, of::<pfh::plan::Row<'_>>]),
    ("seal", "MANIFEST.seal", &[of::<pfh::seal::Row<'_>>]),
    (
        "stats",
        "--stats json, on standard error",
        &[of::<stats::Figures>, of::<stats::ComparedFigures>, of::<stats::Both>],
    ),
    (
        "tree",
        "pfh tree build, update, append, check, diff, verify, root, export and import --json",
        &[
            of::<tree::Line<'_>>,
            of::<tree::Directory<'_>>,
            of::<tree::Entry<'_>>,
            of::<tree::Compared<'_>>,
            of::<tree::Proved<'_>>,
            of::<tree::Disproved<'_>>,
            of::<tree::Computed<'_>>,
        ],
    ),
    ("update", "pfh hash --update --json, pfh check --update --json", &[of::<update::Updated<'_>>, of::<update::All>]),
    ("verify", "pfh verify --json", &[of::<verify::Verification<'_>>]),
];

/// What every schema says of the object that it describes.
const ABOUT: &str = "One JSON object; a file of lines has one a line. A member that is not here is not printed.";

/// The schema of a document, as a file of docs/schema holds it.
fn made((name, title, rows): &Document) -> String {
    let generator = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut generator = generator.into_generator();
    let mut kinds: Vec<Value> = rows.iter().map(|row| row(&mut generator)).collect();
    kinds.iter_mut().for_each(tightened);
    // The kinds of a row that is one of several stand beside the other rows.
    let kinds = kinds.into_iter().flat_map(|mut kind| match kind.get_mut("oneOf").map(Value::take) {
        Some(Value::Array(kinds)) => kinds,
        _ => vec![kind],
    });
    let mut kinds: Vec<Value> = kinds.collect();
    let mut schema = match &mut kinds[..] {
        [one] => {
            one.as_object_mut().expect("an object").remove("description");
            one.take()
        }
        _ => json!({ "anyOf": kinds }),
    };
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["$id"] = format!("urn:x-pfh:schema:{name}:1").into();
    schema["title"] = (*title).into();
    schema["description"] = ABOUT.into();
    let mut text = String::new();
    written(&mut text, &schema, 0, false);
    text + "\n"
}

/// Says what the types do not: no member but these, none that is `null` where it can be left out,
/// no flag that is false where it can be left out. Takes away what only Rust knows.
fn tightened(schema: &mut Value) {
    if let Value::Array(schemas) = schema {
        schemas.iter_mut().for_each(tightened);
    }
    let Value::Object(words) = schema else { return };
    words.remove("format");
    words.remove("title");
    if words.contains_key("const") || words.contains_key("enum") {
        ["type", "minimum"].iter().for_each(|word| drop(words.remove(*word)));
    }
    let required = words.get("required").cloned().unwrap_or_default();
    let is_required = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
    for (word, value) in &mut *words {
        let Value::Object(members) = value else {
            tightened(value);
            continue;
        };
        if word != "properties" {
            tightened(value);
            continue;
        }
        for (name, member) in members {
            tightened(member);
            if let (false, Value::Object(member)) = (is_required(name), member) {
                present(member);
            }
        }
    }
    if words.contains_key("properties") {
        words.insert("additionalProperties".into(), false.into());
    }
}

/// Takes `null` out of the values of a word; the value, if one is left.
fn without(member: &mut Map<String, Value>, word: &str, is_null: fn(&Value) -> bool) -> Option<Value> {
    let values = member.get_mut(word)?.as_array_mut()?;
    values.retain(|value| !is_null(value));
    (values.len() == 1).then(|| values.remove(0))
}

/// What a member is where it is not left out.
fn present(member: &mut Map<String, Value>) {
    without(member, "enum", Value::is_null);
    if let Some(one) = without(member, "type", |name| name == "null") {
        member.insert("type".into(), one);
    }
    if let Some(Value::Object(one)) = without(member, "anyOf", |kind| kind["type"] == "null") {
        let about = member.remove("description");
        *member = one;
        member.extend(about.map(|about| ("description".to_owned(), about)));
    }
    if member.get("type").is_some_and(|name| name == "boolean") {
        *member = member.remove("description").map(|about| ("description".to_owned(), about)).into_iter().collect();
        member.insert("const".into(), true.into());
    }
}

/// The order of a schema's own words.
const ORDER: &[&str] = &["$schema", "$id", "title", "description", "anyOf", "const", "enum", "type", "properties"];

/// Appends a schema, what is short on one line. The names of members are in order already.
fn written(out: &mut String, value: &Value, depth: usize, are_members: bool) {
    let is_list = value.as_array().is_some_and(|values| values.iter().all(Value::is_string));
    let text = value.to_string();
    let is_short = is_list || (text.len() < 60 && !text.contains("\"description\""));
    let (between, indent) = match is_short {
        true => (if is_list { "" } else { " " }.to_owned(), 0),
        false => (format!("\n{}", " ".repeat(depth)), 1),
    };
    let inner = format!("{between}{}", " ".repeat(indent));
    let comma = if is_list { ", " } else { "," };
    let rank = |name: &str| ORDER.iter().position(|word| *word == name).unwrap_or(ORDER.len());
    match value {
        Value::Object(map) => {
            let mut entries: Vec<(&String, &Value)> = map.iter().collect();
            if !are_members {
                entries.sort_by_key(|(name, _)| rank(name));
            }
            out.push('{');
            for (n, (name, value)) in entries.into_iter().enumerate() {
                out.push_str(&format!("{}{inner}{}: ", if n > 0 { comma } else { "" }, json!(name)));
                written(out, value, depth + indent, !are_members && name == "properties");
            }
            out.push_str(&format!("{between}}}"));
        }
        Value::Array(values) => {
            out.push('[');
            for (n, value) in values.iter().enumerate() {
                out.push_str(&format!("{}{inner}", if n > 0 { comma } else { "" }));
                written(out, value, depth + indent, false);
            }
            out.push_str(&format!("{between}]"));
        }
        _ => out.push_str(&text),
    }
}

#[test]
fn the_schemas_are_those_of_the_rows() {
    let mut differ = Vec::new();
    for document in DOCUMENTS {
        let path = format!("{}/../../docs/schema/{}.json", env!("CARGO_MANIFEST_DIR"), document.0);
        let text = made(document);
        if std::env::var_os("PFH_BLESS").is_some() {
            std::fs::write(&path, &text).expect("a file");
        } else if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            differ.push(document.0);
        }
    }
    assert!(
        differ.is_empty(),
        "{differ:?} are not what the rows are: PFH_BLESS=1 writes the new ones; look at the difference"
    );
}
