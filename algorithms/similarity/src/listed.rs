//! The row of a method that has nothing here but its own file.

use crate::foreign::OwnMethod;
use crate::{Content, Foreign, Hasher, MethodName, Profile, Similar};
use pfh_digest::Standing::Similarity;
use pfh_digest::{Output, Row, State, Value};

/// A method that a registry can hold: with it every job takes its digests, also those of another
/// crate. `examples/own_method.rs` is one.
pub trait RegisteredMethod: OwnMethod {
    /// Its name, its words and its numbers.
    const PROFILE: &'static Profile;

    /// The same as a fact of its row.
    #[doc(hidden)]
    const NAMED: &'static MethodName = &MethodName::Foreign(Self::PROFILE);

    /// Its row, for a `pfh_digest::Registry`, or by itself for `Algorithm::from_row`.
    const ROW: Row = Row::new(Self::PROFILE.name, Self::PROFILE.aliases, Output::Text, Similarity, 1, || {
        Box::new(Running::<Self>(Self::default().hasher()))
    })
    .with_parser(|text| Similar::parse(MethodName::Foreign(Self::PROFILE), text).ok().map(Value::from))
    .with_fact(Self::NAMED);
}

struct Running<M: RegisteredMethod>(M::Hasher);

impl<M: RegisteredMethod> State for Running<M> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finalize(self: Box<Self>, _: usize) -> Value {
        let content = self.0.finalize().map(Foreign::new::<M>).map(Content::Foreign);
        Similar::new(MethodName::Foreign(M::PROFILE), content, None).into()
    }

    fn duplicate(&self) -> Box<dyn State> {
        Box::new(Running::<M>(self.0.clone()))
    }
}
