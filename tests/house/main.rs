//! Rules of the house that can be read off the sources: where `unsafe` may stand, and how long a
//! file may be.

mod circles;
mod layers;
mod nouns;
mod packages;
mod platform;

use std::fs;
use std::path::{Path, PathBuf};

/// The crates in which `unsafe` may stand; in `source` only below `src/os`, in the Python binding
/// only where buffers and Arrow's structures are read and made, and an interpreter is asked for its
/// number.
const MAY_BE_UNSAFE: &[&str] = &["algorithms/kernel", "pipeline/source", "tools/python"];

/// Beyond this a file holds more than one noun.
const MOST_LINES: usize = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The folders of all crates, relative to the root: "" is the facade.
fn crates() -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new(), PathBuf::from("tests/inject"), PathBuf::from("tests/world")];
    for group in ["algorithms", "media", "pipeline", "records", "stores", "tools"] {
        for entry in fs::read_dir(root().join(group)).expect(group) {
            let folder = entry.expect("an entry").path();
            if folder.join("Cargo.toml").is_file() {
                found.push(folder.strip_prefix(root()).expect("below the root").to_owned());
            }
        }
    }
    found
}

/// Whether this is the folder of a build: each workspace may have one.
fn is_built(folder: &Path) -> bool {
    ["target", "media/target", "fuzz/target"].iter().any(|built| folder == root().join(built))
}

/// All Rust files below `folder`, but for those that a build makes. Links are not followed: Wine's
/// drives lead to all of the machine.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries {
            let entry = entry.expect("an entry");
            let path = entry.path();
            if entry.file_type().expect("a type").is_dir() {
                if !is_built(&path) {
                    open.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found
}

/// Whether a line of code, comments and strings aside, opens an `unsafe` block, function, impl or
/// trait.
fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    // Strings again, without a SAFETY remark.
    ["unsafe {", "unsafe fn", "unsafe impl", "unsafe trait", "unsafe extern"].iter().any(|form| code.contains(form))
}

#[test]
fn unsafe_is_forbidden_outside_the_crates_that_need_it() {
    let mut wrong = Vec::new();
    for folder in crates() {
        if MAY_BE_UNSAFE.iter().any(|allowed| folder == Path::new(allowed)) {
            continue;
        }
        let roots = ["src/lib.rs", "src/main.rs"].map(|file| root().join(&folder).join(file));
        let roots: Vec<_> = roots.into_iter().filter(|file| file.is_file()).collect();
        assert!(!roots.is_empty(), "{} has no crate root", folder.display());
        for file in roots {
            if !fs::read_to_string(&file).expect("a source").contains("#![forbid(unsafe_code)]") {
                wrong.push(file);
            }
        }
    }
    assert_eq!(wrong, Vec::<PathBuf>::new(), "these lack #![forbid(unsafe_code)]");
}

#[test]
fn the_source_crate_is_unsafe_only_where_it_calls_the_platform() {
    let source = root().join("pipeline/source/src");
    for file in rust_files(&source) {
        if file.starts_with(source.join("os")) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source");
        assert!(!text.lines().any(is_unsafe), "{} holds unsafe code", file.display());
    }
}

#[test]
fn the_python_binding_is_unsafe_only_at_the_interpreters_memory() {
    let source = root().join("tools/python/src");
    let mut seen = 0;
    for file in rust_files(&source) {
        let text = fs::read_to_string(&file).expect("a source");
        let may = ["buffer.rs", "interpreter.rs"].iter().any(|name| file == source.join(name))
            || file.starts_with(source.join("arrow"));
        let found = text.lines().any(is_unsafe);
        assert!(may || !found, "{} holds unsafe code", file.display());
        seen += usize::from(found);
    }
    assert!(seen > 2, "the files that are unsafe are found");
}

#[test]
fn no_file_is_longer_than_a_noun() {
    let mut long = Vec::new();
    let mut seen = 0;
    for folder in crates() {
        for part in ["src", "tests", "benches"] {
            if folder == Path::new("") && part == "tests" {
                // The root's tests hold the injectors' crate, which is counted as a crate of its
                // own.
                continue;
            }
            for file in rust_files(&root().join(&folder).join(part)) {
                seen += 1;
                let lines = fs::read_to_string(&file).expect("a source").lines().count();
                if lines > MOST_LINES {
                    long.push(format!("{}: {lines} lines", file.strip_prefix(root()).expect("below").display()));
                }
            }
        }
    }
    assert!(seen > 20, "only {seen} files were looked at");
    assert_eq!(long, Vec::<String>::new());
}

#[test]
fn the_unsafe_check_sees() {
    // These are strings: no SAFETY remark is due.
    assert!(is_unsafe("    unsafe { read(fd) }") && is_unsafe("pub unsafe fn f() {"));
    assert!(!is_unsafe("// unsafe { } in a comment") && !is_unsafe("#![forbid(unsafe_code)]"));
}

/// Prose is read at 100 columns, in docstrings and other comments. Tables and code in docstrings
/// may be as wide as code.
#[test]
fn comments_are_at_most_100_columns_wide() {
    let mut wrong = Vec::new();
    for folder in crates() {
        for part in ["src", "tests", "benches", "examples"] {
            for file in rust_files(&root().join(&folder).join(part)) {
                let text = fs::read_to_string(&file).expect("a source");
                let mut is_code = false;
                for (number, line) in text.lines().enumerate() {
                    let comment = line.trim_start();
                    let Some(words) = ["///", "//!", "//"].iter().find_map(|mark| comment.strip_prefix(mark)) else {
                        is_code = false;
                        continue;
                    };
                    let words = words.trim_start();
                    is_code ^= words.starts_with("```");
                    if !is_code && !words.starts_with('|') && line.chars().count() > 100 {
                        wrong.push(format!("{}:{}", file.display(), number + 1));
                    }
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "comments beyond 100 columns:\n{}", wrong.join("\n"));
}

/// Phrases that plain English does without, and clauses in place of nouns. One with a capital
/// begins a sentence.
const REFUSED: &[&str] =
    &["told", "of which", "whoever", "anew", "is no", "are no", "so many", "What", "what is", "whatever", "that which"];

/// The same, and such clauses in messages.
const REFUSED_IN_MESSAGES: &[&str] = &[
    "told",
    "of which",
    "whoever",
    "anew",
    "is no",
    "are no",
    "so many",
    "What is",
    "what could",
    "whatever",
    "that which",
];

/// A place whose prose is looked at.
struct Place {
    /// A file, or a folder with all below it.
    path: &'static str,
    /// The ending of its files.
    ending: &'static str,
    /// Gives the prose of a file, each character at its offset.
    prose: fn(&str) -> String,
    /// Whether files of tests and examples are left out.
    is_shipped: bool,
    /// The phrases that are refused there.
    refused: &'static [&'static str],
}

/// Documents, the comments of all sources, and their messages. A test of the program looks at its
/// help.
const PLACES: &[Place] = &[
    Place { path: "README.md", ending: "md", prose: markdown, is_shipped: false, refused: REFUSED },
    Place { path: "CONTRIBUTING.md", ending: "md", prose: markdown, is_shipped: false, refused: REFUSED },
    Place { path: "docs", ending: "md", prose: markdown, is_shipped: false, refused: REFUSED },
    Place { path: "media", ending: "md", prose: markdown, is_shipped: false, refused: REFUSED },
    Place { path: "algorithms", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "media", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "pipeline", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "records", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "stores", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "src", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "tools", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "tests", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "examples", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "fuzz/fuzz_targets", ending: "rs", prose: comments, is_shipped: false, refused: REFUSED },
    Place { path: "tools/python", ending: "py", prose: str::to_owned, is_shipped: false, refused: REFUSED },
    Place { path: "src", ending: "rs", prose: messages, is_shipped: true, refused: REFUSED_IN_MESSAGES },
    Place { path: "algorithms", ending: "rs", prose: messages, is_shipped: true, refused: REFUSED_IN_MESSAGES },
    Place { path: "media", ending: "rs", prose: messages, is_shipped: true, refused: REFUSED_IN_MESSAGES },
    Place { path: "pipeline", ending: "rs", prose: messages, is_shipped: true, refused: REFUSED_IN_MESSAGES },
    Place { path: "records", ending: "rs", prose: messages, is_shipped: true, refused: REFUSED_IN_MESSAGES },
    Place { path: "stores", ending: "rs", prose: messages, is_shipped: true, refused: REFUSED_IN_MESSAGES },
    Place { path: "tools", ending: "rs", prose: messages, is_shipped: true, refused: REFUSED_IN_MESSAGES },
];

/// The comments of a Rust source, each character at its place: all else is spaces.
fn comments(source: &str) -> String {
    let blank = |text: &str| " ".repeat(text.len());
    let mut text = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let start = line.len() - line.trim_start().len();
        let mark = line[start..].chars().take_while(|c| matches!(c, '/' | '!')).count();
        match mark {
            0 | 1 => text += &(blank(line.trim_end_matches('\n')) + if line.ends_with('\n') { "\n" } else { "" }),
            mark => text += &(blank(&line[..start + mark]) + &line[start + mark..]),
        }
    }
    markdown(&text)
}

/// The string literals of a Rust source, tests aside, each character at its place: all else is
/// spaces.
fn messages(source: &str) -> String {
    let end = source.find("#[cfg(test)]\nmod tests {").unwrap_or(source.len());
    let mut text = String::with_capacity(end);
    for line in source[..end].split_inclusive('\n') {
        let is_comment = line.trim_start().starts_with("//");
        let mut is_string = false;
        let mut before = ' ';
        for c in line.chars() {
            let is_mark = c == '"' && before != '\\' && before != '\'';
            is_string ^= is_mark && !is_comment;
            let is_kept = c == '\n' || is_string && !is_mark;
            text.extend(if is_kept { vec![c] } else { vec![' '; c.len_utf8()] });
            before = if before == '\\' { ' ' } else { c };
        }
    }
    text
}

/// Whether a phrase is plain English in its place: "there is no", "is no longer", "each of which".
fn is_plain(before: &str, phrase: &str, after: &str) -> bool {
    let word = |text: &str| text.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase();
    let before = before.split_whitespace().next_back().map(word).unwrap_or_default();
    let after = after.split_whitespace().next().map(word).unwrap_or_default();
    let is = |text: &str, words: &str| words.split(' ').any(|word| word == text);
    match phrase {
        "is no" | "are no" => before == "there" || is(&after, "longer more less such fewer use other"),
        "of which" => is(&before, "all both each first last most none some"),
        _ => false,
    }
}

/// The prose of a Markdown page, each character at its place: code and line ends are spaces.
fn markdown(page: &str) -> String {
    let mut prose = String::with_capacity(page.len());
    let mut is_fenced = false;
    for line in page.split_inclusive('\n') {
        let is_fence = line.trim_start().starts_with("```");
        let mut is_code = is_fenced || is_fence;
        for c in line.chars() {
            is_code ^= c == '`' && !is_fenced && !is_fence;
            if is_code || c == '`' || c == '\n' {
                prose.extend(std::iter::repeat_n(' ', c.len_utf8()));
            } else {
                prose.push(c);
            }
        }
        is_fenced ^= is_fence;
    }
    prose
}

/// Where `prose` has `phrase` as words of their own; small letters stand for capitals too.
fn places(prose: &str, phrase: &str) -> Vec<usize> {
    let small = prose.to_ascii_lowercase();
    let text = if phrase.starts_with(char::is_uppercase) { prose } else { &small };
    let is_letter =
        |at: Option<usize>| at.and_then(|at| text.as_bytes().get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let found = text.match_indices(phrase).map(|(at, _)| at);
    found.filter(|&at| !is_letter(at.checked_sub(1)) && !is_letter(Some(at + phrase.len()))).collect()
}

/// All files with `ending` below `path`, or the file itself; not those that a build makes.
fn files(path: &Path, ending: &str) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    if is_built(path) {
        return Vec::new();
    }
    let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
    let wanted = entries.filter(|path| path.is_dir() || path.extension().is_some_and(|found| found == ending));
    wanted.flat_map(|path| files(&path, ending)).collect()
}

#[test]
fn prose_is_plain_english() {
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for Place { path, ending, prose, is_shipped, refused } in PLACES {
        for file in files(&root().join(path), ending) {
            let is_test = |part: &std::ffi::OsStr| ["tests", "examples", "tests.rs"].iter().any(|name| part == *name);
            if *is_shipped && file.iter().any(is_test) {
                continue;
            }
            let text = fs::read_to_string(&file).expect("a text");
            let prose = prose(&text);
            seen += 1;
            for phrase in *refused {
                for at in places(&prose, phrase) {
                    if *ending != "md" && is_plain(&prose[..at], phrase, &prose[at + phrase.len()..]) {
                        continue;
                    }
                    let line = text[..at].matches('\n').count() + 1;
                    wrong.push(format!("{}:{line}: {phrase:?}", file.strip_prefix(root()).expect("below").display()));
                }
            }
        }
    }
    wrong.sort();
    assert!(seen > 500, "only {seen} files were looked at");
    assert!(wrong.is_empty(), "say it in plain English:\n{}", wrong.join("\n"));
    // It can see, across lines and beside code.
    let page = "`told` untold told.\n```\nanew\n```\nWhat\nis this is no\n";
    let found = REFUSED.iter().map(|phrase| places(&markdown(page), phrase).len()).collect::<Vec<_>>();
    assert_eq!(found, [1, 0, 0, 0, 1, 0, 0, 1, 1, 0, 0]);
    let source = "let told = 1; // told\n    /// It is no\n    /// file, so many.\n#[x]\n//! `anew`\n";
    let found = REFUSED.iter().map(|phrase| places(&comments(source), phrase).len()).collect::<Vec<_>>();
    assert_eq!(found, [0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
    let source = "say(\"it \\\"is no\\\" file\"); // anew\nlet told = '\"'; f(\"so many\")\n";
    let found = REFUSED.iter().map(|phrase| places(&messages(source), phrase).len()).collect::<Vec<_>>();
    assert_eq!(found, [0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0]);
    assert!(
        is_plain("There ", "is no", " file") && is_plain("", "is no", " longer") && !is_plain("it ", "is no", " x")
    );
}

/// JSON comes from rows by serde: pieces of an object that are put together by hand have no schema.
#[test]
fn no_json_is_put_together_by_hand() {
    let by_hand =
        |line: &str| ["b\"{\\\"", "b\",\\\"", "b\",{\\\""].iter().any(|start| line.contains(&format!("slice({start}")));
    let mut wrong = Vec::new();
    for folder in ["records", "stores", "src", "tools"] {
        for file in files(&root().join(folder), "rs") {
            let text = fs::read_to_string(&file).expect("a text");
            let lines = text.lines().enumerate().filter(|(_, line)| by_hand(line));
            let file = file.strip_prefix(root()).expect("below").display();
            wrong.extend(lines.map(|(n, _)| format!("{file}:{}", n + 1)));
        }
    }
    assert!(wrong.is_empty(), "derive Serialize for a row, and a schema comes with it:\n{}", wrong.join("\n"));
    assert!(by_hand("out.extend_from_slice(b\"{\\\"type\\\":\\\"file\\\"\");"), "it can see");
}

/// A test that is left out says why, and which command runs it.
#[test]
fn an_ignored_test_names_the_command_that_runs_it() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for file in crates().iter().flat_map(|folder| rust_files(&root().join(folder))) {
        let text = fs::read_to_string(&file).expect("a source");
        for (number, line) in text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("#[ignore")) {
            seen += 1;
            if !["`make ", "`cargo ", "`bench/run "].iter().any(|command| line.contains(command)) {
                wrong.push(format!("{}:{}", file.display(), number + 1));
            }
        }
    }
    assert!(seen > 5 && wrong.is_empty(), "{seen} ignored tests, without a command:\n{}", wrong.join("\n"));
}

/// A source that a page names is there: pages outlive the files that they point to.
#[test]
fn a_source_that_a_page_names_is_there() {
    let (mut seen, mut wrong) = (0, Vec::new());
    for page in ["README.md", "CONTRIBUTING.md", "docs", "media/README.md", "media/docs"]
        .iter()
        .flat_map(|path| files(&root().join(path), "md"))
    {
        // Decisions speak of the past, and a list of others' suites of their files.
        if page.starts_with(root().join("docs/adr")) || page.ends_with("docs/tests/others.md") {
            continue;
        }
        let text = fs::read_to_string(&page).expect("a page");
        // A text between backticks that is a path below one of the folders of the project.
        for name in text.lines().flat_map(|line| line.split('`').skip(1).step_by(2)) {
            let folders =
                ["src/", "algorithms/", "media/", "pipeline/", "records/", "stores/", "tools/", "tests/", "bench/"];
            let is_path = name.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
            if is_path && folders.iter().any(|folder| name.starts_with(folder)) {
                seen += 1;
                if !root().join(name).exists() {
                    wrong.push(format!("{}: {name}", page.strip_prefix(root()).expect("below").display()));
                }
            }
        }
    }
    assert!(seen > 100 && wrong.is_empty(), "{seen} paths, and these lead nowhere:\n{}", wrong.join("\n"));
}

/// The commands that README prints are what continuous integration runs: each stands on one line
/// there, and `.ci/run` reads it from that line and appends nothing.
#[test]
fn the_commands_of_the_readme_are_what_ci_runs() {
    let readme = fs::read_to_string(root().join("README.md")).expect("README.md");
    let run = fs::read_to_string(root().join(".ci/run")).expect(".ci/run");
    for (words, variable) in [("cargo install", "install_command"), ("cargo test", "test_command")] {
        let printed: Vec<&str> = readme.lines().filter(|line| line.starts_with(words)).collect();
        assert!(printed.len() == 1 && printed[0].contains("--locked"), "README.md: {printed:?}");
        assert!(run.contains(&format!("\n{variable}=$(readme '{words}')\n")), "{variable} is not read from README.md");
        // Where a line calls it, it is the last word of the line. The step's title and an argument
        // of another program are in quotes.
        let called: Vec<&str> = run.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
        let called = called
            .iter()
            .filter(|line| line.replace(&format!("\"${variable}\""), "").contains(&format!("${variable}")));
        let called: Vec<&&str> = called.filter(|line| !line.starts_with("step ")).collect();
        assert!(called.len() == 1 && called[0].ends_with(&format!("${variable}")), "{variable}: {called:?}");
    }
    assert!(
        run.contains("rm -rf \"$CARGO_TARGET_DIR/debug\" \"$CARGO_TARGET_DIR/release\""),
        "the folder is not emptied"
    );
}

/// No test exists that no build compiles: one for the lack of a feature is of a feature that
/// README's test command is without, and `.ci/further` runs those that need one.
#[test]
fn a_test_for_the_lack_of_a_feature_is_compiled() {
    let without = ["bench", "parquet", "peers", "portable-os", "remote", "schema", "screen"];
    let (mut seen, mut wrong) = (0, Vec::new());
    for file in crates().iter().flat_map(|folder| rust_files(&root().join(folder))) {
        let text = fs::read_to_string(&file).expect("a source");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        for (at, line) in lines.iter().enumerate() {
            let Some(rest) = line.strip_prefix("#[cfg(not(feature = \"") else { continue };
            let is_test =
                lines[at + 1..].iter().take_while(|line| line.starts_with("#[")).any(|line| *line == "#[test]");
            if is_test {
                seen += 1;
                let feature = rest.split('"').next().unwrap_or_default();
                if !without.contains(&feature) {
                    wrong.push(format!("{}:{}: {feature}", file.display(), at + 1));
                }
            }
        }
    }
    assert!(seen > 0 && wrong.is_empty(), "{seen} tests, and these are never compiled:\n{}", wrong.join("\n"));
}
