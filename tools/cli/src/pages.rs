//! Completions and man pages, made from the command line's own definition.

use crate::exit::{self, Exit};
use pfh::outputs::{Existing, Kind, Outputs};
use std::path::Path;

/// Prints the completions of one shell.
pub fn completions(shell: clap_complete::Shell) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut crate::values::known(crate::help::whole()), "pfh", &mut text);
    match exit::print(&text) {
        Ok(()) => Exit::Good,
        Err(error) => exit::of_output(&error),
    }
}

/// The pages' names: a page for each command and each command below it.
fn names(command: &clap::Command, above: &str, names: &mut Vec<String>) {
    let name = if above.is_empty() { command.get_name().to_owned() } else { format!("{above}-{}", command.get_name()) };
    names.push(format!("{name}.1"));
    command.get_subcommands().for_each(|below| self::names(below, &name, names));
}

/// Writes the page of a command and those below it.
fn pages(command: &clap::Command, above: &str, directory: &Path) -> std::io::Result<()> {
    let path = match (above, command.get_name()) {
        ("", "pfh") => String::new(),
        ("", name) => name.to_owned(),
        (above, name) => format!("{above} {name}"),
    };
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        pages(below, &path, directory)?;
    }
    let below = crate::help::below(&path, &crate::help::said(command));
    // A section of its own for each of the things that would stand together in EXTRA.
    let command = command.clone().mut_args(crate::help::headed);
    let page = clap_mangen::Man::new(command.after_help("EXTRA").after_long_help("EXTRA"));
    let text = rendered(&page)?;
    let text = text.replacen(".SH EXTRA\nEXTRA\n", &sections(&path, &below), 1);
    std::fs::write(directory.join(page.get_filename()), in_order(&text))
}

fn rendered(page: &clap_mangen::Man) -> std::io::Result<String> {
    let mut text = Vec::new();
    page.render(&mut text)?;
    String::from_utf8(text).map_err(std::io::Error::other)
}

/// The page of the paper's command line, whose help says examples and exit codes in its own words.
fn paper(directory: &Path) -> std::io::Result<()> {
    let command = crate::paper::page();
    let said = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let text = crate::filled::filled(said.split("As printed in the paper:").next().unwrap_or_default().trim_end());
    let examples = crate::examples::PAPER.iter().map(|(why, what)| (Some(*why), *what)).collect();
    let codes = crate::help::below("paper", &said).codes;
    let page = clap_mangen::Man::new(command.after_help("EXTRA"));
    let below = sections("paper", &crate::help::Below { text, examples, codes });
    std::fs::write(directory.join(page.get_filename()), rendered(&page)?.replacen(".SH EXTRA\nEXTRA\n", &below, 1))
}

/// Sections of options in the order in which the help has them.
fn in_order(text: &str) -> String {
    const ORDER: [&str; 4] = ["INPUT", "WHAT", "OUTPUT", "TUNING"];
    let mut sections: Vec<&str> = text.split_inclusive(".SH ").collect();
    // Each part ends with the mark that begins the next one.
    let places: Vec<usize> =
        (0..sections.len()).filter(|&n| ORDER.iter().any(|name| is_section(sections[n], name))).collect();
    let rank = |section: &str| ORDER.iter().position(|name| is_section(section, name));
    let mut sorted: Vec<&str> = places.iter().map(|&n| sections[n]).collect();
    sorted.sort_by_key(|section| rank(section));
    for (place, section) in places.into_iter().zip(sorted) {
        sections[place] = section;
    }
    sections.concat()
}

fn is_section(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| rest.starts_with('\n'))
}

/// The text of a page below the options, in roff.
fn sections(path: &str, below: &crate::help::Below) -> String {
    let mut text = String::new();
    if !below.text.is_empty() {
        text += ".SH NOTES\n";
        // Roff fills paragraphs, and leaves lists as they are laid out.
        let mut is_list = false;
        for line in below.text.lines() {
            let item = crate::filled::is_item(line);
            if item != is_list && !line.is_empty() {
                text += if item { ".nf\n" } else { ".fi\n.PP\n" };
                is_list = item;
            }
            text += &if line.is_empty() { ".PP\n".to_owned() } else { plain(line) };
        }
        text += if is_list { ".fi\n" } else { "" };
    }
    let examples = below.examples.iter().map(|(why, what)| match why {
        Some(why) => format!("# {why}\n{what}\n"),
        None => format!("{what}\n"),
    });
    text += &format!(".SH EXAMPLES\n.nf\n{}.fi\n", plain(&examples.collect::<String>()));
    let codes = below.codes.strip_prefix("Exit codes: ").unwrap_or(&below.codes);
    text += &format!(".SH EXIT STATUS\n{}", plain(codes));
    let above =
        path.rsplit_once(' ').map(|(above, _)| format!("pfh-{above}(1), ").replace(' ', "-").replace(",-", ", "));
    if !path.is_empty() {
        text += &format!(".SH SEE ALSO\n{}", plain(&format!("{}pfh(1)", above.unwrap_or_default())));
    }
    text
}

/// Lines as roff prints them.
fn plain(text: &str) -> String {
    let line = |line: &str| {
        let escaped = line.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        if escaped.starts_with('.') { format!("\\&{escaped}\n") } else { escaped + "\n" }
    };
    text.lines().map(line).collect()
}

/// Writes `pfh.1` and a page per command into a directory. Pages that were made so before are
/// replaced, other files are not.
pub fn man(directory: &Path, force: bool) -> Exit {
    let mut all = Vec::new();
    let root = crate::help::whole();
    names(&root, "", &mut all);
    names(&crate::paper::page(), "", &mut all);
    let mut outputs = Outputs::new(force);
    outputs.writes("DIRECTORY", directory, Kind::Directory, Existing::Welcome);
    if directory.is_dir() {
        for name in all {
            outputs.writes("DIRECTORY", directory.join(name), Kind::File, Existing::Own(0, b".ie \\n(.g"));
        }
    }
    if let Err(refused) = outputs.check() {
        exit::say(refused);
        return Exit::Usage;
    }
    let made =
        std::fs::create_dir_all(directory).and_then(|()| pages(&root, "", directory)).and_then(|()| paper(directory));
    match made {
        Ok(()) => Exit::Good,
        Err(error) => {
            exit::say(format!("{}: {error}", pfh::terminal::shown(directory)));
            Exit::Aborted
        }
    }
}
