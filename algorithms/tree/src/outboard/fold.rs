//! The root of leaf values that come one after the other, in memory of the tree's height.

use super::{Parameters, Value};

/// Takes the values of all leaves from left to right and gives the root. Holds a value for each
/// level.
pub(crate) struct Fold {
    parameters: Parameters,
    length: u64,
    /// Levels and values of complete subtrees, the largest first.
    stack: Vec<(u32, Value)>,
    count: u64,
}

impl Fold {
    /// No leaf so far of a file of `length` bytes.
    pub(crate) fn new(parameters: Parameters, length: u64) -> Fold {
        Fold { parameters, length, stack: Vec::new(), count: 0 }
    }

    /// The next leaf's value. Two subtrees of one size are joined only when more follows: the last
    /// join is the root.
    pub(crate) fn push(&mut self, value: Value) {
        while self.stack.len() as u32 > self.count.count_ones() {
            self.join();
        }
        self.stack.push((0, value));
        self.count += 1;
    }

    fn join(&mut self) {
        if let (Some((_, right)), Some((level, left))) = (self.stack.pop(), self.stack.pop()) {
            self.stack.push((level + 1, self.parameters.node(level, &[left, right])));
        }
    }

    /// The root, if as many leaves came as the file has.
    pub(crate) fn finish(mut self) -> Option<Value> {
        if self.count != self.parameters.leaf_count(self.length) {
            return None;
        }
        while self.stack.len() > 2 {
            let (_, right) = self.stack.pop()?;
            let (level, left) = self.stack.pop()?;
            self.stack.push((level + 1, self.parameters.node(level, &[left, right])));
        }
        let level = self.stack.first()?.0;
        let top: Vec<Value> = self.stack.iter().map(|(_, value)| *value).collect();
        Some(self.parameters.root(self.length, level, &top))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outboard::{Builder, Function};

    #[test]
    fn the_fold_of_the_leaves_is_the_root() {
        for function in Function::ALL {
            for leaves in (0..70).chain([127, 128, 129, 1000, 1023, 1024, 1025]) {
                for cut in [0, 1, 1000] {
                    let data = vec![9; (leaves * 1024_usize).saturating_sub(cut)];
                    let parameters = Parameters::new(function, 1024).unwrap();
                    let mut builder = Builder::new(parameters);
                    builder.update(&data);
                    let tree = builder.finish();
                    let mut fold = Fold::new(parameters, data.len() as u64);
                    tree.level(0).iter().for_each(|value| fold.push(*value));
                    assert_eq!(fold.finish().as_ref(), Some(tree.root()), "{function:?}, {leaves} leaves less {cut}");
                }
            }
        }
    }
}
