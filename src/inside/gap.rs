//! A part of a medium that is in no partition.

use pfh_volume::{Allocation, Bytes, Content, Failure, Kind, Node, Run, Times};
use std::io::{self, Read};
use std::ops::Range;
use std::sync::Arc;

/// Some bytes of a medium.
struct Gap {
    medium: Arc<dyn Bytes>,
    range: Range<u64>,
}

/// The range as a node, named as free runs of file systems are.
pub fn node(medium: &Arc<dyn Bytes>, range: Range<u64>) -> Node {
    let (path, size) = (format!("$Unallocated/{}", range.start).into_bytes(), range.end - range.start);
    Node {
        path,
        kind: Kind::Unallocated,
        size: Some(size),
        id: None,
        times: Times::default(),
        allocation: Allocation::Live,
        resident: false,
        compressed: false,
        content: Some(Arc::new(Gap { medium: medium.clone(), range })),
    }
}

impl Content for Gap {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        Ok(Box::new(Open { medium: self.medium.clone(), left: self.range.clone() }))
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let length = self.range.end - self.range.start;
        Some(vec![Run { file_offset: 0, medium_offset: Some(self.range.start), length }])
    }
}

struct Open {
    medium: Arc<dyn Bytes>,
    left: Range<u64>,
}

impl Read for Open {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left.end - self.left.start).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        let failed = |cause: String| {
            let failure = Failure { path: Vec::new(), offset: Some(self.left.start), cause };
            io::Error::new(io::ErrorKind::InvalidData, failure)
        };
        match self.medium.read_at(self.left.start, &mut buffer[..room]) {
            Ok(0) => Err(failed("the medium ends".into())),
            Ok(got) => {
                self.left.start += got as u64;
                Ok(got)
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(error),
            Err(error) => Err(failed(format!("cannot be read: {error}"))),
        }
    }
}
