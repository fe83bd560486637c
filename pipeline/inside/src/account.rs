//! The account of an input: what each of its bytes is.

use super::about::unopened;
use super::detect::Container;
use super::options::Options;
use super::outer::Outer;
use pfh_archive as archive;
use pfh_source::{Entry, Problem, Stage};
use pfh_volume::account::{self, Account};

use crate::member::problem;

/// The account of an entry of the input: of the medium that an image holds, or of an archive.
/// `None` of a file that is not a container. With it, what was found wrong on the way.
///
/// # Errors
/// If it cannot be opened or read, or its format has no account.
pub fn account(entry: &Entry, options: &Options) -> Result<Option<(Account, Vec<Problem>)>, Problem> {
    let failed = |failure| problem(Stage::Walk, &failure);
    let (container, bytes) = match Outer::of(entry, b"", false, options, None) {
        Outer::Container(container, bytes, _) => (container, bytes),
        Outer::Failed(problem) => return Err(problem),
        Outer::Blank => return Err(unopened("holds no partition table and no file system that is known")),
        Outer::File | Outer::Segment(_) | Outer::Part(_) => return Ok(None),
    };
    let account = match container {
        Container::Archive(format) => match archive::account(format, &bytes).map_err(failed)? {
            Some(account) => Ok(account),
            None => Err(unopened(format!("{}: its bytes are not accounted for yet", format.name()))),
        },
        Container::Divided(_) | Container::Volume(_) => account::medium(&bytes).map_err(failed),
        Container::Refused(refused) => Err(unopened(refused.why)),
        Container::Parts(..) | Container::Layout(_) | Container::Disk(..) => {
            Err(unopened("its bytes are not accounted for yet"))
        }
    }?;
    let faults = account.faults.iter().map(|fault| problem(Stage::Walk, fault)).collect();
    Ok(Some((account, faults)))
}
