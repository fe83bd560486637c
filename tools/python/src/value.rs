//! Results as instances of the classes in `pfh/_values.py`: they compare, sort, hash and pickle.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

/// An instance of one of those classes, by its fields in their order.
pub fn made<'py>(
    py: Python<'py>,
    class: &'static PyOnceLock<Py<PyAny>>,
    name: &str,
    fields: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    let found = class.get_or_try_init(py, || Ok::<_, PyErr>(py.import("pfh._values")?.getattr(name)?.unbind()))?;
    found.bind(py).call1(fields.into_pyobject(py)?)
}

/// Hands a struct over as an instance of the class of its name, whose fields are these in this
/// order.
macro_rules! value {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl<'py> pyo3::IntoPyObject<'py> for $name {
            type Target = pyo3::PyAny;
            type Output = pyo3::Bound<'py, pyo3::PyAny>;
            type Error = pyo3::PyErr;

            fn into_pyobject(self, py: pyo3::Python<'py>) -> pyo3::PyResult<Self::Output> {
                static CLASS: pyo3::sync::PyOnceLock<pyo3::Py<pyo3::PyAny>> = pyo3::sync::PyOnceLock::new();
                crate::value::made(py, &CLASS, stringify!($name), ($(self.$field,)+))
            }
        }
    };
}
pub(crate) use value;
