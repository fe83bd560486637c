//! `import`: the tree of a file from bao's form; the file is not read.

use super::{
    Error, Event, Events, Failure, Outboard, Problem, Summary, TreeWork, beside, guard, lock, obao_parameters, pass,
};
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_outboard::{self as outboard, LONGEST};
use pfh_source::Ranges;
use pfh_source::os::names::OsStrExt;
use pfh_source::os::processors;
use pfh_tree::foreign::obao;
use std::path::PathBuf;

/// A file, bao's outboard of it, and where the tree goes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The file: only its length is looked at.
    pub file: PathBuf,
    /// Where the tree goes.
    pub tree: PathBuf,
    /// bao's outboard.
    pub obao: PathBuf,
    /// The key, if it is of BLAKE3's keyed mode.
    pub secret: Option<Secret>,
    /// The root that it must give.
    pub root: Option<[u8; 32]>,
    /// Bytes of a leaf of the tree: a power of two from 1 KiB to 16 MiB; 16 KiB.
    pub leaf: usize,
    /// Whether an existing file that is not a tree may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// The tree goes beside the file.
    pub fn new(file: impl Into<PathBuf>, obao: impl Into<PathBuf>) -> Request {
        let file = file.into();
        let tree = beside(&file);
        Request { file, tree, obao: obao.into(), secret: None, root: None, leaf: 16 << 10, replace: false }
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.reads_apart([&self.obao, &self.file]);
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        guard(&mut outputs, &self.file, &self.tree);
        outputs
    }

    /// Whether the outputs can be written, and nothing that is read is in their way.
    ///
    /// # Errors
    /// When an output is refused.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.outputs().check()?)
    }

    /// The tree. Every node of the outboard is computed again.
    fn decode(&self) -> Result<Outboard, Error> {
        let parameters = obao_parameters(self.secret.as_ref())?;
        let unread = |problem| Failure::Read { file: self.obao.clone(), problem };
        let read = || -> Result<Vec<u8>, pfh_source::Problem> {
            let file = Ranges::open(self.obao.as_os_str().as_bytes())?;
            let bytes = file.read_all(LONGEST)?;
            file.close()?;
            Ok(bytes)
        };
        let wrong = |malformed| Failure::Tree { file: self.obao.clone(), malformed };
        Ok(obao::decode(&read().map_err(unread)?, self.leaf, parameters).map_err(wrong)?)
    }
}

/// Makes the tree.
///
/// # Errors
/// When the outboard cannot be read, is damaged, gives another root than the one stated or is of a
/// file of another length, or the tree cannot be written; also when the control is cancelled.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let summary = imported(request, control)?;
    events(Event::Done(&summary)).map_err(Error::Sink)?;
    Ok(summary)
}

fn imported(request: &Request, control: &Control<'_>) -> Result<Summary, Error> {
    let tree = request.decode()?;
    if let Some(stated) = request.root.filter(|root| root != tree.root()) {
        return Err(Problem::OtherRoot { file: request.obao.clone(), found: *tree.root(), stated }.into());
    }
    let unread = |problem| Failure::Read { file: request.file.clone(), problem };
    let found = Ranges::open(request.file.as_os_str().as_bytes()).map_err(unread)?.size();
    if found != tree.length() {
        return Err(Failure::Length { file: request.file.clone(), stated: tree.length(), found }.into());
    }
    pass(processors(), control, |pass| -> Result<(), Failure> {
        let locked = lock(&request.tree, pass)?;
        outboard::store(&tree, &request.tree, locked)
    })?;
    Ok(Summary::new(&request.file, &tree.header(), TreeWork::Imported))
}
