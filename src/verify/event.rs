//! What happens while an image is verified: something is found.

use std::fmt;

/// What happens while an image is verified.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Something was found. It is in the [`Summary`](super::Summary) as well.
    Found(&'a Finding),
}

/// Takes events as they happen.
pub(crate) type Sink<'a> = &'a mut dyn FnMut(&Event<'_>);

/// Something that was found, as a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// A fact, for neither verdict.
    Note(String),
    /// Something that contradicts the image, or itself.
    Differs(String),
    /// Something that could not be read, understood or compared.
    Open(String),
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Finding::Note(text) | Finding::Differs(text) | Finding::Open(text)) = self;
        f.write_str(text)
    }
}
