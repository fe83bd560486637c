//! The files of an image.

use super::budget::Budget;
use super::layer::{self, Sum};
use super::manifest::{Image, Layer};
use super::tree::{Fate, Place, Plan, Tree};
use crate::checked::bomb;
use crate::decoder::Packing;
use crate::limits::Limits;
use crate::member::{failure, node as bare};
use crate::tar::Members;
use pfh_bytes::node::{Allocation, Content, Failure, Kind, Node, Run};
use std::collections::{HashMap, VecDeque};
use std::io::Read;
use std::sync::Arc;

/// Hard links to members of lower layers that are compressed: for each such a layer is read again.
const AGAIN: u32 = 64;

/// The files of an image, in the order of its layers.
pub struct Files {
    image: Image,
    limits: Limits,
    budget: Arc<Budget>,
    plan: Option<Plan>,
    faults: VecDeque<Failure>,
    /// How the layers are compressed; of one that is not read, nothing.
    packings: Vec<Option<Option<Packing>>>,
    /// The layer at hand, and its members that are left.
    layer: usize,
    members: Option<Members>,
    number: u64,
    /// Contents that other names have as well.
    kept: HashMap<Place, Node>,
    again: u32,
}

impl Files {
    /// The files of this image, which is read when the first one is asked for.
    pub fn new(image: Image, budget: Arc<Budget>, limits: Limits) -> Files {
        let (plan, faults, packings, members, kept) = Default::default();
        Files { image, limits, budget, plan, faults, packings, layer: 0, members, number: 0, kept, again: 0 }
    }

    /// A fault of the image.
    fn fail(&mut self, cause: impl Into<String>) {
        self.faults.push_back(failure(&[&self.image.name[..], b"/"].concat(), cause));
    }

    fn called(&self, number: usize) -> String {
        let name = self.image.layers.get(number).map(|layer| String::from_utf8_lossy(&layer.member));
        format!("layer {} ({})", number + 1, name.unwrap_or_default())
    }

    /// Reads all layers, and decides the fates of their members.
    fn survey(&mut self) -> Plan {
        for fault in std::mem::take(&mut self.image.faults) {
            self.fail(fault);
        }
        let mut tree = Tree::new(self.limits.hidden);
        for number in 0..self.image.layers.len() {
            let (packing, why) = self.read(number, &mut tree);
            self.packings.push(packing);
            if let Some(why) = why {
                let called = self.called(number);
                self.fail(format!("{called} {why}"));
            }
            if packing.is_none() && why_ends(&tree, &self.budget) {
                self.packings.clear();
                self.fail("its layers hold more than the limits allow: its files are not listed");
                return Plan::default();
            }
        }
        tree.plan()
    }

    /// Reads a layer: how it is compressed if it can be read, and its fault.
    fn read(&self, number: usize, tree: &mut Tree) -> (Option<Option<Packing>>, Option<String>) {
        let Layer { blob, digest, .. } = &self.image.layers[number];
        let blob = match blob {
            Ok(blob) => blob,
            Err(why) => return (None, Some(format!("is not read: {why}"))),
        };
        let packing = match layer::packing(blob) {
            Ok(packing) => packing,
            Err(why) => return (None, Some(why)),
        };
        let (store, track, sum) = Sum::of(blob, packing, digest.as_ref(), (self.budget.clone(), &self.limits));
        let mut members = Members::new(store, self.limits.most(blob.bytes.size()), &self.limits);
        members.most_again = u32::MAX;
        tree.next_layer();
        let mut at = 0;
        while let Some(found) = members.next() {
            if !self.budget.take_entry() || tree.is_full() {
                self.budget.close();
                return (None, Some("brings too many members or too long names".into()));
            }
            let place = (number, at);
            at += 1;
            match (found, members.unlinked.take()) {
                (Ok(node), _) => tree.add(place, &node),
                (Err(failure), Some(target)) => tree.add_link(place, &failure.path, &target),
                // It comes again when the files are listed.
                (Err(_), None) => {}
            }
        }
        let is = sum.finish(&track);
        if sum.is_bomb() {
            self.budget.close();
            return (None, Some(bomb(self.budget.most)));
        }
        let why = match (digest, is) {
            (Some(stated), Some(is)) if is != *stated => {
                let algorithm = stated.algorithm();
                Some(format!("has the {algorithm} {is} and not {stated} as the configuration states"))
            }
            (Some(_), None) => {
                Some("cannot be read to its end: it is not compared with the digest stated of it".into())
            }
            _ => None,
        };
        (Some(packing), why)
    }

    /// Begins with the next layer; whether there is one.
    fn open_next(&mut self) -> bool {
        while let Some(packing) = self.packings.get(self.layer) {
            if let (Some(packing), Ok(blob)) = (packing, &self.image.layers[self.layer].blob) {
                let store = layer::store(blob, *packing, &self.limits);
                self.members = Some(Members::new(store, self.limits.most(blob.bytes.size()), &self.limits));
                self.number = 0;
                return true;
            }
            self.layer += 1;
        }
        false
    }

    /// A path in the image.
    fn path(&self, path: &[u8]) -> Vec<u8> {
        let start = path.iter().position(|byte| *byte != b'/').unwrap_or(path.len());
        [&self.image.name[..], b"/", &path[start..]].concat()
    }

    /// A fault of the layer at hand or of a member of it.
    fn failed(&self, found: Failure) -> Failure {
        let Some(Layer { blob: Ok(blob), .. }) = self.image.layers.get(self.layer) else { return found };
        let offset = found.offset.map(|offset| offset + blob.start);
        let path = self.path(&found.path);
        let cause = match found.path.is_empty() {
            true => format!("{}: {}", self.called(self.layer), found.cause),
            false => found.cause,
        };
        Failure { path, offset, cause, flaw: found.flaw }
    }

    /// The content of a lower member, for a further name of it.
    fn linked(&mut self, source: Place, path: &[u8], own: Node) -> Result<Node, Failure> {
        let Some(kept) = self.kept.get(&source) else {
            return Err(failure(path, "is a hard link to a member that cannot be read"));
        };
        if kept.content.as_ref().is_some_and(|content| content.is_shared()) {
            self.again += 1;
            if self.again > AGAIN {
                let cause = "is one of more than 64 hard links to compressed lower layers: decompress these first";
                return Err(failure(path, cause));
            }
        }
        Ok(Node { times: own.times, ..kept.clone() })
    }

    /// A member of the layer at hand as a name of the image; `None` if it has none.
    fn named(&mut self, found: Result<Node, Failure>, unlinked: bool) -> Option<Result<Node, Failure>> {
        let place = (self.layer, self.number);
        self.number += 1;
        let plan = self.plan.as_mut()?;
        let (is_source, fate) = (plan.sources.contains(&place), plan.fates.remove(&place));
        let node = match found {
            Ok(node) => self.brought(node),
            Err(found) if unlinked && fate.is_some() => bare(found.path, Kind::File),
            Err(found) => return Some(Err(self.failed(found))),
        };
        if is_source {
            self.kept.insert(place, node.clone());
        }
        let (path, source, is_hidden) = match fate? {
            Fate::Shown(path, source) => (path, source, false),
            Fate::Hidden(path, source) => (path, source, true),
            Fate::Link(path, target) => {
                let times = node.times;
                return Some(Ok(Node { times, ..bare(self.path(&path), Kind::Link(target)) }));
            }
            Fate::Fault(why) => return Some(Err(failure(&self.path(&node.path), why))),
        };
        let path = self.path(&path);
        let mut node = match source {
            Some(source) => match self.linked(source, &path, node) {
                Ok(node) => node,
                Err(found) => return Some(Err(found)),
            },
            None => node,
        };
        node.path = path;
        if is_hidden {
            (node.allocation, node.id) = (Allocation::Deleted, Some(self.layer as u64 + 1));
        }
        Some(Ok(node))
    }

    /// A member with the layer that brought it.
    fn brought(&self, mut node: Node) -> Node {
        let Some(layer) = self.image.layers.get(self.layer) else { return node };
        let (Ok(blob), within) = (&layer.blob, layer.member.clone().into()) else { return node };
        let shift = blob.start;
        node.content = node.content.map(|inner| Arc::new(Brought { inner, within, shift }) as Arc<dyn Content>);
        node
    }
}

/// Whether the limits of all images are used up.
fn why_ends(tree: &Tree, budget: &Budget) -> bool {
    tree.is_full() || budget.is_closed()
}

impl Iterator for Files {
    type Item = Result<Node, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.plan.is_none() {
            self.plan = Some(self.survey());
        }
        loop {
            if let Some(fault) = self.faults.pop_front() {
                return Some(Err(fault));
            }
            if self.members.is_none() && !self.open_next() {
                return None;
            }
            let members = self.members.as_mut()?;
            let Some(found) = members.next() else {
                self.members = None;
                self.layer += 1;
                continue;
            };
            let unlinked = members.unlinked.take().is_some();
            if let Some(named) = self.named(found, unlinked) {
                return Some(named);
            }
        }
    }
}

/// The content of a file of an image, in the layer that brought it.
struct Brought {
    inner: Arc<dyn Content>,
    within: Arc<[u8]>,
    /// Where the layer starts in the tar.
    shift: u64,
}

impl Content for Brought {
    fn open(&self) -> Result<Box<dyn Read + Send>, Failure> {
        self.inner.open()
    }

    fn runs(&self) -> Option<Vec<Run>> {
        let shifted = |run: Run| Run { medium_offset: run.medium_offset.map(|offset| offset + self.shift), ..run };
        self.inner.runs().map(|runs| runs.into_iter().map(shifted).collect())
    }

    fn stored(&self) -> Result<Option<Box<dyn Read + Send>>, Failure> {
        self.inner.stored()
    }

    fn is_shared(&self) -> bool {
        self.inner.is_shared()
    }

    fn within(&self) -> Option<&[u8]> {
        Some(&self.within)
    }
}
