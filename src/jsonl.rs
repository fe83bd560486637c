//! Lines of JSON about a thing that has a name.

use pfh_manifest::jsonl;
use serde_json::Value;

/// An object of this type about what has this name, which may be any bytes, with these members
/// behind it, and a line feed.
pub(crate) fn object(kind: &str, name: &[u8], members: &Value) -> Vec<u8> {
    let mut line = format!("{{\"type\":\"{kind}\"").into_bytes();
    jsonl::path(&mut line, name);
    let members = members.to_string();
    if members.len() > 2 {
        line.push(b',');
    }
    // The members without the opening brace.
    line.extend_from_slice(&members.as_bytes()[1..]);
    line.push(b'\n');
    line
}
