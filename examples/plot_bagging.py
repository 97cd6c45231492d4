"""
One machine and a bag of machines
=================================

Where classes overlap and one is rare, a single support vector machine pays least when it gives the
rare class up. :class:`~rarebit.BaggedSVC` trains many machines on bags with as many rows of each
class, and lets them vote.
"""

# %%
# Two half moons, 25 rare rows of 1,025, in two dimensions so that the border can be seen.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from rarebit import BaggedSVC, KernelSVC
from rarebit.metrics import sensitivity_score, specificity_score

X, y = make_moons((1000, 25), noise=0.35, random_state=3)
X_test, y_test = make_moons((4000, 100), noise=0.35, random_state=4)

machines = {
    "KernelSVC": KernelSVC(C=1.0),
    'KernelSVC, class_weight="balanced"': KernelSVC(C=1.0, class_weight="balanced"),
    "BaggedSVC, 50 bags": BaggedSVC(n_estimators=50, random_state=0),
}

# %%
# The shade is the score of the rare class, the line its border.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.8), sharex=True, sharey=True, layout="constrained")
grid = np.stack(np.meshgrid(np.linspace(-2, 3, 160), np.linspace(-1.7, 2.2, 160)), axis=-1)
for ax, (name, machine) in zip(axes, machines.items(), strict=True):
    machine.fit(X, y)
    score = machine.minority_score(grid.reshape(-1, 2)).reshape(160, 160)
    reach = np.abs(score).max()
    ax.contourf(
        *np.moveaxis(grid, -1, 0), score, 20, cmap="RdBu_r", vmin=-reach, vmax=reach, alpha=0.6
    )
    ax.contour(*np.moveaxis(grid, -1, 0), score, [0.0], colors="k", linewidths=1.5)
    ax.scatter(*X[y == 0].T, s=4, color="0.35", linewidths=0)
    ax.scatter(*X[y == 1].T, s=22, color="crimson", edgecolors="w", linewidths=0.6)
    guess = machine.predict(X_test)
    found, alone = sensitivity_score(y_test, guess), specificity_score(y_test, guess)
    ax.set_title(f"{name}\nfinds {found:.0%}, leaves {alone:.0%} alone", fontsize=9)
    ax.set(xticks=[], yticks=[])

# %%
# The machines of a bag differ by the majority rows that were drawn. Their single borders, and the
# border of their vote:

bagged = machines["BaggedSVC, 50 bags"]
rng = np.random.default_rng(0)
figure, ax = plt.subplots(figsize=(5.5, 4.2), layout="constrained")
for _ in range(15):
    drawn = rng.choice(np.flatnonzero(y == 0), np.sum(y == 1))
    rows = np.concatenate([drawn, np.flatnonzero(y == 1)])
    score = KernelSVC().fit(X[rows], y[rows]).minority_score(grid.reshape(-1, 2))
    ax.contour(
        *np.moveaxis(grid, -1, 0), score.reshape(160, 160), [0.0], colors="tab:blue",
        linewidths=0.7, alpha=0.6,
    )  # fmt: skip
vote = bagged.minority_score(grid.reshape(-1, 2)).reshape(160, 160)
ax.contour(*np.moveaxis(grid, -1, 0), vote, [0.0], colors="k", linewidths=2.5)
ax.scatter(*X[y == 0].T, s=4, color="0.6", linewidths=0)
ax.scatter(*X[y == 1].T, s=22, color="crimson", edgecolors="w", linewidths=0.6)
ax.set(xticks=[], yticks=[], title="15 balanced bags, and the vote of 50")
plt.show()
