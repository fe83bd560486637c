//! What the kernel keeps a process from.

/// What the kernel keeps a process from, if asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Confinement {
    /// The version of Landlock's interface: files from 1 on, TCP from 4 on; 0 if there is none.
    pub landlock: u32,
    /// Whether system calls are filtered.
    pub seccomp: bool,
}
