//! A part of a listing that most listings lack: without it, it takes one word.

use pfh_engine::Piece;
use pfh_manifest::Times;
use std::ops::Deref;

/// A value that is kept only where it is not empty. It reads as the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rare<T>(Option<Box<T>>);

/// A value with an empty form.
pub trait Empty: Default + PartialEq + 'static {
    /// The form in which it is not kept.
    const EMPTY: &'static Self;
}

impl Empty for Times {
    const EMPTY: &'static Self = &Times { modified: None, changed: None, accessed: None };
}

impl Empty for Vec<Piece> {
    const EMPTY: &'static Self = &Vec::new();
}

impl Empty for Vec<Vec<u8>> {
    const EMPTY: &'static Self = &Vec::new();
}

impl<T> Default for Rare<T> {
    fn default() -> Self {
        Rare(None)
    }
}

impl<T: Empty> From<T> for Rare<T> {
    fn from(value: T) -> Self {
        Rare((value != *T::EMPTY).then(|| Box::new(value)))
    }
}

impl<T: Empty> Deref for Rare<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::EMPTY)
    }
}

impl<T: Empty> Rare<T> {
    /// The value, to be changed: it is kept from now on.
    pub fn kept(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }

    /// The value itself.
    pub fn into_inner(self) -> T {
        self.0.map(|value| *value).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_empty_is_not_kept() {
        let mut spellings: Rare<Vec<Vec<u8>>> = Vec::new().into();
        assert_eq!(spellings.0, None);
        assert!(spellings.is_empty());
        spellings.kept().push(b"./a".to_vec());
        assert_eq!(spellings.len(), 1);
        assert_eq!(spellings.into_inner(), [b"./a"]);
        assert_eq!(size_of::<Rare<Times>>(), size_of::<usize>());
    }
}
