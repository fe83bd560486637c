//! How small files are read: one by one, or several at a time.

use crate::host::Batch;

/// How small files are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Backend {
    /// As `Uring` where more readers at a time bring more, else as `Plain`.
    #[default]
    Auto,
    /// One system call after the other.
    Plain,
    /// Several files at a time through io_uring, where the kernel has it; as `Plain` where not.
    Uring,
}

/// How many files a reader asks for at once.
pub(crate) enum Together {
    /// One: there is no ring.
    Never,
    /// As many as `width`, after `pause` that are read by themselves. The ring is made by the
    /// thread that uses it, when it first has several files to read: a run on one file pays nothing
    /// for it.
    Up { batch: Option<Box<Batch>>, width: usize, pause: usize, always: bool },
}

/// Files that are read by themselves after none of several was small: larger files often come in
/// rows.
pub(crate) const PAUSE: usize = 32;

impl Together {
    pub(crate) fn new(backend: Backend) -> Self {
        match backend {
            Backend::Plain => Together::Never,
            Backend::Auto | Backend::Uring => {
                Together::Up { batch: None, width: Batch::WIDTH, pause: 0, always: backend == Backend::Uring }
            }
        }
    }

    /// How many entries to pull; `wide`: the device takes many requests at a time.
    pub(crate) fn width(&mut self, wide: bool) -> usize {
        match self {
            Together::Up { always: false, .. } if !wide => 1,
            Together::Up { width, pause: 0, .. } => *width,
            Together::Up { pause, .. } => {
                *pause -= 1;
                1
            }
            Together::Never => 1,
        }
    }
}
