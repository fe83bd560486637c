//! The interface of all methods.

use crate::{Comparison, NoDigest};
use std::fmt::{Debug, Display};
use std::str::FromStr;

/// A similarity method with its parameters.
pub trait Method: Clone + Debug {
    /// The digest, which prints as the reference tool prints it (with an empty name where the text
    /// holds one) and reads that back.
    type Digest: Clone + Debug + PartialEq + Display + FromStr<Err = crate::ParseError> + Send + Sync;
    /// One input on its way to a digest.
    type Hasher: Hasher<Digest = Self::Digest>;

    /// The method's name as it is used on the command line.
    fn name(&self) -> &'static str;

    /// A hasher that was given nothing yet.
    fn hasher(&self) -> Self::Hasher;

    /// The digest of an input that is in memory as a whole: the same as the hasher gives, and
    /// sooner where the length helps.
    fn digest(&self, input: &[u8]) -> Result<Self::Digest, NoDigest> {
        let mut hasher = self.hasher();
        hasher.update(input);
        hasher.finalize()
    }

    /// How alike the inputs of two digests are. The score does not depend on names; evidence is
    /// empty.
    fn compare(&self, a: &Self::Digest, b: &Self::Digest) -> Comparison;
}

/// One input on its way to a digest. Any split of the input into pieces gives the same digest, and
/// the memory needed beside the digest does not grow with the input.
pub trait Hasher: Clone + Send + Sync {
    /// The digest in which it ends.
    type Digest;

    /// Takes in the next bytes.
    fn update(&mut self, bytes: &[u8]);

    /// Ends the input.
    fn finalize(self) -> Result<Self::Digest, NoDigest>;
}
