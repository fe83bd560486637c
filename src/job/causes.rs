//! The one table from causes that several jobs share to errors. A cause of one job alone is given
//! its meaning where it arises.

use super::Error;
use crate::algorithms::SecretError;
use crate::destination::OpenError;
use crate::input::InputError;
use crate::outputs::OutputRefusal;
use crate::pass::Failure;
use pfh_custody::seal;

impl From<OutputRefusal> for Error {
    fn from(refused: OutputRefusal) -> Error {
        Error::Refused(refused)
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Error {
        match error {
            InputError::List { .. } => Error::input(error),
            _ => Error::request(error),
        }
    }
}

impl From<pfh_source::NamedTwice> for Error {
    fn from(error: pfh_source::NamedTwice) -> Error {
        Error::request(error)
    }
}

#[cfg(any(feature = "audit", feature = "image"))]
impl From<pfh_custody::key::KeyError> for Error {
    fn from(error: pfh_custody::key::KeyError) -> Error {
        match error {
            pfh_custody::key::KeyError::Read { .. } => Error::input(error),
            _ => Error::request(error),
        }
    }
}

impl From<SecretError> for Error {
    fn from(error: SecretError) -> Error {
        match error {
            SecretError::Read { .. } => Error::input(error),
            _ => Error::request(error),
        }
    }
}

impl From<seal::FileError> for Error {
    fn from(error: seal::FileError) -> Error {
        match error {
            #[cfg(any(feature = "audit", feature = "image"))]
            seal::FileError::Key(error) => error.into(),
            error if error.is_verdict() => Error::negative(error),
            error if error.is_unsigned() => Error::input(error),
            seal::FileError::Read { .. } => Error::input(error),
            seal::FileError::Write { .. } => Error::output(error),
            _ => Error::request(error),
        }
    }
}

impl From<OpenError> for Error {
    fn from(error: OpenError) -> Error {
        Error::output(error)
    }
}

impl From<pfh_engine::Error> for Error {
    fn from(error: pfh_engine::Error) -> Error {
        match error {
            pfh_engine::Error::Sink(error) => Error::Sink(error),
            error => Error::aborted(error),
        }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Error {
        match failure {
            Failure::Sink(error) => Error::Sink(error),
            Failure::Run(error) => error.into(),
        }
    }
}

#[cfg(feature = "audit")]
impl From<pfh_outboard::Failure> for Error {
    fn from(failure: pfh_outboard::Failure) -> Error {
        use pfh_outboard::Failure;
        match failure {
            Failure::Read { .. } | Failure::Tree { .. } => Error::input(failure),
            Failure::Write { .. } => Error::output(failure),
            Failure::Cancelled => Error::cancelled(failure),
            Failure::OtherTree { .. } | Failure::OtherFile { .. } => Error::negative(failure),
            _ => Error::request(failure),
        }
    }
}

#[cfg(feature = "audit")]
impl From<pfh_outboard::CatalogueError> for Error {
    fn from(error: pfh_outboard::CatalogueError) -> Error {
        use pfh_outboard::CatalogueError;
        match error {
            CatalogueError::Database { .. } => Error::aborted(error),
            CatalogueError::Unwritten { .. } => Error::output(error),
            CatalogueError::Cancelled(_) => Error::cancelled(error),
            CatalogueError::NoKey(_) | CatalogueError::OtherKey(_) | CatalogueError::Keyless(_) => {
                Error::request(error)
            }
            _ => Error::input(error),
        }
    }
}

#[cfg(feature = "audit")]
impl From<pfh_audit::Error> for Error {
    fn from(wrong: pfh_audit::Error) -> Error {
        let kind = kind_of(&wrong);
        Error::of(kind, wrong)
    }
}

#[cfg(feature = "audit")]
impl Error {
    /// Something wrong with this file of an audit.
    pub(crate) fn about(path: &std::path::Path, wrong: pfh_audit::Error) -> Error {
        let kind = kind_of(&wrong);
        Error::of(kind, super::PathError::new(path, wrong))
    }
}

#[cfg(feature = "audit")]
fn kind_of(wrong: &pfh_audit::Error) -> super::Kind {
    use super::Kind;
    use pfh_audit::Error as Wrong;
    match wrong {
        wrong if wrong.is_verdict() => Kind::Negative,
        Wrong::Kept { .. } | Wrong::Tokens { .. } | Wrong::Sample(_) | Wrong::Challenge(_) | Wrong::TooLarge { .. } => {
            Kind::Request
        }
        Wrong::Random(_) | Wrong::Evidence(_) => Kind::Aborted,
        // Nothing was found out.
        _ => Kind::Input,
    }
}

/// A set that is built, written or asked. Of one that is damaged no verdict is worth anything; that
/// one cannot be opened is another kind of error.
#[cfg(feature = "known")]
impl From<pfh_known::Error> for Error {
    fn from(error: pfh_known::Error) -> Error {
        match error {
            pfh_known::Error::Cancelled => Error::cancelled(error),
            error => Error::aborted(error),
        }
    }
}

impl From<pfh_pairs::Failure> for Error {
    fn from(failure: pfh_pairs::Failure) -> Error {
        match failure {
            pfh_pairs::Failure::Interrupted => Error::cancelled(failure),
            pfh_pairs::Failure::Output(error) => Error::Sink(error),
            failure => Error::aborted(failure),
        }
    }
}
