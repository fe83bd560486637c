# %% [markdown]
# # Near duplicates as a graph
# Every pair of similar files is an edge; a group of versions of one text is a component.

# %%
import pathlib
import random

import networkx

import pfh

chance = random.Random(1)
words = [f"word{number}" for number in range(4000)]
folder = pathlib.Path("texts")
folder.mkdir()
for family in range(5):
    text = chance.choices(words, k=4000)
    for version in range(4):
        (folder / f"{family}-{version}").write_text(" ".join(text))
        at = chance.randrange(3500)
        text[at : at + 40] = chance.choices(words, k=40)

pairs, left_out = pfh.compare(folder, "ssdeep", recursive=True, threshold=40)
print(len(pairs), "pairs;", len(left_out), "files were not read")

# %%
graph = networkx.Graph()
graph.add_nodes_from(str(path) for path in folder.iterdir())
graph.add_weighted_edges_from((pair.a, pair.b, pair.score) for pair in pairs)
groups = sorted(sorted(group) for group in networkx.connected_components(graph))
for group in groups:
    print(", ".join(pathlib.Path(path).name for path in group))

# %% [markdown]
# The file that is closest to all others of its group stands for it.

# %%
for group in groups:
    print(max(group, key=lambda path: graph.degree(path, weight="weight")))

# %%
assert len(groups) == 5 and all(len(group) == 4 for group in groups)
