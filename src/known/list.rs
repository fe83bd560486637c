//! Lists of sets: a JSON object per line with a file, its class, and further facts.

use super::{Class, Input, MalformedClass, Packages, Problem};
use crate::job::{Error, PathError};
use pfh_source::{Document, terminal};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Reads a list; `input` makes an input about which nothing more is said.
///
/// # Errors
/// When the list cannot be read, or a line describes no set.
pub fn read(path: &Path, input: &dyn Fn(&Path, &Class) -> Input) -> Result<Vec<Input>, Error> {
    let text =
        Document::read_text(path, Document::LONGEST).map_err(|error| Error::input(PathError::new(path, error)))?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let wrong = |line, why| Error::request(Problem::Described { path: path.to_owned(), line, why });
    lines.map(|(number, line)| described(line, input).map_err(|why| wrong(number + 1, why.0))).collect()
}

/// Why a line describes no set.
struct ListFault(String);

impl From<&str> for ListFault {
    fn from(why: &str) -> ListFault {
        ListFault(why.to_owned())
    }
}

impl From<serde_json::Error> for ListFault {
    fn from(error: serde_json::Error) -> ListFault {
        ListFault(error.to_string())
    }
}

impl From<MalformedClass> for ListFault {
    fn from(error: MalformedClass) -> ListFault {
        ListFault(error.to_string())
    }
}

fn described(line: &str, input: &dyn Fn(&Path, &Class) -> Input) -> Result<Input, ListFault> {
    let value: Value = serde_json::from_str(line)?;
    let object = value.as_object().ok_or("not a JSON object")?;
    const KNOWN: [&str; 8] = ["file", "class", "name", "version", "product", "algorithm", "packages", "deltas"];
    if let Some(other) = object.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        return Err(ListFault(format!("{}: known are {}", terminal::render(other.as_bytes()), KNOWN.join(", "))));
    }
    let text = |key: &str| object.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    let file = text("file").ok_or("no file")?;
    let class = text("class").ok_or("no class")?.parse::<Class>()?;
    let mut described = input(Path::new(&file), &class);
    (described.name, described.version, described.product) = (text("name"), text("version"), text("product"));
    if let Some(name) = text("algorithm") {
        let unknown = |error: pfh_digest::UnknownAlgorithm| ListFault(error.to_string());
        described.assumed = vec![name.parse().map_err(unknown)?];
    }
    if let Some(deltas) = object.get("deltas") {
        let names = deltas.as_array().into_iter().flatten().map(|name| name.as_str().map(PathBuf::from));
        described.deltas =
            names.collect::<Option<_>>().filter(|_| deltas.is_array()).ok_or("deltas: an array of names")?;
    }
    if object.get("packages").and_then(Value::as_bool) == Some(true) {
        described.packages = Packages::Remember;
    }
    Ok(described)
}
