//! A target that is opened with its first byte.

use pfh_engine::imaging::{Ending, Packing, Portion, Target};
use std::io;

type Open = Box<dyn FnOnce() -> io::Result<Box<dyn Target>> + Send>;

/// A target that is there already up to some place, and is opened, and cut off there, only when
/// something is written: by then what it holds has been compared with what was written.
pub(super) struct DeferredTarget {
    upto: u64,
    open: Option<Open>,
    target: Option<Box<dyn Target>>,
}

impl DeferredTarget {
    pub(super) fn new(upto: u64, open: impl FnOnce() -> io::Result<Box<dyn Target>> + Send + 'static) -> Self {
        DeferredTarget { upto, open: Some(Box::new(open)), target: None }
    }

    fn target(&mut self) -> io::Result<&mut Box<dyn Target>> {
        if let Some(open) = self.open.take() {
            self.target = Some(open()?);
        }
        self.target.as_mut().ok_or_else(|| io::Error::other("the target could not be opened"))
    }
}

impl Target for DeferredTarget {
    fn write(&mut self, portion: &Portion) -> io::Result<()> {
        self.target()?.write(portion)
    }

    fn sync(&mut self) -> io::Result<u64> {
        match &mut self.target {
            Some(target) => target.sync(),
            None => Ok(self.upto),
        }
    }

    fn finish(&mut self, end: &Ending<'_>) -> io::Result<()> {
        self.target()?.finish(end)
    }

    fn packing(&self) -> Packing {
        self.target.as_ref().map(|target| target.packing()).unwrap_or_default()
    }
}
