//! The digest: points, and the form of their surroundings.

use crate::{ParseError, base64, error};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The text of a digest begins with this.
const MARKER: &str = "crops:1:";
/// Bytes of a point in the text.
const BYTES: usize = 13;
/// The fewest points of a picture with a digest: fewer say nothing.
pub const LEAST_POINTS: usize = 8;
/// The most points of a digest, those with the most contrast.
pub(super) const MOST_POINTS: usize = 250;

/// A place of a picture that differs from all around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Point {
    /// From the top, in a unit of the picture's own.
    pub y: u16,
    /// From the left, in the same unit.
    pub x: u16,
    /// How large it is: 16 more are twice as large.
    pub size: u8,
    /// Bit 0: whether it is darker than all around it. Bit 8v + u: whether the cosine transform of
    /// its surroundings is above 0 at the horizontal frequency u and the vertical one v.
    pub form: u64,
}

/// The points of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest(Arc<[Point]>);

impl Digest {
    /// Of points, ascending and each once, at most 250.
    pub(super) fn new(points: Vec<Point>) -> Digest {
        Digest(points.into())
    }

    /// The points, ascending.
    pub fn points(&self) -> &[Point] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut bytes = Vec::with_capacity(BYTES * self.0.len());
        for point in &*self.0 {
            bytes.extend_from_slice(&point.y.to_be_bytes());
            bytes.extend_from_slice(&point.x.to_be_bytes());
            bytes.push(point.size);
            bytes.extend_from_slice(&point.form.to_be_bytes());
        }
        let mut text = String::new();
        base64::encode(&bytes, &mut text);
        write!(f, "{MARKER}{}:{text}", self.0.len())
    }
}

impl FromStr for Digest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let (count, text) =
            text.strip_prefix(MARKER).ok_or(ParseError::Marker)?.split_once(':').ok_or(ParseError::Fields)?;
        let count: u16 = error::number(count.as_bytes())?;
        if usize::from(count) > MOST_POINTS || count == 0 {
            return Err(ParseError::Length);
        }
        let mut bytes = vec![0; BYTES * usize::from(count)];
        base64::decode(text.as_bytes(), &mut bytes)?;
        let short = |bytes: &[u8]| u16::from_be_bytes([bytes[0], bytes[1]]);
        let point = |bytes: &[u8]| Point {
            y: short(bytes),
            x: short(&bytes[2..]),
            size: bytes[4],
            form: bytes[5..].iter().fold(0, |form, byte| form << 8 | u64::from(*byte)),
        };
        let points: Vec<Point> = bytes.chunks_exact(BYTES).map(point).collect();
        // One text for each digest.
        if points.windows(2).any(|two| two[0] >= two[1]) { Err(ParseError::Number) } else { Ok(Digest::new(points)) }
    }
}
