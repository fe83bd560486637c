//! Nodes of a JSON-LD document (JSON-LD 1.1, W3C Recommendation of 2020-07-16) and their names.

use pfh_digest::Algorithm;
use pfh_digest::hex;
use pfh_source::Time;
use serde_json::{Map, Value, json};
use std::io;
use uuid::Uuid;

/// The meaning of `kb:`: the base of the knowledge base in CASE's own examples. A user who keeps
/// another one changes this line of a document's context; the names below it are unique by
/// themselves.
pub const BASE: &str = "http://example.org/kb/";

/// The namespace of CASE's investigations.
pub const CASE: &str = "https://ontology.caseontology.org/case/investigation/";

/// Nodes, in the order in which they were added.
pub struct Graph {
    /// The SHA-256, in hex, that the nodes are named after.
    seed: String,
    nodes: Vec<Value>,
}

fn digest(algorithm: &str, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let algorithm: Algorithm = algorithm.parse().map_err(io::Error::other)?;
    let mut hasher = algorithm.hasher();
    hasher.update(bytes);
    Ok(hasher.finalize().bytes().to_vec())
}

/// A UUID from a name (RFC 9562, section 5.5, version 5). UCO 1.4 advises against versions above 5.
fn uuid(name: &str) -> String {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, name.as_bytes()).to_string()
}

impl Graph {
    /// Builds a document twice: the first is hashed, and names the nodes of the second. So the same
    /// facts give the same document, byte for byte, and two documents that differ in anything share
    /// no name.
    ///
    /// # Errors
    /// Those of `build`.
    pub fn document(build: impl Fn(&mut Graph) -> io::Result<()>) -> io::Result<String> {
        let mut draft = Graph { seed: String::new(), nodes: Vec::new() };
        build(&mut draft)?;
        let seed = digest("sha256", draft.text()?.as_bytes())?;
        let mut graph = Graph { seed: hex::encode(&seed), nodes: Vec::new() };
        build(&mut graph)?;
        graph.text()
    }

    fn text(&self) -> io::Result<String> {
        let uco = |part: &str| format!("https://ontology.unifiedcyberontology.org/uco/{part}/");
        let document = json!({
            "@context": {
                "kb": BASE,
                "case-investigation": CASE,
                "uco-action": uco("action"),
                "uco-core": uco("core"),
                "uco-identity": uco("identity"),
                "uco-observable": uco("observable"),
                "uco-tool": uco("tool"),
                "uco-types": uco("types"),
                "xsd": "http://www.w3.org/2001/XMLSchema#",
            },
            "@graph": self.nodes,
        });
        Ok(serde_json::to_string_pretty(&document)? + "\n")
    }

    /// A node of these classes; the first one is in its name. `label` distinguishes it from the
    /// others of its class; members that are null are left out.
    ///
    /// # Errors
    /// When `members` is not an object.
    pub fn node(&self, classes: &[&str], label: &str, members: Value) -> io::Result<Value> {
        let Value::Object(members) = members else { return Err(io::ErrorKind::InvalidInput.into()) };
        let class = classes.first().and_then(|class| class.split(':').nth(1)).unwrap_or_default();
        let name = match self.seed.as_str() {
            "" => label.to_owned(),
            seed => uuid(&format!("{BASE}{seed}/{class}/{label}")),
        };
        let mut node = Map::new();
        node.insert("@id".into(), format!("kb:{class}-{name}").into());
        node.insert("@type".into(), if let [class] = classes { json!(class) } else { json!(classes) });
        node.extend(members.into_iter().filter(|(_, value)| !value.is_null()));
        Ok(node.into())
    }

    /// Adds a [`node`](Graph::node) to the document, and gives the reference to it.
    ///
    /// # Errors
    /// As for `node`.
    pub fn add(&mut self, classes: &[&str], label: &str, members: Value) -> io::Result<Value> {
        let node = self.node(classes, label, members)?;
        let reference = json!({ "@id": node["@id"] });
        self.nodes.push(node);
        Ok(reference)
    }

    /// Says that the first things are contained in another
    /// (`uco-vocabulary:ObservableObjectRelationshipVocab`).
    ///
    /// # Errors
    /// As for `node`.
    pub fn contained(&mut self, label: &str, things: Value, within: &Value) -> io::Result<()> {
        let members = json!({
            "uco-core:source": things, "uco-core:target": within,
            "uco-core:kindOfRelationship": "Contained_Within", "uco-core:isDirectional": true,
        });
        self.add(&["uco-observable:ObservableRelationship"], label, members).map(drop)
    }
}

/// A point in time.
pub fn time(time: Time) -> Value {
    json!({ "@type": "xsd:dateTime", "@value": time.to_string() })
}

/// A text, or nothing where there is none.
pub fn words(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 9562, appendix A.4, is in the namespace of host names; Python's uuid.uuid5 gave this one
    /// of URLs.
    #[test]
    fn uuids_are_those_of_python() {
        assert_eq!(uuid("http://example.org/kb/x"), "81c5a4b2-fa1f-51f4-88b0-b3083846885c");
    }
}
