"""Images against what states their digests."""

import pytest

import pfh


def digits(data):
    return pfh.sha256(data).hexdigest()


def test_a_verdict_names_its_evidence(tmp_path):
    data = bytes(range(256)) * 400
    image = tmp_path / "disk.img"
    image.write_bytes(data)
    nothing = pfh.verify(image)
    assert not nothing and nothing.verdict == "nothing-to-compare-with" and nothing.compared == []
    assert nothing.missing

    found = pfh.verify(image, digests={"sha256": digits(data)})
    assert found and found.verdict == "verified" and not found.missing
    assert found.compared == [("sha256 of the image", "digests")] and found.sentence.startswith("verified: ")
    assert found.digests["sha256"] == digits(data)

    other = pfh.verify(image, digests={"sha256": digits(b"other")})
    assert not other and other.verdict == "differs" and "DIFFERENT" in " ".join(other.findings)
    with pytest.raises(ValueError):
        pfh.verify(image, digests={"sha256": "none"})
    with pytest.raises(ValueError):
        pfh.verify(image, digests={"none": digits(data)})


def test_byte_by_byte(tmp_path):
    data = bytes(range(256)) * 400
    for name, content in (("a", data), ("same", data), ("other", data[:-1] + b"x"), ("half", data[:51_200])):
        (tmp_path / name).write_bytes(content)
    verdicts = [pfh.verify(tmp_path / "a", against=tmp_path / name).verdict for name in ("same", "other", "half")]
    assert verdicts == ["verified", "differs", "nothing-to-compare-with"]


def test_an_acquired_image_and_its_log(tmp_path):
    (tmp_path / "disk").write_bytes(b"evidence" * 10_000)
    # The seed and public key of RFC 8032, 7.1, tests 1 and 2.
    (tmp_path / "key").write_text("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    (tmp_path / "key.pub").write_text("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")
    (tmp_path / "other.pub").write_text("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c")
    (tmp_path / "key").chmod(0o600)
    for name in ("disk.img", "disk.E01"):
        image = tmp_path / name
        done = pfh.acquire(tmp_path / "disk", image, key=tmp_path / "key")
        found = pfh.verify(image, key=tmp_path / "key.pub", log=done.log)
        assert found, found.sentence
        assert found.digests.items() >= done.digests.items()
        assert pfh.verify(image, key=tmp_path / "other.pub").verdict == "differs"
    raw = pfh.verify(tmp_path / "disk.E01", raw=True, log=tmp_path / "disk.img.log.jsonl")
    assert raw.verdict != "verified"


def test_what_is_not_there_is_an_exception(tmp_path):
    (tmp_path / "disk").write_bytes(b"abc")
    with pytest.raises(pfh.UnreadError) as raised:
        pfh.verify(tmp_path / "none")
    assert "none" in str(raised.value)
    for argument in ("log", "key", "against"):
        with pytest.raises(pfh.UnreadError):
            pfh.verify(tmp_path / "disk", **{argument: tmp_path / "none"})
