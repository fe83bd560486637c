//! Which runners there are, which of them can be built here, and how to get the others.

use crate::{Error, message::Method};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A line of the tables: a language with a library.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Its name in files.
    pub name: String,
    /// Its name in tables.
    pub label: String,
    /// The command before the operands.
    pub command: Vec<String>,
    /// Its algorithms.
    pub methods: Vec<Method>,
}

/// A runner that cannot run here.
#[derive(Debug, Clone, PartialEq)]
pub struct Missing {
    /// The rows that are left out.
    pub rows: Vec<String>,
    /// Why.
    pub reason: String,
    /// How to install it.
    pub install: String,
}

/// The runners of a folder.
#[derive(Debug, Default)]
pub struct Catalogue {
    /// Those that run here.
    pub rows: Vec<Row>,
    /// Those that do not.
    pub missing: Vec<Missing>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Definition {
    needs: Vec<String>,
    install: String,
    build: Option<Vec<String>>,
    each: Option<String>,
    row: Vec<RowDefinition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RowDefinition {
    name: String,
    label: String,
    run: Vec<String>,
    algorithms: Vec<Method>,
}

/// The project's `bench/runners`: in the current directory or the nearest one above it.
pub fn find_runners() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    here.ancestors().map(|directory| directory.join("bench/runners")).find(|path| path.is_dir())
}

/// Hears of each build: how many were built before, how many there are to build, and the label.
pub type Building<'a> = dyn FnMut(usize, usize, &str) + 'a;

/// A runner whose tools are here.
struct Candidate {
    rows: Vec<Row>,
    /// The command that makes it, and the folder that it fills.
    build: Option<(Vec<String>, PathBuf)>,
    install: String,
}

impl Catalogue {
    /// Reads every `runner*.toml` one folder below `runners`, and says which of them have their
    /// tools here. Nothing is built or made: whether a build succeeds is not known. `only` keeps
    /// the rows whose name it accepts.
    pub fn list(runners: &Path, out: &Path, only: &dyn Fn(&str) -> bool) -> Result<Catalogue, Error> {
        let (candidates, missing) = candidates(runners, out, only)?;
        Ok(Catalogue { rows: candidates.into_iter().flat_map(|candidate| candidate.rows).collect(), missing })
    }

    /// The same, and builds all that can be built into folders of `out`. A runner without a row
    /// that `only` accepts is not built.
    pub fn build(
        runners: &Path,
        out: &Path,
        only: &dyn Fn(&str) -> bool,
        tell: &mut Building<'_>,
    ) -> Result<Catalogue, Error> {
        let (candidates, mut missing) = candidates(runners, out, only)?;
        let all = candidates.iter().filter(|candidate| candidate.build.is_some()).count();
        let (mut rows, mut done) = (Vec::new(), 0);
        for Candidate { rows: mine, build, install } in candidates {
            let built = match build {
                None => Ok(()),
                Some((command, folder)) => {
                    tell(done, all, &mine[0].label);
                    done += 1;
                    std::fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
                    compile(&command)
                }
            };
            match built {
                Ok(()) => rows.extend(mine),
                Err(reason) => {
                    let rows = mine.into_iter().map(|row| row.name).collect();
                    missing.push(Missing { rows, reason, install });
                }
            }
        }
        Ok(Catalogue { rows, missing })
    }
}

fn candidates(
    runners: &Path,
    out: &Path,
    only: &dyn Fn(&str) -> bool,
) -> Result<(Vec<Candidate>, Vec<Missing>), Error> {
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for folder in entries(runners)?.into_iter().filter(|path| path.is_dir()) {
        for file in entries(&folder)? {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with("runner") && name.ends_with(".toml") {
                let stem = name.trim_end_matches(".toml");
                let place = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let out = out.join(format!("{place}-{stem}"));
                read(&file, &folder, &out, only, &mut found, &mut missing)?;
            }
        }
    }
    Ok((found, missing))
}

/// Reads one definition.
fn read(
    file: &Path,
    folder: &Path,
    out: &Path,
    only: &dyn Fn(&str) -> bool,
    found: &mut Vec<Candidate>,
    missing: &mut Vec<Missing>,
) -> Result<(), Error> {
    let text = std::fs::read_to_string(file).map_err(Error::file(file))?;
    let definition: Definition =
        toml::from_str(&text).map_err(|error| Error::Malformed { path: file.to_owned(), reason: error.to_string() })?;
    let tools = match &definition.each {
        None => vec![None],
        Some(pattern) => expand(pattern).into_iter().map(Some).collect(),
    };
    let lacking: Vec<&String> = definition.needs.iter().filter(|need| find(need).is_none()).collect();
    if !lacking.is_empty() || tools.is_empty() {
        let rows: Vec<String> = definition.row.iter().map(|row| row.name.clone()).filter(|name| only(name)).collect();
        if !rows.is_empty() {
            let names = lacking.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
            let reason = match &definition.each {
                Some(pattern) if lacking.is_empty() => format!("nothing matches {pattern}"),
                _ => format!("not found: {names}"),
            };
            missing.push(Missing { rows, reason, install: definition.install.clone() });
        }
        return Ok(());
    }
    for tool in tools {
        let version = tool.as_deref().map_or(String::new(), version);
        let out = if version.is_empty() { out.to_owned() } else { out.with_extension(&version) };
        let fill = |template: &str| {
            let home = tool.as_deref().and_then(Path::parent).and_then(Path::parent).unwrap_or(Path::new(""));
            template
                .replace("{dir}", &folder.to_string_lossy())
                .replace("{out}", &out.to_string_lossy())
                .replace("{tool}", &tool.as_deref().unwrap_or(Path::new("")).to_string_lossy())
                .replace("{home}", &home.to_string_lossy())
                .replace("{version}", &version)
        };
        let rows: Vec<Row> = definition
            .row
            .iter()
            .map(|row| Row {
                name: fill(&row.name),
                label: fill(&row.label),
                command: row.run.iter().map(|part| fill(part)).collect(),
                methods: row.algorithms.clone(),
            })
            .filter(|row| only(&row.name))
            .collect();
        if rows.is_empty() {
            continue;
        }
        let build = definition.build.as_ref().map(|command| command.iter().map(|part| fill(part)).collect());
        let build = build.map(|command| (command, out.clone()));
        found.push(Candidate { rows, build, install: definition.install.clone() });
    }
    Ok(())
}

/// Files and folders of `directory`, by name.
fn entries(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let read = || -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(directory)?.map(|entry| entry.map(|entry| entry.path())).collect()
    };
    let mut paths = read().map_err(Error::file(directory))?;
    paths.sort();
    Ok(paths)
}

/// Where a command is in PATH.
fn find(command: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|directory| directory.join(command)).find(|file| file.is_file())
}

/// The files that a pattern with one `*`, which stands for a whole name, matches; links to the same
/// file once.
fn expand(pattern: &str) -> Vec<PathBuf> {
    let Some((before, after)) = pattern.split_once("/*/") else { return Vec::new() };
    let folders = entries(Path::new(before)).unwrap_or_default();
    let files: BTreeSet<PathBuf> = folders.iter().flat_map(|folder| folder.join(after).canonicalize()).collect();
    files.into_iter().collect()
}

/// The first word of `TOOL --version` that begins with a digit.
fn version(tool: &Path) -> String {
    let output = Command::new(tool).arg("--version").stdin(Stdio::null()).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    let word = text.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    word.unwrap_or("unknown").to_owned()
}

fn compile(command: &[String]) -> Result<(), String> {
    let output = Command::new(&command[0]).args(&command[1..]).stdin(Stdio::null()).output();
    match output {
        Err(error) => Err(format!("{}: {error}", command[0])),
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => {
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said);
            let last: Vec<&str> = said.lines().rev().filter(|line| !line.trim().is_empty()).take(3).collect();
            let last: Vec<&str> = last.into_iter().rev().collect();
            Err(format!("{} failed ({}): {}", command[0], output.status, last.join(" / ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn catalogue(toml: &str, only: &dyn Fn(&str) -> bool) -> Result<Catalogue, Error> {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("runners/x");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("runner.toml"), toml).unwrap();
        fs::write(folder.join("README.md"), "not a definition").unwrap();
        Catalogue::build(&directory.path().join("runners"), &directory.path().join("out"), only, &mut |_, _, _| ())
    }

    const ROW: &str = "[[row]]\nname='x'\nlabel='X'\nrun=['{out}/x']\nalgorithms=['md5','sha3-256']\n";

    #[test]
    fn what_is_there_is_built_and_filled_in() {
        let found =
            catalogue(&format!("needs=['sh']\ninstall=''\nbuild=['sh','-c','true > {{out}}/x']\n{ROW}"), &|_| true);
        let row = &found.unwrap().rows[0];
        assert!(row.command[0].ends_with("out/x-runner/x"), "{row:?}");
        assert_eq!(row.methods, [Method::Md5, Method::Sha3]);
    }

    #[test]
    fn what_is_missing_or_does_not_build_is_said() {
        let found = catalogue(&format!("needs=['no-such-tool-here']\ninstall='get it'\n{ROW}"), &|_| true).unwrap();
        let missing = &found.missing[0];
        assert_eq!((missing.reason.as_str(), missing.install.as_str()), ("not found: no-such-tool-here", "get it"));
        let build = "build=['sh','-c','echo broken >&2; exit 3']";
        let found = catalogue(&format!("needs=[]\ninstall=''\n{build}\n{ROW}"), &|_| true).unwrap();
        assert!(found.rows.is_empty() && found.missing[0].reason.contains("broken"), "{found:?}");
        let found = catalogue(&format!("needs=[]\ninstall=''\neach='/nonexistent/*/bin/x'\n{ROW}"), &|_| true).unwrap();
        assert!(found.missing[0].reason.contains("/nonexistent/*"));
    }

    #[test]
    fn a_list_builds_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let (runners, out) = (directory.path().join("runners"), directory.path().join("out"));
        fs::create_dir_all(runners.join("x")).unwrap();
        let build = format!("build=['sh','-c','echo built >> {}/builds']", directory.path().display());
        fs::write(runners.join("x/runner.toml"), format!("needs=['sh']\ninstall=''\n{build}\n{ROW}")).unwrap();
        let listed = Catalogue::list(&runners, &out, &|_| true).unwrap();
        assert_eq!(listed.rows.len(), 1);
        assert!(!out.exists() && !directory.path().join("builds").exists());
        let mut built_rows = Vec::new();
        let built = Catalogue::build(&runners, &out, &|_| true, &mut |at, of, label| {
            built_rows.push((at, of, label.to_owned()))
        });
        assert_eq!((built.unwrap().rows, built_rows), (listed.rows, vec![(0, 1, "X".to_owned())]));
        assert!(directory.path().join("builds").exists());
    }

    #[test]
    fn what_is_not_wanted_is_neither_built_nor_missed() {
        let found = catalogue(&format!("needs=['no-such-tool-here']\ninstall=''\n{ROW}"), &|name| name != "x").unwrap();
        assert!(found.rows.is_empty() && found.missing.is_empty());
    }

    #[test]
    fn definitions_with_errors_are_refused() {
        for toml in ["", "needs=[]\ninstall=''\nrow=[]\nspeed=9", "needs=[]\ninstall=''\n[[row]]\nname='x'"] {
            assert!(matches!(catalogue(toml, &|_| true), Err(Error::Malformed { .. })), "{toml}");
        }
    }
}
