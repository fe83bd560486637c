//! Digests of methods that have nothing here but their own file, compared by their own code.

use crate::{Comparison, Method};
use std::any::Any;
use std::fmt::{self, Debug, Display};
use std::sync::Arc;

/// A method that is made without parameters, and whose digests live as long as they are kept.
pub trait Own: Method<Hasher: 'static, Digest: 'static> + Default + 'static {}

impl<M: Method<Hasher: 'static, Digest: 'static> + Default + 'static> Own for M {}

/// A digest of such a method.
#[derive(Clone, Debug)]
pub struct Foreign(Arc<dyn Compared>);

impl Foreign {
    /// A digest of this method.
    pub fn new<M: Own>(digest: M::Digest) -> Foreign {
        Foreign(Arc::new(Held::<M>(digest)))
    }

    /// The digest itself; `None` if it is one of another method.
    pub fn of<M: Own>(&self) -> Option<&M::Digest> {
        (&*self.0 as &dyn Any).downcast_ref::<Held<M>>().map(|held| &held.0)
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

trait Compared: Any + Debug + Display + Send + Sync {
    fn compare(&self, other: &dyn Any) -> Option<Comparison>;
    fn equals(&self, other: &dyn Any) -> bool;
}

struct Held<M: Own>(M::Digest);

impl<M: Own> Compared for Held<M> {
    fn compare(&self, other: &dyn Any) -> Option<Comparison> {
        other.downcast_ref::<Held<M>>().map(|other| M::default().compare(&self.0, &other.0))
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<Held<M>>().is_some_and(|other| self.0 == other.0)
    }
}

impl<M: Own> Debug for Held<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

impl<M: Own> Display for Held<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}
