"""
Operating points by pruning support vectors
===========================================

A plain support vector machine misses rare rows, because the many rows of the other class push its
border over them. :class:`~rarebit.PrunedSVC` takes majority support vectors away, one after
another, and offers every step as an operating point: from few false alarms to few misses.
"""

# %%
# Two overlapping clouds, 6 % rare.

import matplotlib.pyplot as plt
import numpy as np

from rarebit import PrunedSVC
from rarebit.metrics import sensitivity_score, specificity_score

rng = np.random.default_rng(0)


def draw(common, rare):
    """Rows of a wide cloud and of a smaller one inside its edge."""
    X = [rng.normal([0, 0], [1.5, 1.0], (common, 2)), rng.normal([2.2, 0.9], 0.6, (rare, 2))]
    return np.concatenate(X), np.repeat([0, 1], [common, rare])


X_train, y_train = draw(900, 60)
X_test, y_test = draw(4000, 400)
pruned = PrunedSVC(C=10.0, random_state=0).fit(X_train, y_train)
print(
    len(pruned.path_) - 1, "support vectors removed one by one;", pruned.n_trials_, "machines tried"
)

# %%
# Every machine of the path is a threshold curve of its own, drawn thin, and one operating point
# on it. The points walk up the left side of the ROC diagram.

scores = pruned.path_scores(X_test)
rare = y_test == 1
figure, ax = plt.subplots(figsize=(6.2, 5.4), layout="constrained")
steps = scores.shape[1]
colors = plt.colormaps["viridis"](np.linspace(0, 0.9, steps))
for step in range(steps):
    cuts = np.quantile(scores[:, step], np.linspace(0, 1, 200))
    alarms = [np.mean(scores[~rare, step] > cut) for cut in cuts]
    found = [np.mean(scores[rare, step] > cut) for cut in cuts]
    ax.plot(alarms, found, color=colors[step], linewidth=0.4, alpha=0.5)
points = ax.scatter(
    np.mean(scores[~rare] > 0, axis=0),
    np.mean(scores[rare] > 0, axis=0),
    c=np.arange(steps),
    cmap="viridis",
    s=22,
    zorder=3,
)
figure.colorbar(points, label="support vectors removed")
for name, choice in {"best g-mean": "g_mean", "specificity 0.95": {"specificity": 0.95}}.items():
    guess = pruned.at(choice).predict(X_test)
    place = 1 - specificity_score(y_test, guess), sensitivity_score(y_test, guess)
    ax.annotate(
        name, place, xytext=(25, -25), textcoords="offset points", arrowprops={"arrowstyle": "->"}
    )
ax.set(xlim=(-0.01, 0.6), xlabel="false positive rate", ylabel="sensitivity")
ax.set_title("One machine a removal, test rows")
ax.grid(alpha=0.3)

# %%
# ``at`` gives the classifier of any point without fitting again. What the border does:

figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), sharex=True, sharey=True, layout="constrained")
low, high = X_test.min(axis=0), X_test.max(axis=0)
grid = np.stack(np.meshgrid(*np.linspace(low, high, 120).T), axis=-1)
choices = {"no removal": 0, "best g-mean": "g_mean", "specificity 0.95": {"specificity": 0.95}}
for ax, (name, choice) in zip(axes, choices.items(), strict=True):
    chosen = pruned.at(choice)
    value = chosen.minority_score(grid.reshape(-1, 2)).reshape(120, 120)
    ax.contourf(grid[..., 0], grid[..., 1], value > 0, levels=[0.5, 1.5], colors="C3", alpha=0.2)
    ax.scatter(*X_test[~rare].T, s=3, color="0.6")
    ax.scatter(*X_test[rare].T, s=6, color="C3")
    guess = chosen.predict(X_test)
    found, alone = sensitivity_score(y_test, guess), specificity_score(y_test, guess)
    ax.set_title(f"{name}\nfinds {found:.0%}, leaves {alone:.0%} alone", fontsize=9)
    ax.set(xticks=[], yticks=[])
plt.show()
