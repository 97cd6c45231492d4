"""
A few labels instead of all: learning on the border
===================================================

Of 8,000 rows 3 % are of the rare class. Labelling at random buys mostly rows of the other class.
:class:`~rarebit.BorderSVC` asks for rows near the border, where the two classes are about equally
frequent, and says when there are enough labels.
"""

# %%
# The pool, and test rows that nobody asks about.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from rarebit import BorderSVC, KernelSVC
from rarebit.active import learning_curve
from rarebit.metrics import g_mean_score

X, y = make_classification(
    n_samples=12_000,
    n_features=10,
    n_informative=6,
    weights=[0.97],
    class_sep=1.5,
    flip_y=0,
    random_state=1,
)
pool, test, y_pool, y_test = train_test_split(X, y, test_size=1 / 3, stratify=y, random_state=0)
machine = KernelSVC(C=10.0)
goal = g_mean_score(y_test, machine.fit(pool, y_pool).predict(test))

# %%
# ``fit`` reads only the labels of the rows that it asks for. Five seeds, each beside a random
# order:

searches = {
    "border": lambda seed: BorderSVC(C=10.0, random_state=seed),
    "random": lambda seed: BorderSVC(
        C=10.0, search="random", explore=0, stop=None, max_labels=1500, random_state=seed
    ),
}
curves, fitted = {}, {}
for name, search in searches.items():
    fitted[name] = [search(seed).fit(pool, y_pool) for seed in range(5)]
    curves[name] = [
        learning_curve(machine, pool, y_pool, each.queried_, test, y_test) for each in fitted[name]
    ]
stops = [each.n_labels_ for each in fitted["border"]]
print("stopped by itself after", stops, "of", len(pool), "labels")
for reason in fitted["border"][0].stop_reasons_.values():
    print("-", reason)

# %%
# The curves: thick lines are means of the seeds, thin ones single seeds.

figure, ax = plt.subplots(figsize=(7, 4.2), layout="constrained")
for color, (name, seeds) in zip(("tab:red", "tab:blue"), curves.items(), strict=True):
    grid = np.geomspace(10, min(curve["n_labels"][-1] for curve in seeds), 60)
    for curve in seeds:
        ax.plot(curve["n_labels"], curve["score"], color=color, linewidth=0.7, alpha=0.4)
    mean = np.mean([np.interp(grid, c["n_labels"], c["score"]) for c in seeds], axis=0)
    ax.plot(grid, mean, color=color, linewidth=2.5, label=name)
ax.axhline(goal, color="0.4", linestyle="--", label=f"all {len(pool):,} labels")
ax.axvline(np.mean(stops), color="tab:red", linestyle=":", label="stops by itself, mean")
ax.set(xscale="log", xlabel="labels", ylabel="g-mean on test rows", ylim=(0, 1))
ax.legend(loc="lower right")
ax.grid(alpha=0.3)

# %%
# Why it works: among the labels asked for, the classes are far more balanced than in the pool.

shares = {
    "in the pool": np.mean(y_pool),
    "random labels": np.mean(y_pool[fitted["random"][0].queried_]),
    "asked for": np.mean(y_pool[fitted["border"][0].queried_]),
}
figure, ax = plt.subplots(figsize=(6, 2.2), layout="constrained")
bars = ax.barh(list(shares), [100 * share for share in shares.values()], color="tab:red")
ax.bar_label(bars, fmt="%.1f %%", padding=3)
ax.set_xlabel("share of the rare class, %")
ax.margins(x=0.15)
plt.show()
