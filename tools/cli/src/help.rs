//! How the help is shown: an example first, one screen for `-h`, options for experts behind
//! `--help-all`.

use crate::args::Cli;
use crate::examples::{EXIT_CODES, MORE};
use crate::filled::filled;
use clap::{Arg, ArgAction, Command, CommandFactory};
use std::ffi::OsString;

/// One example for each page, which its help begins with. Each is parsed by a test.
const EXAMPLES: &[(&str, &str)] = &[
    ("pfh", "pfh hash -r -a md5,sha256 -o list evidence/"),
    ("hash", "pfh hash -r -a md5,sha256 -o list evidence/"),
    ("compare", "pfh compare -r -a ssdeep --threshold 60 samples/"),
    ("match", "pfh match -r -k nsrl.pfhknown -k malware.txt --class bad evidence/"),
    ("acquire", "pfh acquire /dev/sdb --to case12.E01 --case 12 --examiner Ada"),
    ("disks", "pfh disks"),
    ("selftest", "pfh selftest /mnt/nas"),
    ("dd", "pfh dd if=/dev/sdb of=disk.img hash=sha256 hashlog=disk.log"),
    ("verify", "pfh verify case12.E01"),
    ("check", "pfh check list"),
    ("diff", "pfh diff original/ copy/"),
    ("dups", "pfh dups photos/ backup/"),
    ("bag", "pfh bag validate deposit/"),
    ("bag create", "pfh bag create -a sha256,sha512 deposit/"),
    ("bag validate", "pfh bag validate deposit/"),
    ("bag update", "pfh bag update deposit/"),
    ("report", "pfh report case12/ --html case12/report.html"),
    ("export", "pfh export case12.jsonl --to timesketch -o case12.csv"),
    ("schema", "pfh schema hash"),
    ("plan", "pfh plan -r archive/ --unit 2GiB -o PLAN/"),
    ("run", "pfh run PLAN/ --unit 3"),
    ("merge", "pfh merge PLAN/ -o archive.sums"),
    ("list", "pfh list case12.E01"),
    ("cat", "pfh cat case12.E01!/p2/Users/ada/notes.txt -o notes.txt"),
    ("extract", "pfh extract case12.E01 --to files/"),
    ("info", "pfh info case12.E01"),
    ("lookup", "pfh lookup -k nsrl.pfhknown --digest d41d8cd98f00b204e9800998ecf8427e"),
    ("known", "pfh known build --good NSRLFile.txt --bad malware.txt sets.pfhknown"),
    ("known build", "pfh known build --good NSRLFile.txt --bad malware.txt sets.pfhknown"),
    ("known export", "pfh known export sets.pfhknown bad-md5.idx --to idx --class bad"),
    ("known info", "pfh known info --verify sets.pfhknown"),
    ("algorithms", "pfh algorithms"),
    ("tree", "pfh tree build disk.img"),
    ("tree build", "pfh tree build disk.img"),
    ("tree update", "pfh tree update disk.img --range 64KiB:4096"),
    ("tree watch", "pfh tree watch case12/"),
    ("tree append", "pfh tree append disk.img"),
    ("tree receive", "pfh tree receive -o disk.img 0=part0 1GiB=part1"),
    ("tree check", "pfh tree check disk.img"),
    ("tree diff", "pfh tree diff disk.img disk.img.yesterday.pfhtree"),
    ("tree prove", "pfh tree prove disk.img --range 64KiB:4096 -o part"),
    ("tree verify", "pfh tree verify part --root af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
    ("tree root", "pfh tree root --as fs-verity program"),
    ("tree export", "pfh tree export disk.img --obao disk.img.obao"),
    ("tree import", "pfh tree import disk.img --obao disk.img.obao"),
    ("audit", "pfh audit commit disk.img -o kept"),
    ("audit commit", "pfh audit commit disk.img -o kept"),
    ("audit challenge", "pfh audit challenge kept --find 1% --confidence .99 -o c"),
    ("audit prove", "pfh audit prove c disk.img -o p"),
    ("audit verify", "pfh audit verify kept c p"),
    ("audit tokens", "pfh audit tokens kept --data disk.img --count 365 -o tokens"),
    ("audit renew", "pfh audit renew kept update"),
    ("audit demo", "pfh audit demo"),
    ("audit serve", "pfh audit serve case12/"),
    ("audit ask", "pfh audit ask http://storage:8417 kept"),
    ("bench", "pfh bench self"),
    ("bench languages", "pfh bench languages --list"),
    ("bench report", "pfh bench report study/"),
    ("bench sizes", "pfh bench sizes evidence/"),
    ("bench forecast", "pfh bench forecast --like evidence/"),
    ("bench self", "pfh bench self"),
    ("bench papers", "pfh bench papers --list"),
    ("bench fit", "pfh bench fit results.csv"),
    ("completions", "pfh completions bash"),
    ("man", "pfh man target/man/"),
];

/// Options that measurements, odd media and tests need; `--help-all` and the man pages show them.
const EXPERT: &[&str] = &[
    "binary",
    "cache_verify",
    "cached",
    "expand",
    "io",
    "map_as_faults",
    "map_interval",
    "max_slow",
    "mode",
    "no_sandbox",
    "order",
    "prefetchers",
    "readers",
    "skip_holes",
    "special",
    "stall_timeout",
    "stats",
    "suffix",
    "system",
];

/// Options that systems other than Windows refuse: there they are shown with those for experts.
const WINDOWS: &[&str] = &["hold", "streams"];

/// Options of every command, which the short help leaves to the long one.
const EVERYWHERE: &[&str] = &["no_config", "on_finish", "profile"];

/// The words of `-h` about itself, and those of `--help`.
const SEE_MORE: &str = "Print help (see more with '--help')";
const SEE_LESS: &str = "Print help (see a summary with '-h')";

/// Headings of the help, with their options; all other options are about the work.
const HEADINGS: &[(&str, &[&str])] = &[
    (
        "Input",
        &[
            "against",
            "below",
            "deleted",
            "depth",
            "documents",
            "exclude",
            "expand",
            "files_from",
            "follow",
            "hold",
            "image",
            "include",
            "inside",
            "known",
            "digests",
            "max_size",
            "min_size",
            "no_lists",
            "no_snapshots",
            "null",
            "one_file_system",
            "only_changed",
            "order",
            "recursive",
            "root",
            "salvage",
            "similar",
            "special",
            "streams",
            "system",
            "versions",
            "zero_lists",
        ],
    ),
    (
        "Output",
        &[
            "all",
            "binary",
            "dry_run",
            "force",
            "format",
            "html",
            "json",
            "lenient",
            "level",
            "log",
            "only",
            "output",
            "quiet",
            "redundant",
            "script",
            "seal",
            "status",
            "strict",
            "verbose",
            "warn",
            "wording",
            "zero",
        ],
    ),
    (
        "Tuning",
        &[
            "cache",
            "cache_verify",
            "io",
            "memory",
            "mode",
            "no_progress",
            "no_sandbox",
            "prefetchers",
            "retries",
            "stall_timeout",
            "stats",
            "threads",
        ],
    ),
];

/// The options on the one screen of `pfh hash -h`, each with the sentence that fits a line of 80
/// columns; `None` keeps its own.
const SCREEN: &[(&str, Option<&str>)] = &[
    ("paths", None),
    ("recursive", None),
    ("algorithms", Some("Any of `pfh algorithms`, by commas")),
    ("format", Some("sums, bsd, hashdeep, dfxml …")),
    ("output", None),
    ("force", None),
    ("files_from", Some("Read paths from a file (-: standard input)")),
    ("image", Some("The files are disk images: hash their content")),
    ("inside", Some("Also read files in images and archives")),
    ("include", Some("Take only files that match")),
    ("exclude", Some("Leave out matching names")),
    ("cache", Some("Do not read unchanged files again")),
    ("threads", None),
    ("help", None),
    ("help_all", None),
];

/// The whole command line, with its help as the user sees it. `all` shows the options for experts.
#[cfg(test)]
pub fn command(all: bool) -> Command {
    command_with(all, false)
}

/// The command line whose pages are names: [`open`] gives those that are typed their options, so
/// that a start does not pay for the options of all commands.
pub fn names() -> Command {
    let everything = Arg::new("help_all")
        .long("help-all")
        .action(ArgAction::HelpLong)
        .global(true)
        .display_order(1000)
        .help("Print help with the options for experts");
    let mut root = Cli::command().arg(everything);
    build(&mut root);
    root
}

/// Builds this page, and none below it: clap does so before it prints a usage. The sentence of the
/// list of commands stays the page's own.
fn build(page: &mut Command) {
    let about = page.get_about().cloned().unwrap_or_default();
    // A page has a long help only if it had one when it was built; [`dressed`] writes it.
    if page.get_after_long_help().is_none() {
        *page = std::mem::take(page).after_long_help("");
    }
    let _ = page.render_usage();
    *page = std::mem::take(page).about(about);
}

/// Gives the pages that words lead to their options.
pub fn open(root: &mut Command, words: &[OsString]) {
    let mut page = root;
    for word in words {
        let Some(below) = page.find_subcommand_mut(word) else { return };
        build(below);
        page = below;
    }
}

/// The whole command line, built, without what the help adds.
pub fn whole() -> Command {
    fn below(page: &mut Command) {
        build(page);
        page.get_subcommands_mut().for_each(below);
    }
    let mut root = names();
    below(&mut root);
    root.build();
    root
}

/// The whole command line for these arguments, with its help as the user sees it: `--help-all`
/// shows the options for experts, and a page that fits one screen has no headings.
pub fn command_for(arguments: &[OsString]) -> Command {
    let (all, brief) = is_dressed(arguments);
    command_with(all, brief)
}

/// Whether the arguments ask for all of the help, and for the one screen of it.
fn is_dressed(arguments: &[OsString]) -> (bool, bool) {
    let brief = arguments.iter().take_while(|word| *word != "--").any(|word| word == "-h");
    (is_all(arguments), brief)
}

fn command_with(all: bool, brief: bool) -> Command {
    dressed(whole(), "", all, brief)
}

/// Whether the arguments ask for all of the help.
fn is_all(arguments: &[std::ffi::OsString]) -> bool {
    arguments.iter().take_while(|word| *word != "--").any(|word| word == "--help-all")
}

/// The arguments that ask for a page of help by an option, of those that ask for it by the command
/// `help`.
pub fn asked(arguments: &[OsString]) -> Option<Vec<OsString>> {
    let (first, page) = arguments.split_first()?;
    if first != "help" {
        return None;
    }
    let page = page.iter().filter(|word| *word != "--help").cloned();
    Some(page.chain([OsString::from("--help")]).collect())
}

/// The text below the options of a page: its notes, three examples, and the meaning of its exit
/// codes.
pub struct Below {
    /// The text.
    pub text: String,
    /// A description, if there is one, and the command.
    pub examples: Vec<(Option<&'static str>, &'static str)>,
    /// The meaning of the exit codes.
    pub codes: String,
}

/// The words of a command's own below its options.
pub fn said(command: &Command) -> String {
    let long = command.get_after_long_help().filter(|long| !long.to_string().is_empty());
    long.or(command.get_after_help()).map(ToString::to_string).unwrap_or_default()
}

/// The same for a page whose command states this itself.
pub fn below(path: &str, said: &str) -> Below {
    let start = said.find("Exit codes:").unwrap_or(said.len());
    let end = said[start..].find("\n\n").map_or(said.len(), |at| start + at);
    let codes = if start < said.len() { &said[start..end] } else { EXIT_CODES };
    let text = format!("{}{}", said[..start].trim_end(), &said[end..]);
    let more = MORE.iter().find(|(page, _)| *page == if path.is_empty() { "pfh" } else { path });
    let more = more.iter().flat_map(|(_, examples)| examples.iter().map(|(why, what)| (Some(*why), *what)));
    let examples = example(path).map(|example| (None, example)).into_iter().chain(more).collect();
    Below { text: filled(&text), examples, codes: filled(codes) }
}

impl Below {
    /// As the help shows it.
    fn help(&self) -> String {
        let examples = self.examples.iter().map(|(why, what)| match why {
            Some(why) => format!("  # {why}\n  {what}\n"),
            None => format!("  {what}\n"),
        });
        let before = if self.text.is_empty() { String::new() } else { format!("{}\n\n", self.text) };
        format!("{before}Examples:\n{}\n{}", examples.collect::<String>(), self.codes)
    }
}

fn dressed(mut command: Command, above: &str, all: bool, brief: bool) -> Command {
    let path = match (above, command.get_name()) {
        ("", "pfh") => String::new(),
        ("", name) => name.to_owned(),
        (above, name) => format!("{above} {name}"),
    };
    if let Some(example) = example(&path) {
        command = command.before_help(format!("Example: {example}"));
    }
    let is_screen = path == "hash";
    let below = below(&path, &said(&command)).help();
    command = command.after_long_help(below);
    command = command.mut_args(|arg| {
        let id = arg.get_id().as_str().to_owned();
        match id.as_str() {
            "help" => return arg.help(SEE_MORE).long_help(SEE_LESS),
            "version" => return arg,
            _ => {}
        }
        let expert = EXPERT.contains(&id.as_str()) || cfg!(not(windows)) && WINDOWS.contains(&id.as_str());
        let on_screen = SCREEN.iter().find(|(name, _)| *name == id);
        let short = match on_screen {
            Some((_, Some(short))) if is_screen => {
                let long = arg.get_long_help().or(arg.get_help()).cloned().unwrap_or_default();
                arg.help(*short).long_help(long)
            }
            _ => arg,
        };
        let everywhere = id == "help_all" || EVERYWHERE.contains(&id.as_str());
        let headed = if is_screen && brief { short } else { headed(short) };
        let is_long = expert || (everywhere && id != "help_all") || is_screen && on_screen.is_none();
        headed.hide_long_help(expert && !all).hide_short_help(is_long)
    });
    command.mut_subcommands(|below| dressed(below, &path, all, brief))
}

/// An option below the heading of its subject; those of every command have none.
pub fn headed(arg: Arg) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    if ["help", "help_all", "version"].contains(&id.as_str()) || EVERYWHERE.contains(&id.as_str()) {
        return arg;
    }
    let found = HEADINGS.iter().find(|(_, ids)| ids.contains(&id.as_str())).map(|(heading, _)| *heading);
    let heading = found.unwrap_or(if arg.is_positional() { "Input" } else { "Task" });
    arg.help_heading(heading)
}

fn example(path: &str) -> Option<&'static str> {
    let name = if path.is_empty() { "pfh" } else { path };
    EXAMPLES.iter().find(|(page, _)| *page == name).map(|(_, example)| *example)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(command: &Command, above: &str, visit: &mut dyn FnMut(&str, &Command)) {
        let path =
            if above.is_empty() { command.get_name().to_owned() } else { format!("{above} {}", command.get_name()) };
        visit(&path, command);
        let above = if path == "pfh" { "" } else { &path };
        command.get_subcommands().for_each(|below| pages(below, above, visit));
    }

    #[test]
    fn each_page_begins_with_an_example_that_parses() {
        let mut seen = 0;
        pages(&command(false), "", &mut |path, page| {
            let (_, example) =
                EXAMPLES.iter().find(|(name, _)| *name == path).unwrap_or_else(|| panic!("{path}: no example"));
            let shown = page.clone().term_width(200).render_help().to_string();
            assert!(shown.starts_with(&format!("Example: {example}\n")), "{shown}");
            let below = below(if path == "pfh" { "" } else { path }, "");
            assert_eq!(below.examples.len(), 3, "{path}");
            for (_, example) in &below.examples {
                let words: Vec<OsString> = example.split(' ').skip(1).map(OsString::from).collect();
                let words = asked(&words).unwrap_or(words);
                let parsed = command(false).try_get_matches_from(std::iter::once(OsString::from("pfh")).chain(words));
                let is_help = parsed.as_ref().is_err_and(|error| error.kind() == clap::error::ErrorKind::DisplayHelp);
                assert!(parsed.is_ok() || is_help, "{example}: {}", parsed.unwrap_err());
            }
            let long = page.clone().term_width(200).render_long_help().to_string();
            assert!(long.contains("\nExamples:\n") && long.contains("Exit codes: 0"), "{path}: {long}");
            seen += 1;
        });
        assert_eq!((seen, MORE.len()), (EXAMPLES.len(), EXAMPLES.len()), "examples of a page that is not there");
    }

    #[test]
    fn options_stand_below_what_they_are_about() {
        for (page, headings) in [
            ("hash", &["Input", "Task", "Output", "Tuning"][..]),
            ("check", &["Input", "Task", "Output", "Tuning"]),
            ("match", &["Input", "Task", "Output", "Tuning"]),
            ("compare", &["Input", "Task", "Output", "Tuning"]),
            ("dups", &["Input", "Task", "Output", "Tuning"]),
            ("diff", &["Input", "Task", "Output", "Tuning"]),
            ("list", &["Input", "Output"]),
            ("cat", &["Input", "Task", "Output"]),
        ] {
            let mut root = command(false);
            root.build();
            let text = root.find_subcommand_mut(page).unwrap().render_long_help().to_string();
            for heading in headings {
                assert!(text.contains(&format!("\n{heading}:\n")), "{page} {heading}: {text}");
            }
        }
        // Each name in the table is that of an option.
        let mut ids = std::collections::BTreeSet::new();
        pages(&command(false), "", &mut |_, page| {
            ids.extend(page.get_arguments().map(|arg| arg.get_id().as_str().to_owned()));
        });
        for id in HEADINGS.iter().flat_map(|(_, ids)| *ids) {
            assert!(ids.contains(*id), "{id} is not an option");
        }
    }

    #[test]
    fn the_short_help_of_hash_fits_one_screen() {
        let mut root = command_for(&["hash".into(), "-h".into()]).term_width(80);
        root.build();
        let text = root.find_subcommand_mut("hash").unwrap().render_help().to_string();
        assert!(text.lines().count() <= 24 && text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }

    #[test]
    fn options_for_experts_exist_and_are_shown_on_request_only() {
        for id in EXPERT {
            let mut found = 0;
            let [few, all] = [command(false), command(true)].map(|mut root| {
                root.build();
                root
            });
            pages(&few, "", &mut |path, page| {
                let Some(arg) = page.get_arguments().find(|arg| arg.get_id() == id) else { return };
                let long = format!("--{}", arg.get_long().unwrap());
                let is_in = |text: String| {
                    text.lines().any(|line| line.trim_start().split([' ', '=', ',']).any(|word| word == long))
                };
                assert!(!is_in(page.clone().render_long_help().to_string()), "{path} {long}");
                let words: Vec<&str> = path.split(' ').collect();
                let page = words.iter().fold(&all, |above, word| above.find_subcommand(word).unwrap_or(above));
                assert!(is_in(page.clone().render_long_help().to_string()), "{path} {long} with --help-all");
                found += 1;
            });
            assert!(found > 0, "{id} is not an option");
        }
    }
}
