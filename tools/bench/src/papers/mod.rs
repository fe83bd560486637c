//! `pfh bench papers`: the tables of the papers that a machine without special hardware can repeat,
//! in the papers' own form, each beside the paper's figures as far as they are known here.
//!
//! The measuring itself is done by the project's `bench/run`, which also makes the records there:
//! whole programs, interleaved with their peers, answers compared before a time counts. This runs
//! it, or the copy of it that the program has with it, keeps the results, and puts them into one
//! report.

pub mod bars;
pub mod claims;
pub mod items;
pub mod page;
mod repeated;
mod scripts;
mod table;

pub use crate::args::{KEPT, Papers};
use crate::markup::escape;
use crate::pipeline::FileTree;
use crate::{Error, amount};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

pub use repeated::PartOutcome;
pub use scripts::{Part, Scripts, parts};
pub use table::{Cell, Table};

/// All that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Answer<'a> {
    /// The form of this answer.
    pub pfh_papers: u32,
    /// Each claim with its verdict.
    pub claims: &'a [claims::JudgedClaim],
    /// Each part, with its tables or why there are none.
    pub parts: &'a [PartOutcome],
}

/// How many of the parts that were asked for have been run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// These.
    pub done: usize,
    /// Of all.
    pub of: usize,
}

/// Takes the results before the first part and after each of them.
pub type Look<'a> = dyn FnMut(&[PartOutcome], Progress) -> Result<(), Error> + 'a;

impl Papers {
    /// The parts that are asked for, of this program.
    ///
    /// # Errors
    /// A name that no part begins with; a corpus that is not there.
    pub fn parts(&self, program: &Path) -> Result<Vec<Part>, Error> {
        let corpus = match &self.corpus {
            Some(corpus) => corpus.canonicalize().map_err(Error::file(corpus))?,
            None => std::path::absolute(self.out.join("tree")).map_err(Error::file(&self.out))?,
        };
        let room = std::path::absolute(self.out.join("room")).map_err(Error::file(&self.out))?;
        let all = parts(self, program, &corpus, &room);
        let begins = |part: &Part, only: &String| part.name == *only || part.name.starts_with(&format!("{only}-"));
        if let Some(unknown) = self.only.iter().find(|only| !all.iter().any(|part| begins(part, only))) {
            let names: Vec<&str> = all.iter().map(|part| part.name.as_str()).collect();
            return Err(Error::Usage(format!("no part is called {unknown}: there are {}", names.join(", "))));
        }
        let wanted = |part: &Part| self.only.is_empty() || self.only.iter().any(|only| begins(part, only));
        Ok(all.into_iter().filter(wanted).collect())
    }

    /// Runs the parts that are asked for and not there yet; gives everything that the output
    /// directory has then. `look` is called before the first part and after each, so that an
    /// interrupted run leaves its page.
    ///
    /// # Errors
    /// The output directory cannot be used, or `look` fails. A part that fails is not an error: it
    /// states the reason.
    pub fn measure(&self, program: &Path, look: &mut Look<'_>) -> Result<Vec<PartOutcome>, Error> {
        if self.rounds == 0 {
            return Err(Error::Usage("at least one round is needed".to_owned()));
        }
        let wanted = self.parts(program)?;
        let scripts = Scripts::find(self.bench.as_deref())?;
        std::fs::create_dir_all(&self.out).map_err(Error::file(&self.out))?;
        let kept = self.out.join(KEPT);
        let mut done = load(&self.out)?;
        let is_there = |done: &[PartOutcome], part: &Part| {
            done.iter().any(|old| old.name == part.name && old.command == part.command && old.found.is_ok())
        };
        let missing: Vec<&Part> = wanted.iter().filter(|part| self.again || !is_there(&done, part)).collect();
        if self.corpus.is_none() && missing.iter().any(|part| part.name.starts_with("pfh-")) {
            let tree = self.out.join("tree");
            if !tree.join("large").exists() {
                FileTree::create(&tree.join("small"), 1580, 16 << 10, 1)?;
                FileTree::create(&tree.join("large"), 20, 4 << 20, 1)?;
            }
        }
        let began = Instant::now();
        let order = parts(self, Path::new(""), Path::new(""), Path::new(""));
        let in_order = |done: &mut Vec<PartOutcome>| {
            done.sort_by_key(|old| order.iter().position(|part| part.name == old.name));
        };
        in_order(&mut done);
        look(&done, Progress { done: wanted.len() - missing.len(), of: wanted.len() })?;
        for (index, part) in missing.iter().enumerate() {
            // Parts differ in length, so this is a rough guess, and better than none.
            let left = began.elapsed().as_secs_f64() / index.max(1) as f64 * (missing.len() - index) as f64;
            let left = if index == 0 { String::new() } else { format!(", about {} left", amount::show_seconds(left)) };
            eprintln!("{} of {}{left}: {} ({})", index + 1, missing.len(), part.name, part.tables);
            let found = run(&scripts.program(), &part.command[1..]);
            if let Err(reason) = &found {
                eprintln!("{}: not reproduced: {reason}", part.name);
            }
            done.retain(|old| old.name != part.name);
            let (name, command) = (part.name.clone(), part.command.clone());
            done.push(PartOutcome { name, paper: part.paper.into(), what: part.tables.into(), command, found });
            in_order(&mut done);
            // After every part: an interrupted run goes on.
            let text = serde_json::to_string_pretty(&done).expect("plain data becomes JSON");
            std::fs::write(&kept, text).map_err(Error::file(&kept))?;
            look(&done, Progress { done: wanted.len() - missing.len() + index + 1, of: wanted.len() })?;
        }
        Ok(done)
    }
}

/// The results of earlier runs, from the output directory.
///
/// # Errors
/// The file is there and cannot be read, or is none of these.
pub fn load(directory: &Path) -> Result<Vec<PartOutcome>, Error> {
    let path = directory.join(KEPT);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(&path).map_err(Error::file(&path))?;
    serde_json::from_str(&text).map_err(|error| Error::Malformed { path, reason: error.to_string() })
}

/// Runs a script; its messages go to standard error.
fn run(script: &Path, arguments: &[String]) -> Result<Vec<Table>, String> {
    let started = Command::new("python3")
        .arg(script)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = started.map_err(|error| format!("python3: {error}"))?;
    let errors = child.stderr.take().expect("it is piped");
    // The last line that a program says is why it ended.
    let last = std::thread::spawn(move || {
        let mut last = String::new();
        for line in BufReader::new(errors).lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
            eprintln!("  {line}");
            last = line;
        }
        last
    });
    let mut output = String::new();
    let read = child.stdout.take().expect("it is piped").read_to_string(&mut output);
    let (status, last) = (child.wait(), last.join().unwrap_or_default());
    read.map_err(|error| format!("its output: {error}"))?;
    match status.map_err(|error| error.to_string())? {
        status if status.success() => Table::parse(&output),
        status => Err(if last.is_empty() { status.to_string() } else { last }),
    }
}

/// The repeated parts, as text.
pub fn text(repeated: &[PartOutcome]) -> String {
    let mut text = String::new();
    for (index, part) in repeated.iter().enumerate() {
        if index == 0 || repeated[index - 1].paper != part.paper {
            writeln!(text, "{}\n{}\n", part.paper, "=".repeat(part.paper.chars().count())).expect("a string takes it");
        }
        match &part.found {
            Err(reason) => {
                writeln!(text, "{}\n  not reproduced here: {reason}\n", part.what).expect("a string takes it")
            }
            Ok(tables) => text.extend(tables.iter().map(|table| table.text() + "\n")),
        }
    }
    text
}

/// The repeated parts, as comma-separated values: a line per cell, with its origin.
pub fn csv(repeated: &[PartOutcome]) -> String {
    let mut text = String::from("part,table,row,column,whose,value\n");
    let quoted = |cell: &str| format!("\"{}\"", cell.replace('"', "\"\""));
    for (part, table) in repeated.iter().flat_map(|part| part.found.iter().flatten().map(move |table| (part, table))) {
        let cells = table.cells();
        for row in &cells[1..] {
            for (head, cell) in cells[0].iter().zip(row).skip(2) {
                let line = [&part.name, &table.table, &row[0], head, &row[1], cell].map(|cell| quoted(cell));
                writeln!(text, "{}", line.join(",")).expect("a string takes it");
            }
        }
    }
    text
}

/// The repeated parts, as the part of a page.
pub fn html(repeated: &[PartOutcome]) -> String {
    let mut body = String::new();
    for (index, part) in repeated.iter().enumerate() {
        if index == 0 || repeated[index - 1].paper != part.paper {
            writeln!(body, "<h2>{}</h2>", escape(&part.paper)).expect("a string takes it");
        }
        match &part.found {
            Err(reason) => {
                let (what, reason) = (escape(&part.what), escape(reason));
                writeln!(body, "<p>{what}: <span class=\"fault\">not reproduced here</span>: {reason}</p>")
                    .expect("a string takes it");
            }
            Ok(tables) => body.extend(tables.iter().map(Table::html)),
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn python(script: &str) -> Result<Vec<Table>, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), format!("import sys\n{script}")).unwrap();
        run(file.path(), &[])
    }

    #[test]
    fn a_script_gives_tables_or_its_last_words() {
        let table = r#"print('{"table":"T","columns":["a"],"rows":[[1]]}')"#;
        assert_eq!(python(&format!("print('working', file=sys.stderr)\n{table}")).unwrap().len(), 1);
        assert_eq!(python("print('first', file=sys.stderr)\nsys.exit('needs root')").unwrap_err(), "needs root");
        assert_eq!(python("sys.exit(3)").unwrap_err(), "exit status: 3");
        // Tables of a run that failed in the end do not count.
        assert!(python(&format!("{table}\nsys.exit(1)")).is_err());
    }

    #[test]
    fn what_is_not_reproduced_says_so() {
        let part = PartOutcome {
            name: "cloner".into(),
            paper: "A & B".into(),
            what: "Table II".into(),
            command: vec![],
            found: Err("no <root>".into()),
        };
        let text = text(std::slice::from_ref(&part));
        assert!(text.contains("not reproduced here: no <root>"), "{text}");
        let html = html(&[part]);
        assert!(html.contains("A &amp; B") && html.contains("no &lt;root&gt;"), "{html}");
    }
}
