//! Each page of the guides and the ten tasks runs from top to bottom in an empty directory, and
//! each link of the documentation leads somewhere.
#![cfg(unix)]

use crate::program::Room;
use pfh_inject::{Need, lacks};
use std::collections::BTreeSet;
use std::fs;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command of a page.
struct Line {
    command: String,
    code: i32,
    /// Words of its output, from the comment behind it.
    says: Vec<String>,
    /// Whether it is another program's.
    peer: bool,
}

/// The texts in backquotes.
fn quoted(text: &str) -> impl Iterator<Item = String> {
    text.split('`').skip(1).step_by(2).map(str::to_owned)
}

/// The lines of the blocks of shell on a page. A comment may state how a line ends and, in
/// backquotes, words of its output.
fn lines(page: &str) -> Vec<Line> {
    let (mut found, mut inside, mut peer) = (Vec::new(), false, false);
    for line in page.lines() {
        if let Some(kind) = line.strip_prefix("```") {
            (inside, peer) = (!inside && kind.starts_with("sh"), kind == "sh peer");
        } else if inside && !line.trim().is_empty() && !line.starts_with('#') {
            let (command, comment) = line.split_once("  #").unwrap_or((line, ""));
            let (command, code) = (command.trim().to_owned(), stated(comment));
            found.push(Line { command, code, says: quoted(comment).collect(), peer });
        }
    }
    found
}

/// The code of `exit N`; 0 if none is stated.
fn stated(text: &str) -> i32 {
    let code = text.split_once("exit ").map(|(_, rest)| rest.trim_start_matches(|c: char| !c.is_ascii_digit()));
    code.and_then(|code| code.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()).unwrap_or(0)
}

/// The commands in the last column of the tables of a page.
fn of_tables(page: &str) -> Vec<Line> {
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = rows.filter_map(|row| row.trim_end_matches(" |").rsplit(" | ").next());
    let cells = cells.filter(|cell| cell.starts_with('`'));
    let line = |cell, command| Line { command, code: stated(cell), says: Vec::new(), peer: false };
    cells.flat_map(|cell| quoted(cell).map(move |command| line(cell, command))).collect()
}

/// Runs a line as somebody types it.
fn shell(room: &Room, line: &str) -> (Option<i32>, String) {
    let folder = Path::new(env!("CARGO_BIN_EXE_pfh")).parent().expect("a folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let seen = Command::new("timeout")
        .args(["300", "bash", "-o", "pipefail", "-c", line])
        .env("PATH", path)
        .current_dir(room.path())
        .stdin(std::process::Stdio::null())
        .output()
        .expect("bash");
    (seen.status.code(), String::from_utf8_lossy(&[seen.stdout, seen.stderr].concat()).into_owned())
}

/// Runs a command that serves until Ctrl-C, which it gets once it has said where. Once: `timeout`
/// signals the process and its group, and a second signal ends a process at once.
fn until_interrupted(room: &Room, line: &str) -> (Option<i32>, String) {
    let mut child = Command::new("bash")
        .args(["-c", &format!("exec {}", line.replacen("pfh", env!("CARGO_BIN_EXE_pfh"), 1))])
        .current_dir(room.path())
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("bash");
    let mut said = String::new();
    std::io::BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut said).expect("its address");
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    (child.wait().expect("an end").code(), said)
}

fn is_there(program: &str) -> bool {
    Command::new("bash").args(["-c", &format!("command -v {program}")]).output().is_ok_and(|seen| seen.status.success())
}

/// Runs the lines of a page in an empty directory; gives the lines that end otherwise than the page
/// says.
fn run(lines: &[Line]) -> Vec<String> {
    let room = Room::new();
    let mut wrong = Vec::new();
    for Line { command, code, says, peer } in lines {
        let program = command.split(' ').next().unwrap_or_default();
        if *peer && !is_there(program) {
            eprintln!("skipped: no {program}");
            continue;
        }
        let (ended, said) =
            if command.contains(" --serve") { until_interrupted(&room, command) } else { shell(&room, command) };
        if ended != Some(*code) {
            wrong.push(format!("{command}\n  ended with {ended:?}, the page says {code}: {said}"));
        }
        for words in says.iter().filter(|words| !said.contains(words.as_str())) {
            wrong.push(format!("{command}\n  does not say {words:?} as the page does: {said}"));
        }
    }
    wrong
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).expect(name)
}

#[test]
fn the_commands_of_the_guides_run() {
    if lacks(&[Need::Program("openssl"), Need::Program("python3")]) {
        return;
    }
    let mut wrong = Vec::new();
    for name in ["examiner", "archivist", "administrator", "malware", "developer"] {
        let lines = lines(&page(&format!("guide/{name}.md")));
        assert!(lines.len() > 4, "{name}");
        wrong.extend(run(&lines).into_iter().map(|line| format!("{name}: {line}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_others_type_has_a_command_here() {
    let page = page("guide/coming-from.md");
    let commands = of_tables(&page);
    assert!(commands.len() > 40, "{}", commands.len());
    assert!(commands.iter().all(|line| line.command.starts_with("pfh ")));
    // The commands that make the files stand above the tables.
    let wrong = run(&lines(&page).into_iter().chain(commands).collect::<Vec<_>>());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The ten wishes: each has a public thread that asks for it, and a command that does it.
#[test]
fn wishes_have_a_thread_and_a_command() {
    let page = page("guide/coming-from.md");
    let (_, wishes) = page.split_once("\n## Asked for in other projects").expect("the section");
    let rows: Vec<&str> = wishes.lines().filter(|line| line.starts_with("| ") && line.contains("https://")).collect();
    assert_eq!(rows.len(), 10);
    for row in rows {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        assert_eq!(cells.len(), 3, "{row}");
        assert!(cells[1].contains("](https://github.com/") && cells[1].contains("/issues/"), "{row}");
        assert!(cells[2].trim().starts_with("`pfh "), "{row}");
    }
}

#[test]
fn the_ten_tasks_run() {
    let page = page("tasks.md");
    assert_eq!(page.matches("\n## ").count(), 10);
    let lines = lines(&page);
    assert!(lines.iter().filter(|line| line.peer).count() >= 10);
    assert!(lines.iter().map(|line| line.says.len()).sum::<usize>() >= 10);
    let wrong = run(&lines);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The pages of the documentation.
fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            pages(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The name of a heading's link.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    text.chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}

/// The targets of the links of a page, without those in code.
fn links(text: &str) -> BTreeSet<String> {
    let prose: String = text.split("```").step_by(2).collect();
    let prose: String = prose.split('`').step_by(2).collect();
    let targets = prose.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    targets.map(str::to_owned).collect()
}

/// The links of a page that lead nowhere.
fn broken(page: &Path, text: &str) -> Vec<String> {
    let nowhere = |target: &String| {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        let path = if file.is_empty() { page.to_owned() } else { page.parent().expect("a folder").join(file) };
        if !path.exists() {
            return true;
        }
        let is_page = path.extension().is_some_and(|extension| extension == "md");
        let text =
            if is_page && !anchor.is_empty() { fs::read_to_string(&path).unwrap_or_default() } else { return false };
        !text.lines().filter(|line| line.starts_with('#')).any(|heading| slug(heading) == anchor)
    };
    let relative = |target: &String| !target.contains("://") && !target.starts_with("mailto:");
    links(text).into_iter().filter(relative).filter(nowhere).collect()
}

#[test]
fn the_links_of_the_documentation_lead_somewhere() {
    let mut all = vec![root().join("README.md"), root().join("CONTRIBUTING.md"), root().join("CHANGELOG.md")];
    pages(&root().join("docs"), &mut all);
    assert!(all.len() > 20, "{all:?}");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for page in &all {
        let text = fs::read_to_string(page).expect("a page");
        count += links(&text).len();
        wrong.extend(broken(page, &text).into_iter().map(|target| format!("{}: {target}", page.display())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 40, "{count}");
    // It can see.
    let readme = root().join("README.md");
    let text = "[a](docs/nowhere.md) [b](docs/tests/faults.md#nowhere) [c](docs/design.md#features) `[d](e)`";
    assert_eq!(broken(&readme, text), ["docs/nowhere.md", "docs/tests/faults.md#nowhere"]);
}

/// The promise as the README shows it: another program prints a digest of a file that grows, pfh
/// names the file and ends with 3.
#[test]
fn the_demonstration_of_the_readme_holds() {
    let seen = Command::new(root().join("docs/pictures/growing"))
        .env("PFH", env!("CARGO_BIN_EXE_pfh"))
        .output()
        .expect("bash");
    let text = String::from_utf8_lossy(&seen.stdout);
    assert!(seen.status.success() && text.contains("changed while it was read"), "{text}");
}
