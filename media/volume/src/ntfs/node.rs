//! The nodes of a file: its unnamed stream, and the named ones.

use std::sync::Arc;

use super::attribute::{Attribute, DATA, times};
use super::compressed::CompressedStream;
use super::reparse::{Reparse, reparse};
use super::stream::Stream;
use super::volume::{File, Ntfs};
use pfh_bytes::field::failure;
use pfh_bytes::layout::Layout;
use pfh_bytes::node::{Allocation, Content, Failure, Kind, Node};
use pfh_bytes::stored::{HeldBytes, StoredBytes, Unreadable, named};
use pfh_bytes::text::utf16;

/// The file of the system whose stream `$Bad` is a hole as large as the volume.
const BAD_CLUSTERS: u64 = 8;

impl Ntfs {
    /// The nodes of a file by one of its names: itself, then its named streams.
    pub fn nodes_of(self: &Arc<Self>, file: &File, path: &[u8]) -> Vec<Result<Node, Failure>> {
        let mut names: Vec<&[u16]> =
            file.attributes.iter().filter(|found| found.kind == DATA).map(|found| &found.name[..]).collect();
        names.sort_unstable();
        names.dedup();
        let point = reparse(self, &file.attributes);
        let mut nodes = vec![self.main(file, path, &point)];
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            let path = [path, b":", &utf16(name)].concat();
            nodes.push(self.stream_node(file, name, path));
        }
        nodes
    }

    fn blank(&self, file: &File, path: &[u8], kind: Kind) -> Node {
        Node {
            path: path.to_vec(),
            kind,
            size: None,
            id: Some(file.record.number),
            times: times(&file.attributes),
            allocation: Allocation::Live,
            resident: false,
            compressed: false,
            content: None,
        }
    }

    fn main(self: &Arc<Self>, file: &File, path: &[u8], point: &Reparse) -> Result<Node, Failure> {
        match point {
            Reparse::Link(target) => return Ok(self.blank(file, path, Kind::Link(target.clone()))),
            _ if file.record.is_directory => return Ok(self.blank(file, path, Kind::Directory)),
            Reparse::Elsewhere(cause) => {
                let size = self.stream(&file.attributes, &[]).ok().flatten().map(|stream| stream.size);
                let failed = named(failure(self.record_offset(file.record.number), *cause), path);
                let content: Arc<dyn Content> = Arc::new(Unreadable(failed));
                return Ok(Node { size, content: Some(content), ..self.blank(file, path, Kind::File) });
            }
            Reparse::None => {}
        }
        let node = self.blank(file, path, Kind::File);
        let found = self.stream(&file.attributes, &[]).map_err(|failed| named(failed, path))?;
        Ok(found.map_or(node.clone(), |stream| self.with(node, stream)))
    }

    fn stream_node(self: &Arc<Self>, file: &File, name: &[u16], path: Vec<u8>) -> Result<Node, Failure> {
        let node = self.blank(file, &path, Kind::Stream);
        let found = self.stream(&file.attributes, name).map_err(|failed| named(failed, &path))?;
        let Some(stream) = found else { return Ok(node) };
        if file.record.number == BAD_CLUSTERS {
            // Reading it would give as many zeros as the volume has bytes.
            return Ok(Node { size: Some(stream.size), ..node });
        }
        Ok(self.with(node, stream))
    }

    fn stream(&self, attributes: &[Attribute], name: &[u16]) -> Result<Option<Stream>, Failure> {
        Stream::of(attributes, DATA, name)
    }

    /// A node with its content.
    fn with(self: &Arc<Self>, node: Node, stream: Stream) -> Node {
        let (path, size) = (node.path.clone(), stream.size);
        let (resident, compressed) = (stream.resident.is_some(), stream.is_compressed());
        let content: Arc<dyn Content> = if stream.is_encrypted() {
            Arc::new(Unreadable(named(
                failure(None, "is encrypted (EFS): its content needs the key of its user"),
                &path,
            )))
        } else if let Some(bytes) = stream.resident.clone() {
            Arc::new(HeldBytes { bytes })
        } else if compressed {
            Arc::new(CompressedStream { volume: self.clone(), stream: Arc::new(stream), path })
        } else {
            let volume = self.clone();
            let locate = Box::new(move || volume.written(&stream));
            Arc::new(StoredBytes { bytes: self.bytes.clone(), path, from: 0, size, locate })
        };
        Node { size: Some(size), resident, compressed, content: Some(content), ..node }
    }

    /// Where the written bytes of a stream lie; the rest is a hole.
    fn written(&self, stream: &Stream) -> Result<Layout, Failure> {
        let whole = self.layout(stream)?;
        let mut layout = Layout::new(self.size());
        for run in whole.window(0, stream.initialised) {
            layout.push(run.medium_offset, run.length)?;
        }
        Ok(layout)
    }
}
