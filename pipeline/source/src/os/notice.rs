//! Changes that a watched directory reports.

/// A change below a directory that is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// This name was made, written, changed, removed or renamed.
    Changed {
        /// The number that the directory got when it was added.
        watch: i32,
        /// The name in it.
        name: Vec<u8>,
        /// Whether it is a directory.
        is_directory: bool,
    },
    /// The directory of this number is gone, moved or unmounted.
    Gone(i32),
    /// Changes were too many to be kept: anything may have changed.
    Overflow,
}
