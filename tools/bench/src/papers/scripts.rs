//! The project's measuring scripts, and which paper's tables each of them repeats.

use super::Papers;
use crate::Error;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The papers, as they are cited in docs/papers.md.
pub const PREFETCHING: &str = "Breitinger & Petrov, Reducing time cost in hashing operations";
/// The paper on lanes.
pub const LANES: &str = "Gueron & Krasnov, Simultaneous hashing of multiple messages";
/// The paper on trees.
pub const TREES: &str = "Lopes, Franqueira & Hobson, Efficient computation of hashes";
/// The paper on cloning.
pub const CLONER: &str = "Panichprecha et al., Multi-threading in disk cloner";

/// The project's measuring scripts as far as the papers need them: the program has them with it.
const CONTAINED: [(&str, &str); 18] = [
    ("run", include_str!("../../../../bench/run")),
    ("measure/__init__.py", include_str!("../../../../bench/measure/__init__.py")),
    ("measure/answers.py", include_str!("../../../../bench/measure/answers.py")),
    ("measure/audits.py", include_str!("../../../../bench/measure/audits.py")),
    ("measure/device.py", include_str!("../../../../bench/measure/device.py")),
    ("measure/devices.py", include_str!("../../../../bench/measure/devices.py")),
    ("measure/disks.py", include_str!("../../../../bench/measure/disks.py")),
    ("measure/diverse.txt", include_str!("../../../../bench/measure/diverse.txt")),
    ("measure/files.py", include_str!("../../../../bench/measure/files.py")),
    ("measure/imaging.py", include_str!("../../../../bench/measure/imaging.py")),
    ("measure/lanes.py", include_str!("../../../../bench/measure/lanes.py")),
    ("measure/originals.py", include_str!("../../../../bench/measure/originals.py")),
    ("measure/program.py", include_str!("../../../../bench/measure/program.py")),
    ("measure/record.py", include_str!("../../../../bench/measure/record.py")),
    ("measure/rotating.py", include_str!("../../../../bench/measure/rotating.py")),
    ("measure/similarity.py", include_str!("../../../../bench/measure/similarity.py")),
    ("measure/tree.py", include_str!("../../../../bench/measure/tree.py")),
    ("measure/turns.py", include_str!("../../../../bench/measure/turns.py")),
];

/// Where the scripts are.
#[derive(Debug)]
pub enum Scripts {
    /// In a checkout of the project, whose examples they can build.
    Checkout(PathBuf),
    /// The program's own, written out until this is dropped. They leave out the parts that need the
    /// project's sources.
    Contained(TempDir),
}

impl Scripts {
    /// Those of the checkout `bench` is the folder of, or of one that the working directory is in;
    /// else the program's own.
    ///
    /// # Errors
    /// `bench` has none; the temporary directory cannot be written.
    pub fn find(bench: Option<&Path>) -> Result<Scripts, Error> {
        if let Some(bench) = bench {
            let found = bench.canonicalize().map_err(Error::file(bench))?;
            let missing =
                || Error::Usage(format!("{}: no folder of the measuring scripts: it has no `run`", bench.display()));
            return found.join("run").is_file().then_some(Scripts::Checkout(found)).ok_or_else(missing);
        }
        let here = std::env::current_dir().unwrap_or_default();
        let above = here.ancestors().map(|directory| directory.join("bench"));
        if let Some(found) = above.into_iter().find(|bench| bench.join("measure/similarity.py").is_file()) {
            return Ok(Scripts::Checkout(found));
        }
        let room = tempfile::Builder::new().prefix("pfh-papers-").tempdir();
        let room = room.map_err(Error::file(&std::env::temp_dir()))?;
        let bench = room.path().join("bench");
        std::fs::create_dir_all(bench.join("measure")).map_err(Error::file(&bench))?;
        for (name, text) in CONTAINED {
            std::fs::write(bench.join(name), text).map_err(Error::file(&bench.join(name)))?;
        }
        Ok(Scripts::Contained(room))
    }

    /// The script that runs a part, by Python: `command` begins with `bench/run`.
    pub fn program(&self) -> PathBuf {
        match self {
            Scripts::Checkout(bench) => bench.join("run"),
            Scripts::Contained(room) => room.path().join("bench/run"),
        }
    }
}

/// A part of `pfh bench papers`: one run of one benchmark.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its name in `--only`.
    pub name: String,
    /// The paper.
    pub paper: &'static str,
    /// The tables of the paper that it repeats.
    pub tables: &'static str,
    /// `bench/run`, the benchmark and its arguments.
    pub command: Vec<String>,
}

/// Tables of the prefetching paper, each a run of its own: the cold ones take long.
const SIMILARITY: [(&str, &str); 11] = [
    ("I", "Table I: one file of 500 MB"),
    ("III", "Table III: ssdeep, cold"),
    ("IV", "Table IV: five hashes, cold"),
    ("V", "Table V: each against each"),
    ("VI", "Table VI: threads, cold"),
    ("VII", "Table VII: threads, warm"),
    ("VIII", "Table VIII: memory, cold"),
    ("IX", "Table IX: prefetchers, cold"),
    ("X", "Tables X and XI: two workstations, projected"),
    ("XII", "Table XII: ppss and GNU parallel, cold"),
    ("XIII", "Table XIII: 16 large files"),
];

/// Every part, in the order of the papers. `pfh` is this program, `corpus` the tree that they read,
/// `room` where they make files.
pub fn parts(asked: &Papers, pfh: &Path, corpus: &Path, room: &Path) -> Vec<Part> {
    let most = if asked.full { 2 } else { usize::MAX };
    let [pfh, corpus, room] = [pfh, corpus, room].map(|path| path.to_string_lossy().into_owned());
    let part = |name: String, paper, tables, benchmark: &str, arguments: &[&str], rounds: usize| {
        let rounds = rounds.to_string();
        let common = ["--json", "--pfh", &pfh, "--room", &room, "--rounds", &rounds];
        let names = ["bench/run", benchmark];
        let words = names.iter().chain(arguments).chain(&common);
        Part { name, paper, tables, command: words.map(|word| (*word).to_owned()).collect() }
    };
    let mut parts: Vec<Part> = SIMILARITY
        .iter()
        .map(|(table, what)| {
            let mut arguments = vec!["--only", table, "--corpus", &corpus];
            arguments.extend((asked.full && *table == "XIII").then_some("--full"));
            part(format!("pfh-{table}"), PREFETCHING, *what, "similarity", &arguments, asked.rounds)
        })
        .collect();
    let disk = "Table VI's claim on an emulated rotating disk";
    parts.push(part("pfh-rotating".into(), PREFETCHING, disk, "rotating", &[], asked.rounds));
    parts.push(part("s-hash".into(), LANES, "Figures 2 to 4", "lanes", &[], asked.rounds));
    let megabytes = if asked.full { "2000" } else { "256" };
    parts.push(part(
        "tree".into(),
        TREES,
        "Table 1",
        "tree",
        &["--megabytes", megabytes, "--only", "modes", "programs"],
        asked.rounds,
    ));
    let figure = "Fig. 1: the audit; incremental hashing, pieces, catalogues";
    parts.push(part("audit".into(), TREES, figure, "audits", &[], asked.rounds));
    // The paper's 1, 5, 10 and 20 GB take 20 and 40 minutes a round; a sixteenth of sizes and
    // blocks takes a sixteenth of that.
    for (disk, table) in [("ide", "Table II, Figure 2"), ("sata", "Table III, Figure 3")] {
        let arguments = ["modelled", "--disks", disk, "--scale", if asked.full { "1" } else { "16" }];
        parts.push(part(format!("cloner-{disk}"), CLONER, table, "imaging", &arguments, asked.rounds.min(most)));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script that the program has with it finds all modules that it imports there.
    #[test]
    fn the_contained_scripts_are_enough() {
        let has = |module: &str| CONTAINED.iter().any(|(name, _)| *name == format!("measure/{module}.py"));
        let mut seen = 0;
        for (name, text) in CONTAINED {
            for line in text.lines().filter_map(|line| line.trim_start().strip_prefix("from .")) {
                let modules: Vec<&str> = match line.split_once(" import ") {
                    Some(("", modules)) => modules.split(", ").collect(),
                    Some((module, _)) => vec![module],
                    None => continue,
                };
                seen += modules.len();
                let missing: Vec<&&str> = modules.iter().filter(|module| !has(module)).collect();
                assert!(missing.is_empty(), "{name}: {missing:?}");
            }
        }
        assert!(seen > 20, "{seen}");
    }
}
