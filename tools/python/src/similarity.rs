//! The similarity methods: digests of bytes, and how alike two of them are.

use crate::error;
use crate::hashing::{Data, Hash, named};
use pfh::similarity::{Content, Method, Named, Similar, crops, mrsh_v2, sdhash, ssdeep, tlsh};
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

/// How alike the inputs of two digests are; `None` if one of them has none.
fn score(a: &Similar, b: &Similar) -> Option<u32> {
    let network = a.method() == Named::MrshV2Network;
    let compared = match (a.content(), b.content()) {
        (Content::Ssdeep(a), Content::Ssdeep(b)) => ssdeep::Ssdeep.compare(a, b),
        (Content::Sdhash(a), Content::Sdhash(b)) => sdhash::Sdhash::STREAM.compare(a, b),
        (Content::MrshV2(a), Content::MrshV2(b)) if network => mrsh_v2::MrshV2::NETWORK.compare(a, b),
        (Content::MrshV2(a), Content::MrshV2(b)) => mrsh_v2::MrshV2::PLAIN.compare(a, b),
        (Content::Tlsh(a), Content::Tlsh(b)) => tlsh::Tlsh.compare(a, b),
        (Content::Pdq(a), Content::Pdq(b)) => return Some(a.distance(b)),
        (Content::Phash(a), Content::Phash(b)) => return Some(a.distance(b)),
        (Content::Crops(a), Content::Crops(b)) => return Some(u32::from(crops::common(a, b))),
        (Content::Shingles(a), Content::Shingles(b)) => a.compare(b),
        _ => return None,
    };
    Some(compared.score.number())
}

#[pymethods]
impl Similarity {
    /// The method of this name: `ssdeep`, `sdhash`, `sdhash-dd`, `mrsh-v2`, `tlsh` …
    #[new]
    fn new(name: &str) -> PyResult<Similarity> {
        let algorithm = named(name)?;
        if Named::of(algorithm.into()).is_none() {
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
        score(similar(&a)?, similar(&b)?).ok_or_else(|| error::value("one of the two inputs has no digest"))
    }

    /// The same under the name that py-tlsh has.
    fn diff(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<u32> {
        self.compare(a, b)
    }

    fn __repr__(&self) -> String {
        format!("<pfh.Similarity {}>", self.algorithm.name())
    }
}
