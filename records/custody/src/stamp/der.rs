//! The Distinguished Encoding Rules of ASN.1 (ITU-T X.690), as far as a time stamp takes them: tags
//! of one byte and definite lengths.

/// Why bytes are not DER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DerError(pub(super) &'static str);

pub(super) const INTEGER: u8 = 0x02;
pub(super) const OCTETS: u8 = 0x04;
pub(super) const OBJECT: u8 = 0x06;
pub(super) const TEXT: u8 = 0x0c;
pub(super) const TIME: u8 = 0x18;
pub(super) const SEQUENCE: u8 = 0x30;
pub(super) const SET: u8 = 0x31;
/// `[0]`, with others within.
pub(super) const CONTEXT_0: u8 = 0xa0;

/// One value with its tag and length in front.
pub(super) fn value(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![tag];
    match content.len() {
        length @ 0..0x80 => bytes.push(length as u8),
        length => {
            let length = length.to_be_bytes();
            let digits = &length[length.iter().take_while(|byte| **byte == 0).count()..];
            bytes.push(0x80 | digits.len() as u8);
            bytes.extend(digits);
        }
    }
    bytes.extend(content);
    bytes
}

/// Values one behind the other.
#[derive(Clone, Copy)]
pub(super) struct Values<'a>(pub(super) &'a [u8]);

impl<'a> Values<'a> {
    /// The tag of the next one, if there is one.
    pub(super) fn peek(&self) -> Option<u8> {
        self.0.first().copied()
    }

    /// The next one: its tag and its content.
    pub(super) fn any(&mut self) -> Result<(u8, &'a [u8]), DerError> {
        let cut = DerError("cut off");
        let [tag, first, rest @ ..] = self.0 else { return Err(cut) };
        if tag & 0x1f == 0x1f {
            return Err(DerError("a tag of several bytes"));
        }
        let (length, rest) = match *first {
            length @ 0..0x80 => (usize::from(length), rest),
            0x80 => return Err(DerError("an indefinite length (BER)")),
            digits => {
                let (digits, rest) = rest.split_at_checked(usize::from(digits & 0x7f)).ok_or(cut)?;
                if digits.len() > 4 {
                    return Err(DerError("a length of more than 32 bits"));
                }
                (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
            }
        };
        let (content, rest) = rest.split_at_checked(length).ok_or(cut)?;
        self.0 = rest;
        Ok((*tag, content))
    }

    /// The content of the next one, which must have this tag.
    pub(super) fn take(&mut self, tag: u8) -> Result<&'a [u8], DerError> {
        match self.any()? {
            (found, content) if found == tag => Ok(content),
            _ => Err(DerError("another type than RFC 3161 and RFC 5652 give it")),
        }
    }

    /// The same, with values in it.
    pub(super) fn within(&mut self, tag: u8) -> Result<Values<'a>, DerError> {
        self.take(tag).map(Values)
    }
}

/// An object identifier in dots.
pub(super) fn dotted(content: &[u8]) -> String {
    let (mut arcs, mut arc) = (Vec::new(), 0_u64);
    for byte in content {
        arc = arc.wrapping_shl(7) | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            if arcs.is_empty() {
                let first = (arc / 40).min(2);
                arcs.push(first);
                arc -= first * 40;
            }
            arcs.push(arc);
            arc = 0;
        }
    }
    arcs.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_as_written() {
        for length in [0, 1, 127, 128, 255, 256, 65_535, 65_536] {
            let bytes = value(OCTETS, &vec![7; length]);
            let mut values = Values(&bytes);
            assert_eq!(values.take(OCTETS).unwrap().len(), length);
            assert!(values.peek().is_none());
            assert!(Values(&bytes[..bytes.len() - 1]).any().is_err());
        }
        for wrong in [&b""[..], b"\x30", b"\x30\x80\x00\x00", b"\x1f\x01\x00", b"\x04\x85\x01\x01\x01\x01\x01"] {
            assert!(Values(wrong).any().is_err(), "{wrong:02x?}");
        }
        // X.690, 8.19.5; RFC 8410's Ed25519; id-sha256.
        assert_eq!(dotted(&[0x88, 0x37, 0x03]), "2.999.3");
        assert_eq!(dotted(&[0x2b, 0x65, 0x70]), "1.3.101.112");
        assert_eq!(dotted(&[0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]), "2.16.840.1.101.3.4.2.1");
    }
}
