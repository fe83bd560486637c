"""A wheel at work in any interpreter, with nothing else installed: `python quick.py UNPACKED-WHEEL`, or without a word the installed one."""

import os
import platform
import sys
import tempfile


def main():
    if len(sys.argv) > 1:
        sys.path.insert(0, os.path.abspath(sys.argv[1]))
    os.chdir(tempfile.mkdtemp())
    import pfh

    # NIST's vectors for "abc", and RFC 1321's; lengths around a block, by two ways.
    assert pfh.sha256(b"abc").hexdigest() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert pfh.sha3_256(b"abc").hexdigest() == "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"
    assert pfh.md5(b"abc").hexdigest() == "900150983cd24fb0d6963f7d28e17f72"
    assert pfh.blake3(b"").hexdigest() == "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"
    for name in sorted(pfh.algorithms_available):
        messages = [bytes([length & 255]) * length for length in (0, 1, 63, 64, 65, 127, 128, 200, 4096)]
        assert pfh.hash_many(messages, name) == [pfh.new(name, message).digest() for message in messages], name

    text = " ".join(str(number) for number in range(5000)).encode()
    os.mkdir("tree")
    for name, content in (("text", text), ("near", text[:10_000] + b"changed" + text[10_000:]), ("empty", b"")):
        with open(os.path.join("tree", name), "wb") as file:
            file.write(content)
    records = list(pfh.hash_files(["tree", "missing"], ["md5", "sha256"], recursive=True))
    assert [type(record).__name__ for record in records] == ["Hashed"] * 3 + ["Failed"], records
    assert records[0].size == 0 and records[-1].code == "ENOENT"
    by = {os.path.basename(record.path): record for record in records}
    assert by["text"]["sha256"] == pfh.sha256(text).digest()

    pairs, left_out = pfh.compare(["tree/text", "tree/near"], "ssdeep")
    assert [(pair.a, pair.b) for pair in pairs] == [("tree/text", "tree/near")] and pairs[0].score > 90 and not left_out

    with open("SUMS", "w") as file:
        file.write(f"{by['text'].hexdigests['sha256']}  tree/text\n{by['near'].hexdigests['sha256']}  tree/near\n")
    done = pfh.check("SUMS")
    assert bool(done) and done.verified == 2, done
    with open("tree/near", "ab") as file:
        file.write(b".")
    done = pfh.check("SUMS")
    assert not done and done.files == [("tree/text", "right"), ("tree/near", "wrong")], done

    # A module that needs the lock of the interpreter would have turned it on.
    threads = "" if getattr(sys, "_is_gil_enabled", lambda: True)() else ", without the lock"
    libc = "-".join(platform.libc_ver()) if platform.libc_ver()[0] == "glibc" else "musl"
    print(f"pfh {pfh.__version__} works in CPython {platform.python_version()}{threads} on {platform.machine()}, {libc}")


if __name__ == "__main__":
    main()
