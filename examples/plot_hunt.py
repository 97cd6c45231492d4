"""
From no label to a classifier
=============================

:class:`~rarebit.Hunt` joins an explorer, which finds classes, to a learner, which learns their
border. It starts without any label and has a classifier at any moment. Here it works on digits,
three of which are rare.
"""

# %%
# The loop of a labelling tool: ask for a row, show it to somebody, tell the answer. Somebody is
# the array ``y`` here.

import matplotlib.pyplot as plt
import numpy as np

from rarebit import BorderLearner, Hunt, KernelSVC
from rarebit.datasets import load_rare_digits
from rarebit.metrics import g_mean_score

X, y, X_test, y_test = load_rare_digits(random_state=0)
hunt = Hunt(learner=BorderLearner(C=10.0, random_state=0)).start(X)
while not hunt.done:
    rows = hunt.ask()
    hunt.tell(rows, y[rows])
print(hunt.status())

# %%
# What the classifier was worth on its way, and what as many random labels would have given:

order = np.fromiter(hunt.labels_, dtype=int)
rng = np.random.default_rng(0)
counts = np.unique(np.geomspace(20, len(order), 18).astype(int))


def score(rows):
    """G-mean of all ten digits; zero while one of them is unknown."""
    guess = KernelSVC(C=10.0).fit(X[rows], y[rows]).predict(X_test)
    return g_mean_score(y_test, guess, labels=np.arange(10))


asked = [score(order[:n]) for n in counts]
orders = [rng.permutation(len(X)) for _ in range(8)]
random = np.array([[score(rows[:n]) for n in counts] for rows in orders])

figure, ax = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
ax.fill_between(counts, random.min(axis=0), random.max(axis=0), color="tab:blue", alpha=0.15)
ax.plot(
    counts, random.mean(axis=0), color="tab:blue", label="random labels: mean, worst, best of 8"
)
ax.plot(counts, asked, color="tab:red", linewidth=2.5, label="Hunt")
ax.axhline(score(np.arange(len(X))), color="0.4", linestyle="--", label=f"all {len(X)} labels")
for digit, spent in hunt.discovered_.items():
    rare = np.sum(y == digit) < 20
    ax.axvline(spent, ymax=0.05, color="tab:red" if rare else "0.6", linewidth=2 if rare else 1)
ax.set(xscale="log", xlabel="labels", ylabel="g-mean of the ten digits", ylim=(-0.02, 1))
ax.set_xticks([20, 50, 100, 200, len(order)], ["20", "50", "100", "200", str(len(order))])
ax.legend(loc="upper left")
ax.grid(alpha=0.3)

# %%
# Ticks at the bottom show when a digit was first seen, red ones the rare digits. The last ten
# rows that were another digit than the learner expected, as their titles tell:

history = hunt.learner_.history_
wrong = [
    (row, expected, label)
    for row, expected, label in zip(
        history["row"], history["expected"], history["label"], strict=True
    )
    if expected is not None and expected != label
]
figure, axes = plt.subplots(2, 5, figsize=(7, 3.4), layout="constrained")
for ax, (row, expected, label) in zip(axes.flat, wrong[-10:], strict=True):
    ax.imshow(X[row].reshape(8, 8), cmap="gray_r")
    ax.set_title(f"{label}, not {expected}", fontsize=10)
    ax.set_axis_off()
plt.show()
