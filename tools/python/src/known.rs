//! Sets of known files.

use crate::cancel::Token;
use crate::job::Hooks;
use crate::many::look;
use crate::value::value;
use crate::{error, job, request};
use pfh::Digest;
use pfh::known::{Class, build};
use pfh::matching::{Empty, Gap, OpenSets, Reference, Sets};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use std::path::PathBuf;

/// The verdict of sets on one digest or file.
pub struct Verdict {
    /// `known-bad`, `known-good`, `known`, `maybe` (a filter alone has it), `unknown`, or
    /// `nothing-to-compare-with` (no set has a digest of its algorithm).
    status: &'static str,
    /// The sets that have it: name and class of each.
    sets: Vec<(String, String)>,
    /// Whether it is the digest of no bytes at all, which says nothing.
    empty: bool,
}

value!(Verdict { status, sets, empty });

/// Open sets, each a file that `Known.build` or `pfh known build` made, or a list of digests in any
/// format.
#[pyclass(frozen, module = "pfh")]
pub struct Known {
    reference: Reference,
    gaps: Vec<String>,
}

impl Verdict {
    /// A verdict with the sets that hold the file or digest.
    pub fn new(status: &'static str, places: Vec<pfh::report::verdict::Place<'_>>, empty: bool) -> Verdict {
        let place = |place: pfh::report::verdict::Place<'_>| (place.set.to_owned(), place.class.to_owned());
        Verdict { status, sets: places.into_iter().map(place).collect(), empty }
    }
}

/// Opens sets; parts that were not understood come as sentences.
pub fn open(py: Python<'_>, sets: &Sets) -> PyResult<(Reference, Vec<String>)> {
    let opened = job::run(py, |control| {
        let mut gaps = Vec::new();
        // A list that names no algorithm is whole all the same.
        let mut gap = |gap: &Gap<'_>| {
            if !matches!(gap, Gap::Guessed { .. }) {
                gaps.push(gap.to_string());
            }
        };
        sets.open_known(&mut gap, control.cancel()).map(|OpenSets { reference, .. }| (reference, gaps))
    })?;
    opened.map_err(|failed| error::of_job(py, &failed, sets.known.first().map(PathBuf::as_path)))
}

/// The sets of arguments: paths, and the class of lists among them.
pub fn sets(paths: &Bound<'_, PyAny>, class: Option<&str>, algorithm: Option<&str>) -> PyResult<Sets> {
    let class = class.map(str::parse::<Class>).transpose().map_err(error::value)?;
    let algorithms = algorithm.map(crate::hashing::named).transpose()?.into_iter().collect();
    Ok(Sets { class, algorithms, empty: Empty::SaysNothing, ..Sets::new(request::paths(paths)?) })
}

impl Known {
    /// A digest as bytes or hexadecimal digits, of this algorithm or of the one that its length
    /// tells.
    fn digest(&self, given: &Bound<'_, PyAny>, algorithm: Option<pfh::Algorithm>) -> PyResult<Digest> {
        let digits = match (given.cast::<PyString>(), given.cast::<PyBytes>()) {
            (Ok(text), _) => text.extract::<String>()?,
            (_, Ok(bytes)) => pfh::hex::encode(bytes.as_bytes()),
            _ => return Err(PyTypeError::new_err("a digest is bytes or hexadecimal digits")),
        };
        let algorithms = algorithm.into_iter().collect();
        let sets = Sets { digests: vec![digits], algorithms, ..Sets::default() };
        let mut digests = sets.digests().map_err(error::value)?;
        digests.pop().ok_or_else(|| error::value("no digest"))
    }
}

#[pymethods]
impl Known {
    /// Opens a set, or several. `cls` is the class of lists among them, which have none of their
    /// own: `bad`, `notable`, `good`, `no-change` or any word; `algorithm` that of digests that do
    /// not name theirs.
    #[staticmethod]
    #[pyo3(signature = (path, *, cls = None, algorithm = None))]
    fn open(py: Python<'_>, path: &Bound<'_, PyAny>, cls: Option<&str>, algorithm: Option<&str>) -> PyResult<Known> {
        let (reference, gaps) = open(py, &sets(path, cls, algorithm)?)?;
        Ok(Known { reference, gaps })
    }

    /// Compiles sets into one file, and opens it. `replace` replaces a file that is not a set.
    #[staticmethod]
    #[pyo3(signature = (path, *, good = None, bad = None, notable = None, replace = false, on_event = None, cancel = None))]
    #[expect(clippy::too_many_arguments, reason = "keyword arguments")]
    fn build(
        py: Python<'_>,
        path: &Bound<'_, PyAny>,
        good: Option<&Bound<'_, PyAny>>,
        bad: Option<&Bound<'_, PyAny>>,
        notable: Option<&Bound<'_, PyAny>>,
        replace: bool,
        on_event: Option<Py<PyAny>>,
        cancel: Option<Py<Token>>,
    ) -> PyResult<Known> {
        let output = request::path(path)?;
        let mut asked = build::Request::new(&output);
        asked.replace = replace;
        for (given, class) in [(good, Class::Good), (bad, Class::Bad), (notable, Class::Notable)] {
            for set in given.map_or_else(|| Ok(Vec::new()), request::paths)? {
                asked = asked.set(set, class.clone());
            }
        }
        let (built, mut gaps) = job::run_with(py, &Hooks { job: "Known.build", on_event, cancel }, |control| {
            let mut gaps = Vec::new();
            let mut event = |event: build::Event<'_>| {
                if let build::Event::Fault { path, line, fault } = event {
                    gaps.push(format!("{}:{line}: {fault}", pfh::terminal::shown(path)));
                }
                Ok(())
            };
            let built = build::run(&asked, &mut event, control);
            (built, gaps)
        })?;
        built.map_err(|failed| error::of_job(py, &failed, Some(&output)))?;
        let (reference, more) = open(py, &Sets::new([output]))?;
        gaps.extend(more);
        Ok(Known { reference, gaps })
    }

    /// The verdicts of the sets on digests, each as bytes or hexadecimal digits; in their order.
    #[pyo3(signature = (digests, algorithm = None))]
    fn lookup(&self, digests: &Bound<'_, PyAny>, algorithm: Option<&str>) -> PyResult<Vec<Verdict>> {
        let algorithm = algorithm.map(crate::hashing::named).transpose()?;
        let is_one = digests.is_instance_of::<PyString>() || digests.is_instance_of::<PyBytes>();
        let given: Vec<Bound<'_, PyAny>> =
            if is_one { vec![digests.clone()] } else { digests.try_iter()?.collect::<PyResult<_>>()? };
        let ask = |given: &Bound<'_, PyAny>| {
            let digest = self.digest(given, algorithm)?;
            if !self.reference.has(digest.algorithm()) {
                return Ok(Verdict { status: "nothing-to-compare-with", sets: Vec::new(), empty: false });
            }
            let answer = self.reference.ask(std::slice::from_ref(&digest));
            let answer = answer.map_err(|failed| error::unread(digests.py(), &failed.to_string(), None))?;
            let reference = &self.reference;
            Ok(Verdict::new(reference.verdict(&answer).name(), reference.places(&answer), answer.empty))
        };
        let look = |(at, given): (usize, &Bound<'_, PyAny>)| {
            look(given.py(), at)?;
            ask(given)
        };
        given.iter().enumerate().map(look).collect()
    }

    /// The sets: name, class and number of records of each.
    #[getter]
    fn sets(&self) -> Vec<(String, String, u64)> {
        let all = self.reference.sets.iter().flat_map(|known| known.sets());
        all.map(|set| (set.name.clone(), set.class().name().to_owned(), set.records)).collect()
    }

    /// The parts of the sets that were not understood, a sentence each: nothing is compared with
    /// them.
    #[getter]
    fn gaps(&self) -> Vec<String> {
        self.gaps.clone()
    }
}
