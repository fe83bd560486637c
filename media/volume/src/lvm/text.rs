//! The text of metadata: sections `name { … }`, values `key = 1`, `key = "text"`, `key = ["a", 1]`.

use pfh_bytes::field::failure;
use pfh_bytes::node::Failure;

/// How deep sections may lie in one another; LVM2 writes four levels.
const DEEPEST: usize = 16;

/// The value behind a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A text in quotation marks.
    Text(String),
    /// Values in brackets.
    List(Vec<Value>),
    /// A section.
    Section(Section),
}

/// Names and the values behind them, in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Section(pub Vec<(String, Value)>);

impl Section {
    /// The value behind a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// A number by its name.
    pub fn number(&self, name: &str) -> Option<u64> {
        if let Some(Value::Number(number)) = self.get(name) { Some(*number) } else { None }
    }

    /// A text by its name.
    pub fn text(&self, name: &str) -> Option<&str> {
        if let Some(Value::Text(text)) = self.get(name) { Some(text) } else { None }
    }

    /// The values of a list by its name.
    pub fn list(&self, name: &str) -> &[Value] {
        if let Some(Value::List(values)) = self.get(name) { values } else { &[] }
    }

    /// A section by its name.
    pub fn section(&self, name: &str) -> Option<&Section> {
        if let Some(Value::Section(section)) = self.get(name) { Some(section) } else { None }
    }

    /// The sections in it, by their names.
    pub fn sections(&self) -> impl Iterator<Item = (&str, &Section)> {
        self.0.iter().filter_map(|(name, value)| match value {
            Value::Section(section) => Some((name.as_str(), section)),
            _ => None,
        })
    }
}

/// Parses a text.
pub fn parse(text: &str) -> Result<Section, Failure> {
    let mut reader = Reader { rest: text, left: text.len() };
    let section = reader.section(0)?;
    if reader.rest.is_empty() { Ok(section) } else { Err(reader.wrong("more closing braces than opening ones")) }
}

struct Reader<'a> {
    rest: &'a str,
    left: usize,
}

impl Reader<'_> {
    fn wrong(&self, cause: &str) -> Failure {
        failure(None, format!("LVM2's metadata, byte {}: {cause}", self.left - self.rest.len()))
    }

    /// Passes white space and comments; the next character.
    fn peek(&mut self) -> Option<char> {
        loop {
            self.rest = self.rest.trim_start();
            if !self.rest.starts_with('#') {
                return self.rest.chars().next();
            }
            self.rest = self.rest.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }

    fn take(&mut self, mark: char) -> bool {
        let found = self.peek() == Some(mark);
        if found {
            self.rest = &self.rest[mark.len_utf8()..];
        }
        found
    }

    /// Reads up to the section's closing brace, or the outermost section up to the end.
    fn section(&mut self, depth: usize) -> Result<Section, Failure> {
        let mut found = Section::default();
        loop {
            match self.peek() {
                None if depth == 0 => return Ok(found),
                Some('}') if depth > 0 => return Ok(found),
                None => return Err(self.wrong("a section that does not end")),
                Some(_) => {}
            }
            let is_name = |char: char| char.is_ascii_alphanumeric() || "._+-/".contains(char);
            let length = self.rest.find(|char| !is_name(char)).unwrap_or(self.rest.len());
            if length == 0 {
                return Err(self.wrong("no name"));
            }
            let name = self.rest[..length].to_owned();
            self.rest = &self.rest[length..];
            let value = if self.take('{') {
                if depth >= DEEPEST {
                    return Err(self.wrong("sections too deep in one another"));
                }
                let section = self.section(depth + 1)?;
                self.take('}');
                Value::Section(section)
            } else if self.take('=') {
                self.value(true)?
            } else {
                return Err(self.wrong("neither a value nor a section"));
            };
            found.0.push((name, value));
        }
    }

    fn value(&mut self, lists: bool) -> Result<Value, Failure> {
        match self.peek() {
            Some('"') => {
                let mut out = String::new();
                let mut chars = self.rest.char_indices().skip(1);
                while let Some((at, char)) = chars.next() {
                    match char {
                        '"' => {
                            self.rest = &self.rest[at + 1..];
                            return Ok(Value::Text(out));
                        }
                        '\\' => out.extend(chars.next().map(|(_, char)| char)),
                        other => out.push(other),
                    }
                }
                Err(self.wrong("a text that does not end"))
            }
            Some('[') if lists => {
                self.take('[');
                let mut values = Vec::new();
                while !self.take(']') {
                    values.push(self.value(false)?);
                    self.take(',');
                }
                Ok(Value::List(values))
            }
            _ => {
                let is_number = |char: char| char.is_ascii_digit() || "-.".contains(char);
                let length = self.rest.find(|char| !is_number(char)).unwrap_or(self.rest.len());
                let (number, rest) = self.rest.split_at(length);
                if number.is_empty() {
                    return Err(self.wrong("no value"));
                }
                self.rest = rest;
                // Numbers below zero and with fractions are settings that nothing here asks for.
                Ok(Value::Number(number.parse().unwrap_or(u64::MAX)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_values_and_lists() {
        let text = "# comment\nvg { id = \"a\\\"b\" seqno = 3 # more\n flags = []\n \
                    lv { stripes = [ \"pv0\", 7 ] } }\ncontents = \"x\"\n";
        let found = parse(text).unwrap();
        let vg = found.section("vg").unwrap();
        assert_eq!((vg.text("id"), vg.number("seqno"), vg.list("flags")), (Some("a\"b"), Some(3), &[][..]));
        let stripes = vg.section("lv").unwrap().list("stripes");
        assert_eq!(stripes, [Value::Text("pv0".into()), Value::Number(7)]);
        for wrong in ["a {", "a", "a = ", "a = [1", "a = \"x", "}", "a = [[1]]", &"a {".repeat(99), "= 1"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
