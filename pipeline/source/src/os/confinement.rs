//! The kernel's means to confine a process.

/// The kernel's means to confine a process that asks for it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Confinement {
    /// The version of Landlock's interface: files from 1 on, TCP from 4 on; 0 if there is none.
    pub landlock: u32,
    /// Whether system calls are filtered.
    pub seccomp: bool,
}
