//! Methods that have nothing here but their own file: their digests, compared by their own code.

use crate::{Comparison, Content, Hasher, Method, Named, Profile, Similar};
use pfh_digest::Standing::Similarity;
use pfh_digest::{Output, Row, State, Value};
use std::any::Any;
use std::fmt::{self, Debug, Display};
use std::sync::Arc;

/// A method that a registry can hold: with it every job takes its digests, also those of another
/// crate. `examples/own_method.rs` is one.
pub trait Listed: Method<Hasher: 'static, Digest: 'static> + Default + 'static {
    /// Its name, its words and its numbers.
    const PROFILE: &'static Profile;

    /// The same as a fact of its row.
    #[doc(hidden)]
    const NAMED: &'static Named = &Named::Foreign(Self::PROFILE);

    /// Its row, for a `pfh_digest::Registry`, or by itself for `Algorithm::from_row`.
    const ROW: Row = Row::new(Self::PROFILE.name, Self::PROFILE.aliases, Output::Text, Similarity, 1, || {
        Box::new(Running::<Self>(Self::default().hasher()))
    })
    .with_parser(|text| Similar::parse(Named::Foreign(Self::PROFILE), text).ok().map(Value::from))
    .with_fact(Self::NAMED);
}

/// A digest of such a method.
#[derive(Clone, Debug)]
pub struct Foreign(Arc<dyn Compared>);

impl Foreign {
    /// A digest of this method.
    pub fn new<M: Listed>(digest: M::Digest) -> Foreign {
        Foreign(Arc::new(Held::<M>(digest)))
    }

    /// The digest itself; `None` if it is one of another method.
    pub fn of<M: Listed>(&self) -> Option<&M::Digest> {
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

struct Held<M: Listed>(M::Digest);

impl<M: Listed> Compared for Held<M> {
    fn compare(&self, other: &dyn Any) -> Option<Comparison> {
        other.downcast_ref::<Held<M>>().map(|other| M::default().compare(&self.0, &other.0))
    }

    fn equals(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<Held<M>>().is_some_and(|other| self.0 == other.0)
    }
}

impl<M: Listed> Debug for Held<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

impl<M: Listed> Display for Held<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.0, f)
    }
}

struct Running<M: Listed>(M::Hasher);

impl<M: Listed> State for Running<M> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        let content = self.0.finalize().map(Foreign::new::<M>).map(Content::Foreign);
        Similar::new(Named::Foreign(M::PROFILE), content, None).into()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(Running::<M>(self.0.clone()))
    }
}
