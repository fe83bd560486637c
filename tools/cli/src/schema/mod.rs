//! `pfh schema`: the JSON Schemas of the program's output.

#[cfg(all(test, feature = "schema"))]
mod made;

use crate::exit::{self, Exit, Failure};
use clap::Args;

/// Each schema by its name.
const SCHEMAS: &[(&str, &str)] = &[
    ("acquire", include_str!("../../../../docs/schema/acquire.json")),
    ("algorithms", include_str!("../../../../docs/schema/algorithms.json")),
    ("audit", include_str!("../../../../docs/schema/audit.json")),
    ("bag", include_str!("../../../../docs/schema/bag.json")),
    ("bench", include_str!("../../../../docs/schema/bench.json")),
    ("cat", include_str!("../../../../docs/schema/cat.json")),
    ("check", include_str!("../../../../docs/schema/check.json")),
    ("compare", include_str!("../../../../docs/schema/compare.json")),
    ("diff", include_str!("../../../../docs/schema/diff.json")),
    ("disks", include_str!("../../../../docs/schema/disks.json")),
    ("dups", include_str!("../../../../docs/schema/dups.json")),
    ("extract", include_str!("../../../../docs/schema/extract.json")),
    ("hash", include_str!("../../../../docs/schema/hash.json")),
    ("known-info", include_str!("../../../../docs/schema/known-info.json")),
    ("list", include_str!("../../../../docs/schema/list.json")),
    ("log", include_str!("../../../../docs/schema/log.json")),
    ("lookup", include_str!("../../../../docs/schema/lookup.json")),
    ("match", include_str!("../../../../docs/schema/match.json")),
    ("plan", include_str!("../../../../docs/schema/plan.json")),
    ("seal", include_str!("../../../../docs/schema/seal.json")),
    ("selftest", include_str!("../../../../docs/schema/selftest.json")),
    ("stats", include_str!("../../../../docs/schema/stats.json")),
    ("tree", include_str!("../../../../docs/schema/tree.json")),
    ("update", include_str!("../../../../docs/schema/update.json")),
    ("verify", include_str!("../../../../docs/schema/verify.json")),
];

/// Which schema.
#[derive(Debug, Args)]
#[command(after_help = EXITS)]
pub struct Schema {
    /// Schema to print [default: list all schemas].
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

const EXITS: &str = "\
A schema (JSON Schema 2020-12) describes one object: one line of the output. Members that it does not name are not printed; tests hold the
output of each command to that.

Exit codes: 0 printed; 2 usage, or an unknown name.";

/// Prints a schema, or the names of all.
pub fn run(schema: &Schema) -> Exit {
    exit::end(printed(schema))
}

fn printed(schema: &Schema) -> Result<Exit, Failure> {
    let text = match &schema.name {
        None => SCHEMAS.iter().map(|(name, text)| format!("{name:<12} {}\n", title(text))).collect(),
        Some(name) => {
            let found = SCHEMAS.iter().find(|(known, _)| known == name);
            let unknown = || {
                let names: Vec<&str> = SCHEMAS.iter().map(|(name, _)| *name).collect();
                format!("unknown schema; there are {}", names.join(", "))
            };
            found.ok_or_else(unknown)?.1.to_owned()
        }
    };
    exit::print(text.as_bytes()).map_err(|error| Failure::output(&error))?;
    Ok(Exit::Good)
}

/// The title of a schema.
fn title(text: &str) -> &str {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("\"title\": \""));
    line.and_then(|line| line.strip_suffix("\",")).unwrap_or_default()
}
