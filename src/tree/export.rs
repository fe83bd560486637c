//! `export`: the tree of a file in bao's form, which bao and other programs over BLAKE3 read.

use super::{Error, Event, Events, Problem, Summary, TreeWork, obao_parameters, pass, save};
use crate::algorithms::Secret;
use crate::outputs::Outputs;
use pfh_engine::Control;
use pfh_outboard as outboard;
use pfh_source::os::processors;
use pfh_tree::foreign::obao;
use std::path::PathBuf;

/// A file, and where bao's outboard goes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// The file, which is read.
    pub file: PathBuf,
    /// Where bao's outboard goes.
    pub obao: PathBuf,
    /// The key, if the tree is to be that of BLAKE3's keyed mode.
    pub secret: Option<Secret>,
    /// The root that the file must give.
    pub root: Option<[u8; 32]>,
    /// Threads that hash: one per processor.
    pub threads: usize,
    /// Whether an existing file may be replaced; inputs never are.
    pub replace: bool,
}

impl Request {
    /// With any root that the file gives.
    pub fn new(file: impl Into<PathBuf>, obao: impl Into<PathBuf>) -> Request {
        Request {
            file: file.into(),
            obao: obao.into(),
            secret: None,
            root: None,
            threads: processors(),
            replace: false,
        }
    }

    /// Inputs and outputs.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.file("obao", Some(&self.obao)).reads(&self.file);
        outputs.reads_all(self.secret.as_ref().and_then(Secret::path));
        outputs
    }

    /// Whether the outputs can be written, and nothing that is read is in their way.
    ///
    /// # Errors
    /// When an output is refused.
    pub fn check(&self) -> Result<(), Error> {
        Ok(self.outputs().check()?)
    }
}

/// Hashes the file and writes its tree in bao's form.
///
/// # Errors
/// When the file cannot be read or gives another root than the one stated, or the output cannot be
/// written; also when the control is cancelled.
pub fn run(request: &Request, events: &mut Events<'_>, control: &Control<'_>) -> Result<Summary, Error> {
    request.check()?;
    let summary = exported(request, control)?;
    events(Event::Done(&summary)).map_err(Error::Sink)?;
    Ok(summary)
}

fn exported(request: &Request, control: &Control<'_>) -> Result<Summary, Error> {
    let file = &request.file;
    let parameters = obao_parameters(request.secret.as_ref())?;
    let tree = pass(request.threads, control, |pass| outboard::build(file, parameters, pass))?;
    if let Some(stated) = request.root.filter(|root| root != tree.root()) {
        return Err(Problem::OtherRoot { file: file.clone(), found: *tree.root(), stated }.into());
    }
    save(&request.obao, &obao::encode(&tree).expect("built with its parameters"))?;
    Ok(Summary::new(file, &tree.header(), TreeWork::Exported))
}
