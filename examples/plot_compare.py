"""
Which method suits my data?
===========================

There is no best method for every rare class. :func:`~rarebit.compare` runs classifiers and rivals
on the same folds and shows what matters: how much of the rare class is found, how much of the rest
is left alone, and what it costs.
"""

# %%
# Scikit-learn's breast cancer data, with the malignant class thinned to 40 rows. Kernel machines
# want columns on one scale.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from rarebit import compare
from rarebit.datasets import thin_class

data = load_breast_cancer()
y = np.where(data.target == 0, "malignant", "benign")
X, y = thin_class(data.data, y, "malignant", 40, random_state=0)
X = StandardScaler().fit_transform(X)

methods = ["KernelSVC", "BaggedSVC", "BoostedSVC", "PrunedSVC", "SMOTE", "undersampling"]
found = compare(X, y, methods, cv=5, random_state=0)
print(found)

# %%
# The folds of every method; ``found.plot("folds.png")`` draws the like into a file. A difference
# smaller than their spread is none.

g_mean = found.figures["g_mean"]
figure, ax = plt.subplots(figsize=(7, 3.2), layout="constrained")
places = np.arange(len(found.methods))[::-1]
for place, folds in zip(places, g_mean, strict=True):
    ax.scatter(folds, np.full(folds.shape, place), s=40, color="tab:blue", alpha=0.45)
ax.scatter(g_mean.mean(axis=1), places, s=260, marker="|", color="tab:red", linewidths=3)
ax.set_yticks(places, found.methods)
ax.set_xlabel("g-mean: folds, and their mean in red")
ax.grid(axis="x", alpha=0.3)

# %%
# Two methods of the same g-mean may still differ: one finds more, the other raises fewer alarms.
# Lines join points of equal g-mean.

figure, ax = plt.subplots(figsize=(6, 4.8), layout="constrained")
reach = np.linspace(0.8, 1.005, 100)
grid = np.meshgrid(reach, reach)
lines = ax.contour(*grid, np.sqrt(grid[0] * grid[1]), np.arange(0.84, 1, 0.02), colors="0.8")
ax.clabel(lines, fontsize=7)
for row in found.rows():
    ax.scatter(row["specificity"], row["sensitivity"], s=60)
    ax.annotate(
        row["method"],
        (row["specificity"], row["sensitivity"]),
        xytext=(-6, 6),
        textcoords="offset points",
        ha="right",
    )
ax.set(xlabel="specificity", ylabel="sensitivity", xlim=(0.9, 1.005), ylim=(0.82, 1.005))
plt.show()
