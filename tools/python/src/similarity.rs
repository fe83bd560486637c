//! The similarity methods: digests of bytes, and how alike two of them are.

use crate::error;
use crate::hashing::{Data, Hash, named};
use pfh::similarity::{MethodName, Similar};
use pfh::{Algorithm, Digest};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// One similarity method: `pfh.ssdeep`, `pfh.sdhash`, `pfh.mrsh_v2`, `pfh.tlsh`.
///
/// Called with bytes it gives a `Hash`, as the function of any algorithm's name does. `hash(data)`
/// gives the text of a digest, `compare(a, b)` the score of two.
#[pyclass(frozen, module = "pfh")]
pub struct Similarity {
    algorithm: Algorithm,
}

impl Similarity {
    /// The digest that a text or a hash object stands for.
    fn digest(&self, given: &Bound<'_, PyAny>) -> PyResult<Digest> {
        let text: String = match given.cast::<PyString>() {
            Ok(text) => text.extract()?,
            Err(_) => given.call_method0("hexdigest")?.extract()?,
        };
        Digest::parse(self.algorithm.into(), &text).map_err(error::value)
    }
}

#[pymethods]
impl Similarity {
    /// The method of this name: `ssdeep`, `sdhash`, `sdhash-dd`, `mrsh-v2`, `tlsh` …
    #[new]
    fn new(name: &str) -> PyResult<Similarity> {
        let algorithm = named(name)?;
        if MethodName::of(algorithm.into()).is_none() {
            return Err(error::value(format!("{name} is not a similarity method")));
        }
        Ok(Similarity { algorithm })
    }

    /// The name, which `pfh.new` takes.
    #[getter]
    fn name(&self) -> &'static str {
        self.algorithm.name()
    }

    /// A hash object that has seen `data`.
    #[pyo3(signature = (data = Data::Left, *, usedforsecurity = true))]
    fn __call__(&self, py: Python<'_>, data: Data<'_>, usedforsecurity: bool) -> PyResult<Hash> {
        let _ = usedforsecurity;
        Hash::start(py, self.algorithm, data.given())
    }

    /// The digest of bytes as text: `none` (TLSH: `TNULL`) if they are too short or too plain.
    fn hash(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<String> {
        Hash::start(py, self.algorithm, Some(data))?.hexdigest(py, None)
    }

    /// How alike the inputs of two digests are, each given as text or as a hash object: 0 to 100,
    /// for TLSH, PDQ and pHash a distance from 0 on. `ValueError` for a text that is not a digest,
    /// and for one that stands for an input without digest.
    fn compare(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<u32> {
        let (a, b) = (self.digest(a)?, self.digest(b)?);
        let similar = |digest| Similar::of(digest).ok_or_else(|| error::value("no similarity digest"));
        similar(&a)?
            .compare(similar(&b)?)
            .map(|compared| compared.score.number())
            .ok_or_else(|| error::value("one of the two inputs has no digest"))
    }

    /// The same under the name that py-tlsh has.
    fn diff(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<u32> {
        self.compare(a, b)
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Similarity {}>", self.algorithm.name())
    }
}
