"""
Find rare digits that nobody has told of
========================================

A pool of 908 handwritten digits has no labels. Three digits are rare in it: 12 ones, 8 eights and
5 nines. Nobody knows that. :class:`~rarebit.Scout` asks for the rows that are worth a look, and
meets every digit long before random labelling would.
"""

# %%
# The pool comes from scikit-learn's digits. The labels are there, but the explorer sees only
# those that it asks for.

import matplotlib.pyplot as plt
import numpy as np

from rarebit import RandomExplorer, Scout, discover
from rarebit.datasets import load_rare_digits

X, y, _, _ = load_rare_digits(random_state=0)
found = discover(X, lambda row: int(y[row]), Scout(), n_classes=10)
print("labels spent when a digit was first seen:", found.discovered)

# %%
# The first row of every digit, in the order in which they were met. Rare digits have a red frame.

first = {digit: found.queries[spent - 1] for digit, spent in found.discovered.items()}
figure, axes = plt.subplots(2, 5, figsize=(8, 4.2), layout="constrained")
for ax, (digit, row) in zip(axes.flat, first.items(), strict=True):
    count = np.sum(y == digit)
    rare = count < 20
    ax.imshow(X[row].reshape(8, 8), cmap="gray_r")
    ax.set(xticks=[], yticks=[], xlabel=f"{count} in the pool")
    ax.set_title(f"label {found.discovered[digit]}: a {digit}", fontsize=10)
    ax.spines[:].set(color="tab:red" if rare else "0.7", linewidth=3 if rare else 1)

# %%
# Random labelling does it in the end, too. How long it takes, in twenty orders, beside Scout,
# whose questions do not depend on chance:

random = [
    max(
        discover(
            X, lambda row: int(y[row]), RandomExplorer(random_state=seed), n_classes=10
        ).discovered.values()
    )
    for seed in range(20)
]
scout = max(found.discovered.values())

figure, ax = plt.subplots(figsize=(7, 2.4), layout="constrained")
ax.scatter(random, np.zeros(20), s=60, alpha=0.5, label="random labelling, 20 orders")
ax.scatter([scout], [1], s=90, color="tab:red", label="Scout")
ax.annotate(f"{scout} labels", (scout, 1), xytext=(8, -4), textcoords="offset points")
ax.set(xlim=(0, None), ylim=(-0.6, 1.6), yticks=[0, 1], yticklabels=["random", "Scout"])
ax.set_xlabel("labels until all ten digits are seen")
ax.grid(axis="x", alpha=0.3)
print(f"Scout {scout} labels, random {np.mean(random):.0f} on average")
plt.show()
