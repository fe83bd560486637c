//! What is asked of a report.

use crate::outputs::Outputs;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Results, and the page that shows them.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Request {
    /// Results, and folders with results.
    pub paths: Vec<OsString>,
    /// The page. It may be in one of the folders: it is not read.
    pub page: PathBuf,
    /// Whether an existing page is replaced; never one of the results.
    pub replace: bool,
    /// What stands above the page.
    pub title: String,
    /// The file of the public key that seals and logs must be signed with.
    pub key: Option<PathBuf>,
}

impl Request {
    /// These results on a page of this name.
    pub fn new(paths: impl IntoIterator<Item = impl Into<OsString>>, page: impl Into<PathBuf>) -> Request {
        Request {
            paths: paths.into_iter().map(Into::into).collect(),
            page: page.into(),
            replace: false,
            title: "Report of a case".to_owned(),
            key: None,
        }
    }

    /// What is read and written.
    pub fn outputs(&self) -> Outputs {
        let mut outputs = Outputs::new(self.replace);
        outputs.reads_apart(self.paths.iter().map(Path::new)).reads_apart(&self.key).file("--html", Some(&self.page));
        outputs
    }
}
