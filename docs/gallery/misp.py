# %% [markdown]
# # Objects for MISP
# Each suspicious file becomes a `file` object of [MISP](https://www.misp-project.org), by pymisp:
# its name, size, digests and similarity digests. `PyMISP(URL, KEY).add_event(event)` sends the event.

# %%
import pathlib
import random

from pymisp import MISPEvent, MISPObject

import pfh

samples = pathlib.Path("samples")
samples.mkdir(exist_ok=True)
content = random.Random(1).randbytes(20_000)
(samples / "dropper.exe").write_bytes(b"MZ" + content)
(samples / "dropper-2.exe").write_bytes(b"MZ" + content[:10_000] + b"patched" + content[10_000:])
(samples / "note.txt").write_bytes(b"short")

# %% [markdown]
# A file that is too short or too plain for TLSH has `TNULL`, which is left out: in MISP it would
# relate all such files.

# %%
NAMES = {"md5": "md5", "sha1": "sha1", "sha256": "sha256", "ssdeep": "ssdeep", "tlsh": "tlsh"}
event = MISPEvent()
event.info = "Files of case 12"
unread = []
for record in pfh.hash_files(samples, list(NAMES), recursive=True):
    if not isinstance(record, pfh.Hashed):
        unread.append(record)
        continue
    item = MISPObject("file", strict=True)
    item.add_attribute("filename", record.path)
    item.add_attribute("size-in-bytes", record.size)
    for algorithm, name in NAMES.items():
        if (digest := record.hexdigests[algorithm]) != "TNULL":
            item.add_attribute(name, digest)
    event.add_object(item)
pathlib.Path("event.json").write_text(event.to_json())
print(len(event.objects), "objects;", len(unread), "unread")

# %% [markdown]
# Read back: the event is whole, and the two samples are related by what it holds.

# %%
back = MISPEvent()
back.load_file("event.json")
values = {item.get_attributes_by_relation("filename")[0].value: {a.object_relation: a.value for a in item.attributes} for item in back.objects}
score = pfh.ssdeep.compare(*(values[f"samples/{name}"]["ssdeep"] for name in ("dropper.exe", "dropper-2.exe")))
print(score)

# %%
assert not unread and len(values) == 3 and score > 80
assert values["samples/dropper.exe"]["sha256"] == pfh.sha256(b"MZ" + content).hexdigest()
assert "tlsh" not in values["samples/note.txt"] and int(values["samples/note.txt"]["size-in-bytes"]) == 5
