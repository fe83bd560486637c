//! Signatures in one file with the list that they sign: PGP's clear signatures (RFC 9580, section
//! 7), where the text stands between a head and a signature in ASCII, and those of signify(1), two
//! lines in front of it.

use std::io::{self, BufRead, Read};

const BEGIN: &[u8] = b"-----BEGIN PGP SIGNED MESSAGE-----";
const SIGNATURE: &[u8] = b"-----BEGIN PGP SIGNATURE-----";
const END: &[u8] = b"-----END PGP SIGNATURE-----";
/// The first of signify's lines; the second is the signature.
const COMMENT: &[u8] = b"untrusted comment: ";
/// Bytes of a line that are looked at together; longer lines pass in parts.
const PART: u64 = 4096;

/// A signature that stands in one file with the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Signature {
    Pgp,
    Signify,
}

impl Signature {
    /// Of a text whose first bytes are these.
    pub(crate) fn of(start: &[u8]) -> Option<Signature> {
        start.split(|&byte| byte == b'\n').find_map(|line| match line {
            _ if line.starts_with(BEGIN) => Some(Signature::Pgp),
            _ if line.starts_with(COMMENT) => Some(Signature::Signify),
            _ => None,
        })
    }

    /// The sentence for those who read the text alone.
    pub(crate) fn remark(self) -> &'static str {
        match self {
            Signature::Pgp => "the PGP signature around it was not checked: check --key KEYS does that",
            Signature::Signify => "the signature in front of it was not checked: signify -V does that",
        }
    }
}

/// The part of the text that a line is in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    Head,
    Signed,
    Signature,
    Comment,
    Signify,
}

/// The text without its signature: the lines of head and signature are empty, so that the others
/// keep their numbers.
pub(crate) struct Clear<R> {
    reader: R,
    state: State,
    /// The line at hand, as far as it was read, and how much of it was given.
    line: Vec<u8>,
    given: usize,
    /// Whether the next part begins a line.
    fresh: bool,
}

impl<R: BufRead> Clear<R> {
    pub(crate) fn new(reader: R) -> Clear<R> {
        Clear { reader, state: State::Outside, line: Vec::new(), given: 0, fresh: true }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.line.clear();
        self.given = 0;
        let fresh = self.fresh;
        self.reader.by_ref().take(PART).read_until(b'\n', &mut self.line)?;
        self.fresh = self.line.ends_with(b"\n");
        if fresh {
            let is_blank = self.line.trim_ascii().is_empty();
            self.state = match self.state {
                State::Outside | State::Signify if self.line.starts_with(BEGIN) => State::Head,
                State::Outside | State::Signify if self.line.starts_with(COMMENT) => State::Comment,
                State::Comment => State::Signify,
                State::Signify => State::Outside,
                State::Signed if self.line.starts_with(SIGNATURE) => State::Signature,
                State::Head if is_blank => State::Signed,
                state => state,
            };
        }
        let is_end = fresh && self.state == State::Signature && self.line.starts_with(END);
        match self.state {
            State::Head | State::Signature | State::Comment | State::Signify => self.line.retain(|&byte| byte == b'\n'),
            // "Dash-escaped" text.
            State::Signed if fresh && self.line.starts_with(b"- ") => drop(self.line.drain(..2)),
            State::Signed | State::Outside => {}
        }
        if is_end {
            self.state = State::Outside;
        }
        Ok(())
    }
}

impl<R: BufRead> Read for Clear<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut available = self.fill_buf()?;
        let read = available.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl<R: BufRead> BufRead for Clear<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.given == self.line.len() {
            let ended = self.reader.fill_buf()?.is_empty();
            if ended {
                return Ok(&[]);
            }
            self.fill()?;
        }
        Ok(&self.line[self.given..])
    }

    fn consume(&mut self, amount: usize) {
        self.given += amount;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_armour_becomes_empty_lines() {
        let text = "x\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n- -dash\na\n\
                    -----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\ny\n";
        assert_eq!((Signature::of(text.as_bytes()), Signature::of(b"a\n")), (Some(Signature::Pgp), None));
        let mut clear = String::new();
        Clear::new(text.as_bytes()).read_to_string(&mut clear).expect("memory");
        assert_eq!(clear, "x\n\n\n\n-dash\na\n\n\n\n\ny\n");
        // A signature that is cut off, and a long line.
        let long =
            format!("-----BEGIN PGP SIGNED MESSAGE-----\n\n{}\n-----BEGIN PGP SIGNATURE-----\nx", "a".repeat(9000));
        clear.clear();
        Clear::new(long.as_bytes()).read_to_string(&mut clear).expect("memory");
        assert_eq!(clear, format!("\n\n{}\n\n", "a".repeat(9000)));
    }

    #[test]
    fn two_lines_of_signify_become_empty_ones() {
        let text = "untrusted comment: verify with x.pub\nRWRGj1pRpprAfgeF\na\nuntrusted comment: y\nRW\nb\n";
        assert_eq!(Signature::of(text.as_bytes()), Some(Signature::Signify));
        let mut clear = String::new();
        Clear::new(text.as_bytes()).read_to_string(&mut clear).expect("memory");
        assert_eq!(clear, "\n\na\n\n\nb\n");
    }
}
