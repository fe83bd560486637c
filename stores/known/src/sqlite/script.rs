//! Takes an SQL script apart into its statements, in bounded memory. A script here has no triggers,
//! so that a statement ends at the first semicolon that is in no string, no quoted name and no
//! comment (SQLite, "SQL As Understood By SQLite", comments and keywords).

use std::io::{self, BufRead};

/// The longest statement in bytes. One row of RDSv3 is far below; some put hundreds of rows into
/// one INSERT.
pub const LONGEST: usize = 4 << 20;

/// A statement.
#[derive(Debug, PartialEq, Eq)]
pub struct Statement {
    /// The line on which it starts, from 1.
    pub line: u64,
    /// Its text without comments and without the semicolon.
    pub text: String,
}

impl Statement {
    /// The word that it starts with, in capitals; empty where it starts with something else.
    pub fn verb(&self) -> String {
        self.text.chars().take_while(char::is_ascii_alphabetic).take(16).collect::<String>().to_ascii_uppercase()
    }
}

/// Why a script cannot be read on.
#[derive(Debug)]
pub enum ScriptFault {
    /// The system's own error.
    Io(io::Error),
    /// The fault of the statement that starts on this line.
    At(u64, &'static str),
}

/// Where in a statement the next byte is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Plain,
    /// In a quoted part that ends with this byte; a doubled end only opens the next part of it.
    Quoted(u8),
    LineComment,
    /// In a comment whose last byte was this.
    BlockComment(u8),
}

/// Reads a script.
pub struct Script<R> {
    reader: R,
    /// Line ends that were read.
    ends: u64,
}

impl<R: BufRead> Script<R> {
    pub fn new(reader: R) -> Script<R> {
        Script { reader, ends: 0 }
    }

    /// The next statement; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Statement>, ScriptFault> {
        let (mut text, mut line) = (Vec::new(), 0);
        let mut place = Place::Plain;
        loop {
            let available = match self.reader.fill_buf() {
                Ok(available) => available,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(ScriptFault::Io(error)),
            };
            if available.is_empty() {
                let open = !text.is_empty() || matches!(place, Place::BlockComment(_));
                let line = if line == 0 { self.ends + 1 } else { line };
                return if open { Err(ScriptFault::At(line, "cut off: it has no end")) } else { Ok(None) };
            }
            let mut read = 0;
            let mut whole = false;
            for &byte in available {
                read += 1;
                let first = text.is_empty();
                if first && place == Place::Plain {
                    line = self.ends + 1;
                }
                self.ends += u64::from(byte == b'\n');
                place = step(place, byte, &mut text);
                if place == Place::Plain && byte == b';' && text.last() == Some(&b';') {
                    text.pop();
                    // An empty statement is none.
                    if !text.trim_ascii().is_empty() {
                        whole = true;
                        break;
                    }
                    text.clear();
                }
                if text.len() > LONGEST {
                    break;
                }
            }
            self.reader.consume(read);
            if text.len() > LONGEST {
                return Err(ScriptFault::At(line, "a statement of more than 4 MiB"));
            }
            if whole {
                if text.contains(&0) {
                    return Err(ScriptFault::At(line, "a NUL byte"));
                }
                let text = String::from_utf8(text).map_err(|_| ScriptFault::At(line, "not UTF-8"))?;
                return Ok(Some(Statement { line, text }));
            }
        }
    }
}

/// Takes a byte to its place in a statement; gives the place of the next.
fn step(place: Place, byte: u8, text: &mut Vec<u8>) -> Place {
    match place {
        Place::Quoted(end) => {
            text.push(byte);
            if byte == end { Place::Plain } else { place }
        }
        Place::LineComment if byte == b'\n' => end_of_comment(text),
        Place::LineComment => place,
        Place::BlockComment(b'*') if byte == b'/' => end_of_comment(text),
        Place::BlockComment(_) => Place::BlockComment(byte),
        Place::Plain => {
            let last = text.last().copied();
            match (last, byte) {
                (Some(b'-'), b'-') => {
                    text.pop();
                    return Place::LineComment;
                }
                (Some(b'/'), b'*') => {
                    text.pop();
                    return Place::BlockComment(0);
                }
                // Space and byte order marks in front of a statement are none of it.
                (None, byte) if byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF) => return place,
                _ => {}
            }
            text.push(byte);
            match byte {
                b'\'' | b'"' | b'`' => Place::Quoted(byte),
                b'[' => Place::Quoted(b']'),
                _ => Place::Plain,
            }
        }
    }
}

/// A comment parts words.
fn end_of_comment(text: &mut Vec<u8>) -> Place {
    if !text.is_empty() {
        text.push(b' ');
    }
    Place::Plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::BufReader;

    fn all(script: &[u8]) -> Result<Vec<(u64, String)>, String> {
        let mut script = Script::new(BufReader::with_capacity(3, script));
        let mut found = Vec::new();
        loop {
            match script.next() {
                Ok(None) => return Ok(found),
                Ok(Some(statement)) => found.push((statement.line, statement.text)),
                Err(ScriptFault::At(line, why)) => return Err(format!("{line}: {why}")),
                Err(ScriptFault::Io(error)) => return Err(error.to_string()),
            }
        }
    }

    fn lines(expected: &[(u64, &str)]) -> Result<Vec<(u64, String)>, String> {
        Ok(expected.iter().map(|(line, text)| (*line, (*text).to_owned())).collect())
    }

    #[test]
    fn a_semicolon_ends_a_statement_only_where_it_is_one() {
        let script = "\u{feff}-- a; comment\nINSERT INTO t VALUES('a;''b','--c');\n\n;; /* ; */\nDELETE/**/FROM \"t;\"\n WHERE x='\n;' - -1;\
            UPDATE [a;b] SET `c;`=1/*/;*/ ; -- the end";
        let expected = [
            (2, "INSERT INTO t VALUES('a;''b','--c')"),
            (5, "DELETE FROM \"t;\"\n WHERE x='\n;' - -1"),
            (7, "UPDATE [a;b] SET `c;`=1  "),
        ];
        assert_eq!(all(script.as_bytes()), lines(&expected));
        assert_eq!(Statement { line: 1, text: "insert into t".into() }.verb(), "INSERT");
        assert_eq!(Statement { line: 1, text: ".read x".into() }.verb(), "");
    }

    #[test]
    fn what_is_cut_off_or_no_text() {
        for (script, why) in [
            (&b"DELETE FROM t;\n\nDELETE FROM u"[..], "3: cut off: it has no end"),
            (b"DELETE FROM t WHERE a='x;", "1: cut off: it has no end"),
            (b"\n/* DELETE FROM t;", "2: cut off: it has no end"),
            (b"DELETE FROM t WHERE a='\0';", "1: a NUL byte"),
            (b"\nDELETE FROM t WHERE a='\xff';", "2: not UTF-8"),
        ] {
            assert_eq!(all(script), Err(why.to_owned()), "{script:?}");
        }
        let long = format!("DELETE FROM t WHERE a='{}';", "x".repeat(LONGEST));
        assert_eq!(all(long.as_bytes()), Err("1: a statement of more than 4 MiB".to_owned()));
        assert_eq!(all(b" \n -- nothing\n"), lines(&[]));
    }

    proptest! {
        /// With any strings and comments, statements come back one by one.
        #[test]
        fn statements_come_back(parts in prop::collection::vec(("[a-c;'\\-/* \n\"\\[]{0,12}", "[a-c;'/* \"]{0,9}"), 0..8)) {
            let mut script = String::new();
            let mut expected = Vec::new();
            for (value, comment) in &parts {
                let value = value.replace('\'', "''");
                script.push_str(&format!("-- {comment}\nINSERT INTO t VALUES('{value}');\n"));
                expected.push(format!("INSERT INTO t VALUES('{value}')"));
            }
            let found: Vec<String> = all(script.as_bytes()).expect("whole").into_iter().map(|(_, text)| text).collect();
            prop_assert_eq!(found, expected);
        }
    }
}
