//! The file of defaults: `[hash]` has those of `pfh hash`, `[known.build]` of `pfh known build`,
//! `[profile.case.hash]` those that `--profile case` adds.

use crate::exit::Failure;
use crate::pieces;
use clap::{ArgAction, Command};
use pfh::terminal::shown;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Options that are to be typed each time.
const NEVER: &[&str] = &["config", "force", "help", "help-all", "no-config", "on-finish", "profile", "version"];

/// A default: an option, and its values; none of a switch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preset {
    pub option: String,
    pub values: Vec<String>,
}

/// The file, looked through.
pub struct File<'a> {
    path: &'a Path,
    text: &'a str,
    table: DeTable<'a>,
}

/// Where the file is looked for: below `XDG_CONFIG_HOME`, or `.config` in the home directory.
pub fn place() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let folder = named("XDG_CONFIG_HOME").or_else(|| named("HOME").map(|home| home.join(".config")))?;
    Some(folder.join("pfh/config.toml"))
}

impl<'a> File<'a> {
    /// Reads the text, and looks at each line of it: an option that a command does not have is
    /// refused.
    ///
    /// # Errors
    /// The first line that makes no sense, with its number.
    pub fn read(path: &'a Path, text: &'a str, root: &Command) -> Result<File<'a>, Failure> {
        let table = DeTable::parse(text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(text, span.start));
            Failure::usage(format_args!("{}:{line}: {}", shown(path), error.message()))
        })?;
        let file = File { path, text, table: table.into_inner() };
        for (key, value) in &file.table {
            match (&**key.get_ref(), value.get_ref()) {
                ("profile", DeValue::Table(profiles)) => {
                    for (name, profile) in profiles {
                        let DeValue::Table(profile) = profile.get_ref() else {
                            let why = "a profile has a table for each command: [profile.NAME.hash]";
                            return Err(file.wrong(profile, name.get_ref(), why));
                        };
                        profile.iter().try_for_each(|(key, value)| file.table(root, "", key.get_ref(), value))?;
                    }
                }
                (key, _) => file.table(root, "", key, value)?,
            }
        }
        Ok(file)
    }

    fn wrong<T>(&self, at: &Spanned<T>, key: &str, why: impl std::fmt::Display) -> Failure {
        let line = line_of(self.text, at.span().start);
        Failure::usage(format_args!("{}:{line}: {key}: {why}", shown(self.path)))
    }

    /// Looks at the table of a command.
    fn table(&self, above: &Command, path: &str, name: &str, value: &Spanned<DeValue<'a>>) -> Result<(), Failure> {
        let path = if path.is_empty() { name.to_owned() } else { format!("{path} {name}") };
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value, name, "stands in no table: write [hash] for options of `pfh hash`"));
        };
        let Some(command) = above.get_subcommands().find(|command| command.get_name() == name) else {
            return Err(self.wrong(value, name, "there is no such command"));
        };
        for (key, value) in table {
            match value.get_ref() {
                DeValue::Table(_) => self.table(command, &path, key.get_ref(), value)?,
                _ => drop(self.preset(command, &path, key.get_ref(), value)?),
            }
        }
        Ok(())
    }

    /// One default.
    fn preset(
        &self,
        command: &Command,
        path: &str,
        key: &str,
        value: &Spanned<DeValue<'a>>,
    ) -> Result<Option<Preset>, Failure> {
        let option = format!("--{}", key.replace('_', "-"));
        let Some(arg) = pieces::option(command, &option).filter(|_| option.len() > 3) else {
            return Err(self.wrong(value, key, format_args!("pfh {path} has no option {option}")));
        };
        if NEVER.contains(&&option[2..]) {
            return Err(self.wrong(value, key, format_args!("{option} cannot be a default: type it")));
        }
        let is_switch = !arg.get_action().takes_values();
        let text = |value: &DeValue<'a>| match value {
            DeValue::String(text) => Some(text.to_string()),
            DeValue::Integer(number) => Some(number.as_str().replace('_', "")),
            DeValue::Float(number) => Some(number.as_str().replace('_', "")),
            _ => None,
        };
        let values = match value.get_ref() {
            DeValue::Boolean(true) if is_switch => Some(Vec::new()),
            DeValue::Boolean(false) if is_switch => return Ok(None),
            DeValue::Array(values) if !is_switch => values.iter().map(|value| text(value.get_ref())).collect(),
            one if !is_switch => text(one).map(|one| vec![one]),
            _ => None,
        };
        let Some(values) = values.filter(|values| values.len() < 2 || is_list(arg)) else {
            let due = match (is_switch, is_list(arg)) {
                (true, _) => "true or false",
                (_, true) => "a text, a number, or a list of them",
                _ => "a text or a number",
            };
            return Err(self.wrong(value, key, format_args!("{option} takes {due}")));
        };
        Ok(Some(Preset { option, values }))
    }

    /// The defaults of a command, those of the profile in place of others of the same option.
    ///
    /// # Errors
    /// When there is no such profile.
    pub fn defaults(&self, root: &Command, path: &str, profile: Option<&str>) -> Result<Vec<Preset>, Failure> {
        let mut defaults = self.of(root, path, &self.table)?;
        if let Some(name) = profile {
            let profiles = self.table.get("profile").map(Spanned::get_ref);
            let found = match profiles {
                Some(DeValue::Table(profiles)) => profiles.get(name).map(Spanned::get_ref),
                _ => None,
            };
            let Some(DeValue::Table(table)) = found else {
                return Err(Failure::usage(format_args!("{}: there is no [profile.{name}]", shown(self.path))));
            };
            for default in self.of(root, path, table)? {
                defaults.retain(|other| other.option != default.option);
                defaults.push(default);
            }
        }
        Ok(defaults)
    }

    fn of(&self, root: &Command, path: &str, table: &DeTable<'a>) -> Result<Vec<Preset>, Failure> {
        let (mut table, mut command) = (table, root);
        for name in path.split(' ') {
            let (Some(DeValue::Table(below)), Some(next)) =
                (table.get(name).map(Spanned::get_ref), command.find_subcommand(name))
            else {
                return Ok(Vec::new());
            };
            (table, command) = (below, next);
        }
        let options = table.iter().filter(|(_, value)| !matches!(value.get_ref(), DeValue::Table(_)));
        let found = options.map(|(key, value)| self.preset(command, path, key.get_ref(), value));
        found.filter_map(Result::transpose).collect()
    }
}

fn is_list(arg: &clap::Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
}

fn line_of(text: &str, at: usize) -> usize {
    text.as_bytes().iter().take(at).filter(|&&byte| byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Preset>, String> {
        let mut root = crate::help::command(false);
        root.build();
        let path = Path::new("config.toml");
        let file = File::read(path, text, &root).map_err(|error| error.to_string())?;
        file.defaults(&root, "hash", Some("case")).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_of_a_command_and_of_a_profile() {
        let text = "[hash]\nformat = 'csv'\nthreads = 2\n[profile.case.hash]\nformat = 'jsonl'\nalgorithm = ['md5', 'sha1']\nrecursive = true\n";
        let default = |option: &str, values: &[&str]| Preset {
            option: option.into(),
            values: values.iter().map(|value| (*value).to_owned()).collect(),
        };
        let mut found = read(text).expect("a file");
        found.sort_by(|one, other| one.option.cmp(&other.option));
        let expected = [
            default("--algorithm", &["md5", "sha1"]),
            default("--format", &["jsonl"]),
            default("--recursive", &[]),
            default("--threads", &["2"]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_makes_no_sense_is_named_with_its_line() {
        for (text, expected) in [
            (
                "[hash]\nalgoritm = 'md5'\n[profile.case.hash]\n",
                "config.toml:2: algoritm: pfh hash has no option --algoritm",
            ),
            ("[hash]\n\nforce = true\n", "config.toml:3: force: --force cannot be a default: type it"),
            ("[hash]\nrecursive = 'yes'\n", "config.toml:2: recursive: --recursive takes true or false"),
            ("[hash]\nformat = ['sums', 'csv']\n", "config.toml:2: format: --format takes a text or a number"),
            ("[hsah]\nformat = 'csv'\n", "config.toml:1: hsah: there is no such command"),
            ("format = 'csv'\n", "config.toml:1: format: stands in no table: write [hash] for options of `pfh hash`"),
            ("[hash]\nformat = \n", "config.toml:2: "),
            ("[hash]\nformat = 'csv'\n", "config.toml: there is no [profile.case]"),
        ] {
            let error = read(text).expect_err(text);
            assert!(error.starts_with(expected), "{text}: {error}");
        }
    }
}
