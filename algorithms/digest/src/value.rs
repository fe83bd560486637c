//! The value in which a hasher ends.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// Bytes that a digest holds without an allocation: SHA-512's.
pub(crate) const INLINE: usize = 64;

/// The value in which a [`State`](crate::State) ends.
#[derive(Clone)]
pub struct Value(Storage);

#[derive(Clone)]
enum Storage {
    Inline { bytes: [u8; INLINE], length: u8 },
    Boxed(Box<[u8]>),
    Typed(Arc<TypedValue>),
}

/// A value with a type of its own. It is printed when its text is asked for, and once only.
struct TypedValue {
    value: Box<dyn ValueType>,
    text: OnceLock<Box<str>>,
}

impl TypedValue {
    fn text(&self) -> &str {
        self.text.get_or_init(|| self.value.to_string().into())
    }
}

/// The value in memory of a digest of an algorithm with [`Output::Text`](crate::Output::Text).
/// [`Display`](fmt::Display) prints its text.
pub trait ValueType: Any + Send + Sync + fmt::Display {}

impl<T: Any + Send + Sync + fmt::Display> ValueType for T {}

impl Value {
    /// A value of `length` bytes, which `fill` writes; it is handed zeros.
    pub fn filled(length: usize, fill: impl FnOnce(&mut [u8])) -> Value {
        if length <= INLINE {
            let mut bytes = [0; INLINE];
            fill(&mut bytes[..length]);
            // Cannot cut: INLINE is below 256.
            Value(Storage::Inline { bytes, length: length as u8 })
        } else {
            let mut bytes = vec![0; length].into_boxed_slice();
            fill(&mut bytes);
            Value(Storage::Boxed(bytes))
        }
    }

    /// A value of these bytes.
    pub fn from_bytes(bytes: &[u8]) -> Value {
        Value::filled(bytes.len(), |value| value.copy_from_slice(bytes))
    }

    /// A value that is text, for algorithms with [`Output::Text`](crate::Output::Text) that have no
    /// type of their own.
    pub fn from_text(text: impl Into<Box<str>>) -> Value {
        let text: Box<str> = text.into();
        Value::typed(text)
    }

    /// A value of a type of its own, for algorithms with [`Output::Text`](crate::Output::Text).
    /// Clones share it.
    pub fn typed(value: impl ValueType) -> Value {
        Value(Storage::Typed(Arc::new(TypedValue { value: Box::new(value), text: OnceLock::new() })))
    }

    /// The place of a value of at most [`INLINE`] bytes. Bytes behind its length are never
    /// looked at.
    #[inline]
    pub(crate) fn place(&mut self) -> Option<&mut [u8; INLINE]> {
        match &mut self.0 {
            Storage::Inline { bytes, .. } => Some(bytes),
            Storage::Boxed(_) | Storage::Typed(_) => None,
        }
    }

    /// The bytes; those of its text if it is one.
    pub fn bytes(&self) -> &[u8] {
        match &self.0 {
            Storage::Inline { bytes, length } => &bytes[..usize::from(*length)],
            Storage::Boxed(bytes) => bytes,
            Storage::Typed(held) => held.text().as_bytes(),
        }
    }

    /// A value that is still to be written into its [`place`](Value::place), of at most [`INLINE`]
    /// bytes.
    pub(crate) fn blank(length: usize) -> Value {
        Value(Storage::Inline { bytes: [0; INLINE], length: length.min(INLINE) as u8 })
    }

    /// The text of a value with a type of its own.
    pub(crate) fn text(&self) -> Option<&str> {
        match &self.0 {
            Storage::Typed(held) => Some(held.text()),
            _ => None,
        }
    }

    /// The value itself, if it is a `T`.
    pub(crate) fn downcast<T: 'static>(&self) -> Option<&T> {
        match &self.0 {
            Storage::Typed(held) => (&*held.value as &dyn Any).downcast_ref(),
            _ => None,
        }
    }
}
