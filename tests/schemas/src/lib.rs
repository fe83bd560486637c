//! JSON Schemas from the types of rows: the reference of the tests for `docs/schema`.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

/// A file of `docs/schema`.
#[derive(Debug)]
pub struct Document {
    /// The file's name without `.json`.
    pub name: &'static str,
    /// Commands and files that have such objects.
    pub title: &'static str,
    /// Rows that may stand in it.
    pub rows: &'static [Row],
}

/// The schema of a row: see [`of`].
pub type Row = fn(&mut SchemaGenerator) -> Value;

/// The schema of a type.
pub fn of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    generator.root_schema_for::<T>().to_value()
}

/// The schema of an object with the members of another type besides.
pub fn joined<T: JsonSchema, U: JsonSchema>(generator: &mut SchemaGenerator) -> Value {
    let (mut own, other) = (of::<T>(generator), of::<U>(generator));
    add(&mut own, &other);
    own
}

/// Compares each document with its file in `directory`; with `PFH_BLESS` in the environment the
/// files are written.
///
/// # Panics
/// If a file is another than its rows make it, or cannot be written.
pub fn hold(directory: &str, documents: &[Document]) {
    let mut differ = Vec::new();
    for document in documents {
        let path = format!("{directory}/{}.json", document.name);
        let text = document.text();
        if std::env::var_os("PFH_BLESS").is_some() {
            std::fs::write(&path, &text).expect("a file");
        } else if std::fs::read_to_string(&path).ok().as_ref() != Some(&text) {
            differ.push(document.name);
        }
    }
    assert!(
        differ.is_empty(),
        "{differ:?} are not what the rows are: PFH_BLESS=1 writes the new ones; look at the difference"
    );
}

/// Adds the members of another object.
fn add(schema: &mut Value, other: &Value) {
    let mut more = other["properties"].as_object().cloned().unwrap_or_default();
    if let Some(Value::Object(own)) = schema.get_mut("properties") {
        own.append(&mut more);
    } else {
        schema["properties"] = more.into();
    }
    let mut required = schema["required"].as_array().cloned().unwrap_or_default();
    required.extend(other["required"].as_array().cloned().unwrap_or_default());
    schema["required"] = required.into();
}

/// The description of every schema.
const ABOUT: &str = "One JSON object; a file of lines has one a line. A member that is not here is not printed.";

impl Document {
    /// The schema, as a file of docs/schema holds it.
    fn text(&self) -> String {
        let Document { name, title, rows } = self;
        let generator = SchemaSettings::draft2020_12().for_serialize().with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        });
        let mut generator = generator.into_generator();
        let kinds: Vec<Value> = rows.iter().map(|row| row(&mut generator)).collect();
        let mut kinds: Vec<Value> = kinds.into_iter().flat_map(each).collect();
        kinds.iter_mut().for_each(tightened);
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
}

/// The kinds of a row that is one of several, each with the members that all have; they stand
/// beside the other rows.
fn each(mut row: Value) -> Vec<Value> {
    let Some(Value::Array(mut kinds)) = row.get_mut("oneOf").map(Value::take) else { return vec![row] };
    kinds.iter_mut().for_each(|kind| add(kind, &row));
    kinds
}

/// Adds the rules that the types do not state: no member but these, none that is `null` where it
/// can be left out, no flag that is false where it can be left out. Takes away the formats that
/// only Rust knows.
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

/// The schema of a member where it is not left out.
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

/// Appends a schema, short values on one line. The names of members are in order already.
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
