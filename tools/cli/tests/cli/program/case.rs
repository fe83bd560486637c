//! Documents in CASE, and `case_validate`.

#![allow(dead_code, reason = "each test file uses its own part")]

use serde_json::Value;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A document on the disk, and its nodes.
pub struct Document {
    path: PathBuf,
    pub value: Value,
}

impl Document {
    pub fn open(path: &Path) -> Self {
        let value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
        let document = Document { path: path.to_owned(), value };
        document.holds_together();
        document
    }

    pub fn nodes(&self) -> &[Value] {
        self.value["@graph"].as_array().unwrap()
    }

    pub fn of_class(&self, class: &str) -> Vec<&Value> {
        let is = |node: &&Value| {
            node["@type"] == class || node["@type"].as_array().is_some_and(|c| c.contains(&class.into()))
        };
        self.nodes().iter().filter(is).collect()
    }

    pub fn only(&self, class: &str) -> &Value {
        let [node] = self.of_class(class)[..] else { panic!("not one {class} in {}", self.value) };
        node
    }

    /// Every name is given once, every name that is referred to is given, and every prefix is
    /// explained.
    fn holds_together(&self) {
        let (mut given, mut asked) = (Vec::new(), BTreeSet::new());
        let mut open: Vec<&Value> = self.nodes().iter().collect();
        while let Some(value) = open.pop() {
            if let Some(members) = value.as_object() {
                match members.get("@id").and_then(Value::as_str) {
                    Some(id) if members.len() == 1 => drop(asked.insert(id)),
                    Some(id) => given.push(id),
                    None => assert!(members.contains_key("@value"), "{value}"),
                }
                let words = members.keys().map(String::as_str).chain(members.get("@id").and_then(Value::as_str));
                for word in words.filter(|word| !word.starts_with('@')) {
                    let prefix = word.split(':').next().unwrap();
                    assert!(self.value["@context"][prefix].is_string(), "{word}");
                }
                open.extend(members.values());
            }
            open.extend(value.as_array().into_iter().flatten());
        }
        let names: BTreeSet<&str> = given.iter().copied().collect();
        assert_eq!(names.len(), given.len(), "a name given twice in {}", self.value);
        assert_eq!(asked.difference(&names).next(), None, "{}", self.value);
    }

    /// Whether `case_validate` finds it in order; also true, with a word, where there is no such
    /// program.
    pub fn conforms(&self, words: &[&str]) -> bool {
        let program = std::env::var_os("PFH_CASE_VALIDATE").unwrap_or_else(|| "case_validate".into());
        let run = Command::new(&program).args(["--built-version", "case-1.4.0"]).args(words).arg(&self.path).output();
        match run {
            // qemu-user says of a program that is not there that it ended with this status.
            Ok(output) if output.status.code() == Some(127) => Self::unchecked(&program, "exit status 127"),
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stdout);
                assert!(text.contains("Conforms: "), "{text}{}", String::from_utf8_lossy(&output.stderr));
                // Words that the ontology does not have are only warned of.
                let warnings = String::from_utf8_lossy(&output.stderr);
                assert!(!warnings.contains("NonExistentCDOConcept"), "{warnings}");
                println!("{text}");
                text.contains("Conforms: True")
            }
            Err(error) => Self::unchecked(&program, &error.to_string()),
        }
    }

    fn unchecked(program: &OsStr, why: &str) -> bool {
        assert!(std::env::var_os("PFH_CASE_VALIDATE").is_none(), "{program:?}: {why}");
        println!("skipped: case_validate (PyPI: case-utils) is not installed");
        true
    }
}

/// A node's facet of this class.
pub fn facet<'a>(node: &'a Value, class: &str) -> &'a Value {
    let facets = node["uco-core:hasFacet"].as_array().unwrap();
    facets.iter().find(|facet| facet["@type"] == class).unwrap_or(&Value::Null)
}

/// The digest that an image's content has by this method, in hex.
pub fn hash<'a>(node: &'a Value, method: &str) -> Option<&'a str> {
    let hashes = facet(node, "uco-observable:ContentDataFacet")["uco-observable:hash"].as_array()?;
    let found = hashes.iter().find(|hash| hash["uco-types:hashMethod"] == method)?;
    found["uco-types:hashValue"]["@value"].as_str()
}

/// Whether a description of the node holds these words.
pub fn describes(node: &Value, words: &str) -> bool {
    let said = &node["uco-core:description"];
    said.as_array().is_some_and(|all| all.iter().any(|said| said.as_str().unwrap().contains(words)))
}
