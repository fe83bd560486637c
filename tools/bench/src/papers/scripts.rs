//! The project's measuring scripts, and which paper's tables each of them repeats.

use super::Papers;
use std::path::Path;

/// The papers, as they are cited in docs/papers.md.
pub const PREFETCHING: &str = "Breitinger & Petrov, Reducing time cost in hashing operations";
const LANES: &str = "Gueron & Krasnov, Simultaneous hashing of multiple messages";
const TREES: &str = "Lopes, Franqueira & Hobson, Efficient computation of hashes";
const CLONER: &str = "Panichprecha et al., Multi-threading in disk cloner";

/// A part of `pfh bench papers`: one run of one script.
#[derive(Debug, Clone)]
pub struct Part {
    /// What `--only` calls it.
    pub name: String,
    /// The paper.
    pub paper: &'static str,
    /// What of the paper it repeats.
    pub tables: &'static str,
    /// The script and its arguments.
    pub command: Vec<String>,
}

/// Tables of the prefetching paper, each a run of its own: the cold ones take long.
const SIMILARITY: [(&str, &str); 9] = [
    ("I", "Table I: one file of 500 MB"),
    ("III", "Table III: the hashes, warm"),
    ("IV", "Table IV: the hashes, cold"),
    ("V", "Table V: each against each"),
    ("VI", "Table VI: threads, cold"),
    ("VII", "Table VII: threads, warm"),
    ("VIII", "Table VIII: memory"),
    ("IX", "Table IX: prefetchers, cold"),
    ("XII", "Table XII: GNU parallel and xargs"),
];

/// Every part, in the order of the papers. `bench` is the folder of the scripts, `pfh` this program, `corpus` the tree that they read.
pub fn parts(asked: &Papers, bench: &Path, pfh: &Path, corpus: &Path) -> Vec<Part> {
    let rounds = asked.rounds.to_string();
    let (pfh, corpus) = (pfh.to_string_lossy().into_owned(), corpus.to_string_lossy().into_owned());
    let part = |name: String, paper, tables, script: &str, arguments: &[&str]| {
        let mut command = vec![bench.join(script).to_string_lossy().into_owned()];
        command.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        command.extend(["--json", "--rounds", &rounds].map(str::to_owned));
        Part { name, paper, tables, command }
    };
    let mut parts: Vec<Part> = SIMILARITY
        .iter()
        .map(|(table, what)| {
            let arguments = ["--only", table, "--corpus", &corpus, "--pfh", &pfh];
            part(format!("pfh-{table}"), PREFETCHING, *what, "similarity", &arguments)
        })
        .collect();
    parts.push(part("s-hash".into(), LANES, "Figures 2 to 4", "lanes", &["--pfh", &pfh]));
    let megabytes = if asked.full { "2000" } else { "256" };
    parts.push(part(
        "tree".into(),
        TREES,
        "Table 1",
        "tree",
        &["--pfh", &pfh, "--megabytes", megabytes, "--only", "modes"],
    ));
    // In MiB: the paper copies 1, 5, 10 and 20 GB.
    let sizes = if asked.full { "1024,5120,10240,20480" } else { "32,64,128" };
    parts.push(part(
        "cloner".into(),
        CLONER,
        "Tables II and III",
        "imaging",
        &["throttled", "--pfh", &pfh, "--sizes", sizes],
    ));
    parts
}
