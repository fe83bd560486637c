//! The part of Turtle (the W3C's notation of RDF) that volumes use: prefixes, names, literals,
//! lists of predicates and of objects.

use crate::disk::Failure;
use std::collections::HashMap;

/// The most statements of a volume.
const MOST: usize = 1 << 20;

/// The statements about a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// A full name, or the text of a literal.
    pub value: String,
    /// The full name of a literal's type; empty without one.
    pub kind: String,
}

/// A statement: subject, predicate, object, names in full.
pub type Statement = (String, String, Object);

const TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";

#[derive(Debug, PartialEq, Eq)]
enum Token {
    /// `<…>`.
    Name(String),
    /// `prefix:rest`, `a`, a number, `@prefix`.
    Word(String),
    /// `"…"`.
    Text(String),
    /// `.`, `;`, `,`, `^` (for `^^`).
    Mark(u8),
}

/// The statements of a text.
pub fn parse(text: &str) -> Result<Vec<Statement>, Failure> {
    let mut tokens = Tokens { bytes: text.as_bytes(), at: 0 };
    let mut prefixes: HashMap<String, String> = HashMap::new();
    let mut found = Vec::new();
    while let Some(token) = tokens.next()? {
        if let Token::Word(word) = &token
            && ["@prefix", "prefix"].contains(&word.to_ascii_lowercase().as_str())
        {
            match (tokens.next()?, tokens.next()?) {
                (Some(Token::Word(prefix)), Some(Token::Name(name))) => {
                    prefixes.insert(prefix.trim_end_matches(':').to_owned(), name);
                }
                _ => return Err(tokens.wrong("a prefix that is not understood")),
            }
            if word.starts_with('@') {
                tokens.mark(b'.')?;
            }
            continue;
        }
        let subject = name(&token, &prefixes).ok_or_else(|| tokens.wrong("a subject that is not understood"))?;
        'predicates: loop {
            let predicate = match tokens.next()? {
                // A semicolon may stand in front of the end.
                Some(Token::Mark(b'.')) => break,
                Some(Token::Mark(b';')) => continue,
                Some(Token::Word(word)) if word == "a" => TYPE.to_owned(),
                Some(token) => name(&token, &prefixes).ok_or_else(|| tokens.wrong("a predicate that is not a name"))?,
                None => return Err(tokens.wrong("a statement that does not end")),
            };
            loop {
                let (object, next) = object(&mut tokens, &prefixes)?;
                found.push((subject.clone(), predicate.clone(), object));
                if found.len() > MOST {
                    return Err(tokens.wrong("more statements than a volume needs"));
                }
                match next {
                    Some(Token::Mark(b',')) => {}
                    Some(Token::Mark(b';')) => break,
                    Some(Token::Mark(b'.')) => break 'predicates,
                    _ => return Err(tokens.wrong("an object without an end")),
                }
            }
        }
    }
    Ok(found)
}

/// An object, and the token behind it.
fn object(tokens: &mut Tokens, prefixes: &HashMap<String, String>) -> Result<(Object, Option<Token>), Failure> {
    let token = tokens.next()?.ok_or_else(|| tokens.wrong("a statement without an object"))?;
    if let Token::Text(value) = token {
        let mut next = tokens.next()?;
        let mut kind = String::new();
        if next == Some(Token::Mark(b'^')) {
            let token = tokens.next()?;
            kind = token.as_ref().and_then(|token| name(token, prefixes)).unwrap_or_default();
            next = tokens.next()?;
        } else if matches!(&next, Some(Token::Word(word)) if word.starts_with('@')) {
            next = tokens.next()?;
        }
        return Ok((Object { value, kind }, next));
    }
    let value = match (name(&token, prefixes), token) {
        (Some(name), _) => name,
        // A number, a word.
        (None, Token::Word(word)) => word,
        _ => return Err(tokens.wrong("an object that is not understood")),
    };
    Ok((Object { value, kind: String::new() }, tokens.next()?))
}

/// The full name that a token is.
fn name(token: &Token, prefixes: &HashMap<String, String>) -> Option<String> {
    match token {
        Token::Name(name) => Some(name.clone()),
        Token::Word(word) => {
            let (prefix, rest) = word.split_once(':')?;
            prefixes.get(prefix).map(|start| format!("{start}{rest}"))
        }
        Token::Text(_) | Token::Mark(_) => None,
    }
}

struct Tokens<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Tokens<'_> {
    fn wrong(&self, what: &str) -> Failure {
        Failure::malformed(format!("information.turtle, byte {}: {what}", self.at))
    }

    fn mark(&mut self, mark: u8) -> Result<(), Failure> {
        if self.next()? == Some(Token::Mark(mark)) { Ok(()) } else { Err(self.wrong("a mark is missing")) }
    }

    fn next(&mut self) -> Result<Option<Token>, Failure> {
        loop {
            match self.bytes.get(self.at) {
                None => return Ok(None),
                Some(byte) if byte.is_ascii_whitespace() => self.at += 1,
                Some(b'#') => self.at += self.bytes[self.at..].iter().take_while(|byte| **byte != b'\n').count(),
                Some(_) => break,
            }
        }
        let rest = &self.bytes[self.at..];
        let (token, length) = match rest[0] {
            b'<' => {
                let end = rest.iter().position(|byte| *byte == b'>');
                let end = end.ok_or_else(|| self.wrong("a name that does not end"))?;
                (Token::Name(String::from_utf8_lossy(&rest[1..end]).into_owned()), end + 1)
            }
            b'"' | b'\'' => self.text(rest)?,
            b'^' if rest.starts_with(b"^^") => (Token::Mark(b'^'), 2),
            mark @ (b'.' | b';' | b',') => (Token::Mark(mark), 1),
            b'[' | b']' | b'(' | b')' => return Err(self.wrong("a node without a name or a list, which are not read")),
            _ => {
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b";,<>\"'[]()".contains(byte);
                let mut length = rest.iter().position(ends).unwrap_or(rest.len());
                // A full stop ends the statement, and not the word.
                while length > 1 && rest[length - 1] == b'.' {
                    length -= 1;
                }
                (Token::Word(String::from_utf8_lossy(&rest[..length]).into_owned()), length.max(1))
            }
        };
        self.at += length;
        Ok(Some(token))
    }

    /// A text in single or triple quotation marks, and its length with them.
    fn text(&self, rest: &[u8]) -> Result<(Token, usize), Failure> {
        let mark = rest[0];
        let width = if rest.starts_with(&[mark; 3]) { 3 } else { 1 };
        let (mut out, mut at) = (Vec::new(), width);
        loop {
            match rest.get(at) {
                None => return Err(self.wrong("a text that does not end")),
                Some(b'\\') => {
                    let byte = *rest.get(at + 1).ok_or_else(|| self.wrong("a text that does not end"))?;
                    // Escapes of code points stay as they are: no name and no digest has one.
                    match byte {
                        b'n' => out.push(b'\n'),
                        b't' => out.push(b'\t'),
                        b'r' => out.push(b'\r'),
                        b'u' | b'U' => out.extend([b'\\', byte]),
                        other => out.push(other),
                    }
                    at += 2;
                }
                Some(byte) if *byte == mark && rest[at..].starts_with(&[mark; 3][..width]) => {
                    return Ok((Token::Text(String::from_utf8_lossy(&out).into_owned()), at + width));
                }
                Some(byte) => {
                    out.push(*byte);
                    at += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements() {
        let text = "@prefix : <aff4://v> .\n@prefix aff4: <http://aff4.org/Schema#> .\n# a comment\n\
                    <aff4://i> a aff4:Image , aff4:DiskImage ;\n  aff4:size \"12\"^^xsd:long ; aff4:n 8688;\n \
                    aff4:hash \"ab\"^^aff4:MD5 ; aff4:x \"\"\"a \"quoted\" text\"\"\"@en ; .\n: aff4:y 'z\\n' .\n";
        let found = parse(text).unwrap();
        let shown: Vec<_> = found
            .iter()
            .map(|(s, p, o)| format!("{s} {} {} {}", p.rsplit('#').next().unwrap(), o.value, o.kind))
            .collect();
        assert_eq!(
            shown,
            [
                "aff4://i type http://aff4.org/Schema#Image ",
                "aff4://i type http://aff4.org/Schema#DiskImage ",
                "aff4://i size 12 ",
                "aff4://i n 8688 ",
                "aff4://i hash ab http://aff4.org/Schema#MD5",
                "aff4://i x a \"quoted\" text ",
                "aff4://v y z\n ",
            ]
        );
        for wrong in ["<a", "<a> <b>", "<a> <b> <c>", "<a> <b> \"c", "x:a <b> <c> .", "<a> <b> [ ] .", "@prefix a b ."]
        {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse("").unwrap(), []);
    }
}
