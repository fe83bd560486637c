//! Members of JSON objects, as results have them.

use data_encoding::BASE64;
use serde_json::{Map, Value};

/// An object of a line.
pub(crate) type Object = Map<String, Value>;

/// A name: exactly, from `KEY_b64`, if there is one. Empty if there is neither.
pub(crate) fn name(object: &Object, key: &str) -> Vec<u8> {
    let exact = object.get(&format!("{key}_b64")).and_then(Value::as_str);
    let exact = exact.and_then(|exact| BASE64.decode(exact.as_bytes()).ok());
    exact.unwrap_or_else(|| text(object, key).as_bytes().to_vec())
}

/// A string; empty if there is none.
pub(crate) fn text<'a>(object: &'a Object, key: &str) -> &'a str {
    object.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// A count; 0 if there is none.
pub(crate) fn number(object: &Object, key: &str) -> u64 {
    object.get(key).and_then(Value::as_u64).unwrap_or_default()
}

/// The elements of an array.
pub(crate) fn list<'a>(object: &'a Object, key: &str) -> impl Iterator<Item = &'a Value> {
    object.get(key).and_then(Value::as_array).into_iter().flatten()
}

/// The strings of an array.
pub(crate) fn texts(object: &Object, key: &str) -> Vec<String> {
    list(object, key).filter_map(Value::as_str).map(str::to_owned).collect()
}

/// The members of an object of digests: algorithm and hexadecimal.
pub(crate) fn digests(object: &Object) -> Vec<(String, String)> {
    let digests = object.get("digests").and_then(Value::as_object).into_iter().flatten();
    digests.map(|(algorithm, digest)| (algorithm.clone(), digest.as_str().unwrap_or_default().to_owned())).collect()
}

/// A value as it stands in a table: a string without its quotes.
pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
