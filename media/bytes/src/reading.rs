//! Reading to an end, once for all readers.
//!
//! The standard library's forms are generic: each type that implements [`Read`] compiles all of
//! them again, and there are forty such types. A reader that says `shared_reads!()` in its `impl`
//! has them compiled once.

use std::io::{self, Read};

/// A reader behind its one function, so that one copy of the standard forms serves all.
pub struct Call<'a>(pub &'a mut dyn FnMut(&mut [u8]) -> io::Result<usize>);

impl Read for Call<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (self.0)(buffer)
    }
}

/// All that is left, put behind `into`; the number of bytes.
pub fn to_end(mut from: Call<'_>, into: &mut Vec<u8>) -> io::Result<usize> {
    from.read_to_end(into)
}

/// All that is left as UTF-8.
pub fn to_string(mut from: Call<'_>, into: &mut String) -> io::Result<usize> {
    from.read_to_string(into)
}

/// As many bytes as `into` holds, or [`io::ErrorKind::UnexpectedEof`].
pub fn exact(mut from: Call<'_>, into: &mut [u8]) -> io::Result<()> {
    from.read_exact(into)
}

/// The methods of [`Read`] but `read`, by the functions of this file. Stands inside an `impl Read`.
#[macro_export]
macro_rules! shared_reads {
    () => {
        fn read_to_end(&mut self, into: &mut Vec<u8>) -> std::io::Result<usize> {
            $crate::reading::to_end($crate::reading::Call(&mut |buffer| self.read(buffer)), into)
        }

        fn read_to_string(&mut self, into: &mut String) -> std::io::Result<usize> {
            $crate::reading::to_string($crate::reading::Call(&mut |buffer| self.read(buffer)), into)
        }

        fn read_exact(&mut self, into: &mut [u8]) -> std::io::Result<()> {
            $crate::reading::exact($crate::reading::Call(&mut |buffer| self.read(buffer)), into)
        }
    };
}
pub use shared_reads;

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, and an interruption before each.
    struct Slow(Vec<u8>, bool);

    impl Read for Slow {
        shared_reads!();

        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 = !self.1;
            if self.1 {
                return Err(io::ErrorKind::Interrupted.into());
            }
            if self.0.is_empty() || buffer.is_empty() {
                return Ok(0);
            }
            buffer[0] = self.0.remove(0);
            Ok(1)
        }
    }

    #[test]
    fn every_form_reads_what_the_standard_one_reads() {
        let slow = || Slow("über allen Gipfeln".into(), false);
        let (mut bytes, mut text, mut start) = (vec![1], String::from("x"), [0; 3]);
        assert_eq!((slow().read_to_end(&mut bytes).unwrap(), &bytes[1..]), (19, "über allen Gipfeln".as_bytes()));
        assert_eq!((slow().read_to_string(&mut text).unwrap(), &text[..]), (19, "xüber allen Gipfeln"));
        let mut rest = slow();
        rest.read_exact(&mut start).unwrap();
        assert_eq!((&start[..], rest.0.len()), ("üb".as_bytes(), 16));
        assert_eq!(rest.read_exact(&mut [0; 17]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(Slow(vec![0xff], false).read_to_string(&mut text).unwrap_err().kind(), io::ErrorKind::InvalidData);
    }
}
