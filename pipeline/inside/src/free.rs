//! The space of a medium that no file in use has: gaps between partitions, free blocks of file
//! systems, and the rest of files' last blocks.

use super::about::unread;
use super::detect::{self, Container};
use pfh_volume::{Bytes, FileSystem, Kind, Nodes, Options, Usage, VolumeContent};
use std::ops::Range;
use std::sync::Arc;

/// The unallocated space, and the parts of the medium for which it is not known.
#[derive(Debug, Default)]
pub struct Free {
    /// Ranges of the medium in bytes, in order, none beside or over another.
    pub ranges: Vec<Range<u64>>,
    /// Parts that were not looked at: the name of each, and why.
    pub gaps: Vec<(String, String)>,
}

impl Free {
    /// The unallocated space of a medium.
    pub fn of(bytes: &Arc<dyn Bytes>) -> Free {
        let mut free = Free::default();
        match detect::medium(bytes) {
            Ok(Some(Container::Divided(table))) => {
                free.gaps.extend(table.warnings.iter().map(|warning| (String::new(), warning.to_string())));
                for part in &table.partitions {
                    match part.usage {
                        Usage::Unallocated => free.ranges.push(part.start..part.start.saturating_add(part.length)),
                        Usage::Partition => {
                            let name = format!("p{}", part.number.unwrap_or_default());
                            match part.open(bytes) {
                                Ok(volume) => {
                                    let extents = pfh_volume::free_extents(&volume).into_iter();
                                    free.ranges.extend(extents.map(|own| part.start + own.start..part.start + own.end));
                                    match pfh_volume::file_system(volume) {
                                        Ok(found) => free.recognised(name, &found, part.start),
                                        Err(failure) => free.gaps.push((name, failure.to_string())),
                                    }
                                }
                                Err(failure) => free.gaps.push((name, failure.to_string())),
                            }
                        }
                        _ => {}
                    }
                }
            }
            Ok(Some(Container::Volume(found))) => free.recognised(String::new(), &found, 0),
            Ok(Some(
                Container::Archive(_)
                | Container::Parts(..)
                | Container::Layout(_)
                | Container::Disk(..)
                | Container::Refused(_),
            ))
            | Ok(None) => {
                free.gaps.push((String::new(), "holds no partition table and no file system that is known".into()));
            }
            Err(failure) => free.gaps.push((String::new(), failure.to_string())),
        }
        free.join(bytes.size());
        free
    }

    fn recognised(&mut self, name: String, found: &VolumeContent, start: u64) {
        match found {
            VolumeContent::FileSystem(system) => self.system(&name, system, start),
            VolumeContent::Volumes(volumes) => {
                self.gaps.extend(volumes.warnings.iter().map(|warning| (name.clone(), warning.to_string())));
                self.nodes(&name, volumes.unallocated(), start);
            }
            other => self.gaps.push((name, unread(other).why)),
        }
    }

    /// The free space of a file system that starts at `start`.
    fn system(&mut self, name: &str, system: &FileSystem, start: u64) {
        self.gaps.extend(system.warnings.iter().map(|warning| (name.to_owned(), warning.to_string())));
        self.nodes(name, system.nodes(Options { deleted: false, unallocated: true }), start);
    }

    fn nodes(&mut self, name: &str, nodes: Nodes, start: u64) {
        for node in nodes {
            match node {
                Ok(node) if node.kind == Kind::Unallocated => {
                    let runs = node.content.and_then(|content| content.runs()).unwrap_or_default();
                    self.ranges.extend(runs.iter().filter_map(|run| {
                        let from = start.checked_add(run.medium_offset?)?;
                        Some(from..from.checked_add(run.length)?)
                    }));
                }
                Ok(_) => {}
                Err(failure) => self.gaps.push((name.to_owned(), failure.to_string())),
            }
        }
    }

    /// Puts the ranges in order and joins those that meet.
    fn join(&mut self, size: u64) {
        self.ranges.sort_unstable_by_key(|range| (range.start, range.end));
        let mut joined: Vec<Range<u64>> = Vec::with_capacity(self.ranges.len());
        for range in self.ranges.drain(..).map(|range| range.start.min(size)..range.end.min(size)) {
            match joined.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ if range.is_empty() => {}
                _ => joined.push(range),
            }
        }
        self.ranges = joined;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_in_order_and_joined() {
        let ranges = vec![50..60, 10..20, 20..25, 55..70, 90..200, 300..400, 30..30];
        let mut free = Free { ranges, gaps: Vec::new() };
        free.join(100);
        assert_eq!(free.ranges, [10..25, 50..70, 90..100]);
    }
}
