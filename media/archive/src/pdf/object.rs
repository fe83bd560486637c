//! Objects in their written form (ISO 32000-1, 7.2 and 7.3).

use super::cursor::Cursor;
use std::io;

/// How deep arrays and dictionaries may lie in one another.
const DEPTH: u32 = 96;
/// Objects within one object.
const PARTS: u32 = 1 << 20;
/// Bytes of one name, number or word.
const WORD: usize = 4096;
/// Bytes of one string.
const STRING: usize = 4 << 20;

/// An object.
#[derive(Debug, Clone, PartialEq)]
pub enum Object {
    Null,
    Boolean(bool),
    Integer(i64),
    Real,
    Name(Vec<u8>),
    Text(Vec<u8>),
    Array(Vec<Object>),
    Dictionary(Dictionary),
    /// Another object, by its number.
    Reference(u32),
    /// A word such as `obj`, which is not an object.
    Word(Vec<u8>),
}

/// Names and their objects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dictionary(pub Vec<(Vec<u8>, Object)>);

impl Dictionary {
    /// The object of this name; the last one if the name is there twice.
    pub fn get(&self, name: &str) -> Option<&Object> {
        self.0.iter().rev().find(|(key, _)| key == name.as_bytes()).map(|(_, object)| object)
    }

    /// The name that this name stands for.
    pub fn name(&self, name: &str) -> Option<&[u8]> {
        self.get(name).and_then(Object::name)
    }

    /// The number of this name, if it stands here itself.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name).and_then(Object::integer)
    }
}

impl Object {
    /// As a name.
    pub fn name(&self) -> Option<&[u8]> {
        if let Object::Name(name) = self { Some(name) } else { None }
    }

    /// As a number.
    pub fn integer(&self) -> Option<i64> {
        if let Object::Integer(number) = self { Some(*number) } else { None }
    }

    /// As a reference.
    pub fn reference(&self) -> Option<u32> {
        if let Object::Reference(number) = self { Some(*number) } else { None }
    }

    /// As the word `word`.
    pub fn is_word(&self, word: &[u8]) -> bool {
        matches!(self, Object::Word(found) if found == word)
    }
}

/// Whether a byte stands between words.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, 0 | 9 | 10 | 12 | 13 | 32)
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%')
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

/// Goes behind space and comments.
pub fn skip_space(cursor: &mut Cursor) -> io::Result<()> {
    while let Some(byte) = cursor.peek()? {
        if byte == b'%' {
            while cursor.peek()?.is_some_and(|byte| byte != b'\n' && byte != b'\r') {
                cursor.skip(1);
            }
        } else if !is_space(byte) {
            break;
        } else {
            cursor.skip(1);
        }
    }
    Ok(())
}

/// The next object; a closing bracket is a word. `None` at the end.
///
/// # Errors
/// The medium's, and `InvalidData` of bytes that are not an object, or of one that is too large.
pub fn parse(cursor: &mut Cursor) -> io::Result<Option<Object>> {
    Parser { cursor, left: PARTS }.object(DEPTH)
}

struct Parser<'a> {
    cursor: &'a mut Cursor,
    /// Objects that may still come.
    left: u32,
}

impl Parser<'_> {
    fn object(&mut self, depth: u32) -> io::Result<Option<Object>> {
        skip_space(self.cursor)?;
        self.left = self.left.checked_sub(1).ok_or_else(|| wrong("an object of too many parts"))?;
        let Some(byte) = self.cursor.peek()? else { return Ok(None) };
        Ok(Some(match byte {
            b'/' => Object::Name(self.name()?),
            b'(' => Object::Text(self.text()?),
            b'[' => self.array(depth)?,
            b'<' => {
                self.cursor.skip(1);
                match self.cursor.peek()? {
                    Some(b'<') => {
                        self.cursor.skip(1);
                        self.dictionary(depth)?
                    }
                    _ => Object::Text(self.digits()?),
                }
            }
            b'>' => {
                self.cursor.skip(1);
                if self.cursor.peek()? != Some(b'>') {
                    return Err(wrong("a '>' without its '<'"));
                }
                self.cursor.skip(1);
                Object::Word(b">>".to_vec())
            }
            b']' | b'{' | b'}' | b')' => {
                self.cursor.skip(1);
                Object::Word(vec![byte])
            }
            _ => self.word()?,
        }))
    }

    fn plain(&mut self) -> io::Result<Vec<u8>> {
        let mut word = Vec::new();
        while let Some(byte) = self.cursor.peek()?.filter(|byte| !is_space(*byte) && !is_delimiter(*byte)) {
            if word.len() == WORD {
                return Err(wrong("a word that is too long"));
            }
            word.push(byte);
            self.cursor.skip(1);
        }
        Ok(word)
    }

    fn name(&mut self) -> io::Result<Vec<u8>> {
        self.cursor.skip(1);
        let raw = self.plain()?;
        let (mut name, mut at) = (Vec::with_capacity(raw.len()), 0);
        while at < raw.len() {
            let digits = raw.get(at + 1..at + 3).filter(|_| raw[at] == b'#');
            match digits.and_then(|digits| Some(nibble(digits[0])? << 4 | nibble(digits[1])?)) {
                Some(byte) => {
                    name.push(byte);
                    at += 3;
                }
                None => {
                    name.push(raw[at]);
                    at += 1;
                }
            }
        }
        Ok(name)
    }

    /// A number, a reference, a constant, or another word.
    fn word(&mut self) -> io::Result<Object> {
        let word = self.plain()?;
        let Some(number) = integer(&word) else {
            return Ok(match &word[..] {
                b"null" => Object::Null,
                b"true" => Object::Boolean(true),
                b"false" => Object::Boolean(false),
                _ if is_real(&word) => Object::Real,
                _ => Object::Word(word),
            });
        };
        if !word[0].is_ascii_digit() {
            return Ok(Object::Integer(number));
        }
        // `12 0 R` is a reference, `12 0` two numbers.
        let after = self.cursor.place();
        if let Some(number) = u32::try_from(number).ok().filter(|_| self.is_reference().unwrap_or(false)) {
            return Ok(Object::Reference(number));
        }
        self.cursor.seek(after);
        Ok(Object::Integer(number))
    }

    /// Whether a generation and `R` follow; the cursor is behind them then.
    fn is_reference(&mut self) -> io::Result<bool> {
        if !self.cursor.peek()?.is_some_and(is_space) {
            return Ok(false);
        }
        skip_space(self.cursor)?;
        if !self.cursor.peek()?.is_some_and(|byte| byte.is_ascii_digit()) {
            return Ok(false);
        }
        let generation = self.plain()?;
        if generation.len() > 5 || integer(&generation).is_none() {
            return Ok(false);
        }
        skip_space(self.cursor)?;
        if self.cursor.next()? != Some(b'R') {
            return Ok(false);
        }
        Ok(self.cursor.peek()?.is_none_or(|byte| is_space(byte) || is_delimiter(byte)))
    }

    /// A string in parentheses.
    fn text(&mut self) -> io::Result<Vec<u8>> {
        self.cursor.skip(1);
        let (mut text, mut open) = (Vec::new(), 1_u64);
        while let Some(byte) = self.cursor.next()? {
            if text.len() > STRING {
                return Err(wrong("a string that is too long"));
            }
            match byte {
                b'(' => open += 1,
                b')' => {
                    open -= 1;
                    if open == 0 {
                        return Ok(text);
                    }
                }
                b'\\' => {
                    if let Some(byte) = self.escaped()? {
                        text.push(byte);
                    }
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
        Err(wrong("a string without its end"))
    }

    /// The byte behind a backslash; `None` for an end of line.
    fn escaped(&mut self) -> io::Result<Option<u8>> {
        Ok(match self.cursor.next()? {
            Some(b'n') => Some(b'\n'),
            Some(b'r') => Some(b'\r'),
            Some(b't') => Some(b'\t'),
            Some(b'b') => Some(8),
            Some(b'f') => Some(12),
            Some(b'\r') => {
                if self.cursor.peek()? == Some(b'\n') {
                    self.cursor.skip(1);
                }
                None
            }
            Some(b'\n') | None => None,
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.cursor.peek()? else { break };
                    value = value << 3 | u32::from(digit - b'0');
                    self.cursor.skip(1);
                }
                Some(value as u8)
            }
            other => other,
        })
    }

    /// A string of hexadecimal digits.
    fn digits(&mut self) -> io::Result<Vec<u8>> {
        let (mut text, mut half) = (Vec::new(), None);
        while let Some(byte) = self.cursor.next()? {
            if byte == b'>' {
                text.extend(half.map(|half| half << 4));
                return Ok(text);
            }
            if is_space(byte) {
                continue;
            }
            let digit = nibble(byte).ok_or_else(|| wrong("a string of digits with other bytes"))?;
            match half.take() {
                Some(half) => text.push(half << 4 | digit),
                None => half = Some(digit),
            }
            if text.len() > STRING {
                return Err(wrong("a string that is too long"));
            }
        }
        Err(wrong("a string without its end"))
    }

    fn array(&mut self, depth: u32) -> io::Result<Object> {
        self.cursor.skip(1);
        let depth = depth.checked_sub(1).ok_or_else(|| wrong("arrays in arrays, too deep"))?;
        let mut parts = Vec::new();
        loop {
            match self.object(depth)? {
                None => return Err(wrong("an array without its end")),
                Some(end) if end.is_word(b"]") => return Ok(Object::Array(parts)),
                // As `endobj`: the end is missing.
                Some(Object::Word(word)) if word.starts_with(b"end") => return Err(wrong("an array without its end")),
                Some(part) => parts.push(part),
            }
        }
    }

    fn dictionary(&mut self, depth: u32) -> io::Result<Object> {
        let depth = depth.checked_sub(1).ok_or_else(|| wrong("dictionaries in dictionaries, too deep"))?;
        let mut entries = Vec::new();
        let mut held = self.object(depth)?;
        loop {
            match held.take() {
                None => return Err(wrong("a dictionary without its end")),
                Some(end) if end.is_word(b">>") => return Ok(Object::Dictionary(Dictionary(entries))),
                Some(Object::Name(key)) => match self.object(depth)? {
                    None => return Err(wrong("a dictionary without its end")),
                    // A name without an object.
                    Some(end) if end.is_word(b">>") => {
                        entries.push((key, Object::Null));
                        return Ok(Object::Dictionary(Dictionary(entries)));
                    }
                    Some(value) => entries.push((key, value)),
                },
                Some(Object::Word(word)) if word.starts_with(b"end") || word == b"stream" => {
                    return Err(wrong("a dictionary without its end"));
                }
                // An object without a name is passed over, as readers do.
                Some(_) => {}
            }
            held = self.object(depth)?;
        }
    }
}

fn nibble(byte: u8) -> Option<u8> {
    (byte as char).to_digit(16).map(|digit| digit as u8)
}

fn integer(word: &[u8]) -> Option<i64> {
    let digits = word.strip_prefix(b"-").or_else(|| word.strip_prefix(b"+")).unwrap_or(word);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(word).ok()?.parse().ok()
}

fn is_real(word: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+');
    word.iter().any(u8::is_ascii_digit) && word.iter().all(is_part) || word == b"." || word == b"-"
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    fn parsed(text: &[u8]) -> Option<Object> {
        parse(&mut Cursor::new(Arc::new(text.to_vec()))).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn objects_are_read_as_they_are_written() {
        let dictionary =
            parsed(b"<</A 12 0 R/B[1 2 R 3 0 R -4 .5]/C#20x (a\\(b(c)\\101\\\n)/D<4a4>/E true /F>>").unwrap();
        let Object::Dictionary(dictionary) = dictionary else { panic!() };
        assert_eq!(dictionary.get("A"), Some(&Object::Reference(12)));
        let Some(Object::Array(found)) = dictionary.get("B") else { panic!() };
        // `1 2 R` is a reference with the generation 2.
        assert_eq!(found[..], [Object::Reference(1), Object::Reference(3), Object::Integer(-4), Object::Real]);
        assert_eq!(dictionary.get("C x"), Some(&Object::Text(b"a(b(c)A".to_vec())));
        assert_eq!(dictionary.get("D"), Some(&Object::Text(b"J@".to_vec())));
        assert_eq!((dictionary.get("E"), dictionary.get("F")), (Some(&Object::Boolean(true)), Some(&Object::Null)));
        assert_eq!(parsed(b"% comment\n 12 0 obj"), Some(Object::Integer(12)));
        assert_eq!((parsed(b" % only this"), parsed(b"R")), (None, Some(Object::Word(b"R".to_vec()))));
    }

    #[test]
    fn what_does_not_end_is_an_error() {
        let deep = [vec![b'['; 5000], vec![b']'; 5000]].concat();
        let many = [&b"["[..], &b"1 ".repeat(1 << 21), b"]"].concat();
        for text in [&b"[1 2"[..], b"<</A", b"(abc", b"<41", b"<</A 1 endobj", b"> ", &deep, &many, &[b'a'; 9000]] {
            let found = parse(&mut Cursor::new(Arc::new(text.to_vec())));
            assert_eq!(found.unwrap_err().kind(), io::ErrorKind::InvalidData);
        }
    }
}
