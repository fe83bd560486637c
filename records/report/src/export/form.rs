//! The forms of timelines and tables by name.

use std::fmt;
use std::str::FromStr;

/// The form that a result is exported in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Comma-separated values for Timesketch: a row for each time of a file.
    Timesketch,
    /// A body file (version 3) for mactime and log2timeline.
    Bodyfile,
    /// Apache Parquet: a row for each record.
    Parquet,
}

impl Form {
    /// Every form, in the order of the documentation.
    pub const ALL: [Form; 3] = [Form::Timesketch, Form::Bodyfile, Form::Parquet];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Form::Timesketch => "timesketch",
            Form::Bodyfile => "bodyfile",
            Form::Parquet => "parquet",
        }
    }

    /// Whether it is made of times: a row without one has no place in it.
    pub fn is_timeline(self) -> bool {
        matches!(self, Form::Timesketch | Form::Bodyfile)
    }

    /// Why this build does not write it, if it does not.
    pub fn missing(self) -> Option<&'static str> {
        let has = self != Form::Parquet || cfg!(feature = "parquet");
        (!has).then_some("this build writes no Parquet: build it with --features parquet")
    }
}

/// A text that names no form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownForm(String);

impl fmt::Display for UnknownForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = Form::ALL.map(Form::name).join(", ");
        write!(f, "unknown form {:?}; known are {known}", self.0)
    }
}

impl std::error::Error for UnknownForm {}

impl FromStr for Form {
    type Err = UnknownForm;

    fn from_str(text: &str) -> Result<Form, UnknownForm> {
        Form::ALL.into_iter().find(|form| form.name() == text).ok_or_else(|| UnknownForm(text.to_owned()))
    }
}
