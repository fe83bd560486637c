# %% [markdown]
# # A map of similar files
# TLSH gives a distance for each pair, classical scaling puts the files into a plane, and the plane
# becomes a picture (`map.svg`). Files of one kind lie together.

# %%
import itertools
import pathlib
import random

import numpy

import pfh

chance = random.Random(3)
kinds = {"numbers": [str(n) for n in range(3000)], "words": [f"w{n:x}" for n in range(3000)], "lines": [f"\n\t{n};" for n in range(3000)]}
folder = pathlib.Path("files")
folder.mkdir()
for (kind, pieces), number in itertools.product(kinds.items(), range(8)):
    (folder / f"{kind}-{number}").write_text(" ".join(chance.choices(pieces, k=3000)))

records = [record for record in pfh.hash_files(folder, "tlsh", recursive=True) if isinstance(record, pfh.Hashed)]
digests = [record.hexdigests["tlsh"] for record in records]
distance = numpy.array([[pfh.tlsh.diff(a, b) for b in digests] for a in digests], dtype=float)
print(distance.shape, "largest distance", distance.max())

# %% [markdown]
# Classical scaling: the two main axes of the centred squares.

# %%
centre = numpy.eye(len(digests)) - 1 / len(digests)
values, axes = numpy.linalg.eigh(-centre @ distance**2 @ centre / 2)
plane = axes[:, -2:] * numpy.sqrt(numpy.maximum(values[-2:], 0))
low, high = plane.min(axis=0), plane.max(axis=0)
places = 20 + 360 * (plane - low) / (high - low)

# %%
colours = dict(zip(kinds, ("#1b6", "#36c", "#c63"), strict=True))
names = [pathlib.Path(record.path).name for record in records]
dots = "".join(f'<circle cx="{x:.0f}" cy="{y:.0f}" r="5" fill="{colours[name.split("-")[0]]}"><title>{name}</title></circle>' for name, (x, y) in zip(names, places, strict=True))
pathlib.Path("map.svg").write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400">{dots}</svg>')

# %%
kind = numpy.array([name.split("-")[0] for name in names])
inner = numpy.mean([distance[i, j] for i, j in itertools.combinations(range(len(kind)), 2) if kind[i] == kind[j]])
outer = numpy.mean([distance[i, j] for i, j in itertools.combinations(range(len(kind)), 2) if kind[i] != kind[j]])
print(f"mean distance within a kind {inner:.0f}, between kinds {outer:.0f}")
assert outer > 1.5 * inner and dots.count("circle cx") == 24
