//! Digests of methods that have nothing here but their own file, compared by their own code.

use crate::{Comparison, Method};
use std::any::Any;
use std::fmt::{self, Debug, Display};
use std::sync::Arc;

/// A method that is made without parameters, and whose digests live as long as they are kept.
pub trait OwnMethod: Method<Hasher: 'static, Digest: 'static> + Default + 'static {}

impl<M: Method<Hasher: 'static, Digest: 'static> + Default + 'static> OwnMethod for M {}

/// A digest of such a method.
#[derive(Clone, Debug)]
pub struct Foreign(Arc<dyn DynDigest>);

impl Foreign {
    /// A digest of this method.
    pub fn new<M: OwnMethod>(digest: M::Digest) -> Foreign {
        Foreign(Arc::new(HeldMethod::<M>(digest)))
    }

    /// The digest itself; `None` if it is one of another method.
    pub fn of<M: OwnMethod>(&self) -> Option<&M::Digest> {
        (&*self.0 as &dyn Any).downcast_ref::<HeldMethod<M>>().map(|held| &held.0)
    }

    /// How alike the inputs of both are; `None` for digests of two methods.
    pub fn compare(&self, other: &Foreign) -> Option<Comparison> {
        self.0.compare(&*other.0)
    }
}

impl PartialEq for Foreign {
    fn eq(&self, other: &Foreign) -> bool {
        self.0.equals(&*other.0)
    }
}

impl Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&*self.0, f)
    }
}

trait DynDigest: Any + Debug + Display + Send + Sync {
    fn compare(&self, other: &dyn Any) -> Option<Comparison>;
    fn equals(&self, other: &dyn Any) -> bool;
}

struct HeldMethod<M: OwnMethod>(M::Digest);

impl<M: OwnMethod> DynDigest for HeldMethod<M> {
    fn compare(&self, other: &dyn Any) -> Option<Comparison> {
        other.downcast_ref::<HeldMethod<M>>().map(|other| M::default().compare(&self.0, &other.0))
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<HeldMethod<M>>().is_some_and(|other| self.0 == other.0)
    }
}

impl<M: OwnMethod> Debug for HeldMethod<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

impl<M: OwnMethod> Display for HeldMethod<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}
