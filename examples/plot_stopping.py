"""
When is it enough?
==================

A labelling session needs an end. The stop rule of :class:`~rarebit.BorderLearner` watches two
things: whether the last labels still change what is predicted, and whether looking away from the
border still brings surprises. Here is what it saw, and what labelling on would have brought.
"""

# %%
# A rare class in two clusters: one is large, the other, of which nobody knows, is small and
# elsewhere.

import matplotlib.pyplot as plt
import numpy as np

from rarebit import BorderLearner
from rarebit.active import stop_automatically
from rarebit.metrics import sensitivity_score

rng = np.random.default_rng(1)


def draw(common, near, far):
    """Rows of the common class, of the rare cluster near it, and of the one far from it."""
    rows = [
        rng.normal([0, 0], [1.6, 1.2], (common, 2)),
        rng.normal([4.6, 1.6], 0.5, (near, 2)),
        rng.normal([-4.6, -3.4], 0.3, (far, 2)),
    ]
    return np.concatenate(rows), np.repeat([0, 1, 1], [common, near, far])


X, y = draw(4000, 90, 15)
X_test, y_test = draw(4000, 400, 400)

# %%
# A stop rule is a function of the history that returns its reasons, so a rule of ours can ask the
# usual one, note its answer and continue all the same.

advice = {}


def note_and_go_on(history):
    """Remember the first advice to stop."""
    reasons = stop_automatically(history)
    if reasons and not advice:
        advice.update(labels=history.n_labels, reasons=reasons)
    return {}


learner = BorderLearner(C=10.0, stop=note_and_go_on, max_labels=600, random_state=0).start(X)
looks, quality = [], []
while not learner.done:
    rows = learner.ask()
    learner.tell(rows, y[rows])
    both = len(set(learner.history_["label"])) == 2
    if both and learner.n_labels_ % 10 == 0:
        looks.append(learner.n_labels_)
        quality.append(sensitivity_score(y_test, learner.classifier_.predict(X_test)))
print("The rule stops after", advice["labels"], "labels:")
for reason in advice["reasons"].values():
    print("-", reason)

# %%
# How much of the rare class is recognised, on rows nobody asked about. The far cluster was met by
# exploration (steps up); after the rule's stop little is gained.

history = learner.history_
far = np.flatnonzero((y[history["row"]] == 1) & (X[history["row"], 0] < -2))
figure, (top, below) = plt.subplots(
    2, 1, figsize=(7, 5.4), sharex=True, height_ratios=[2, 1], layout="constrained"
)
top.plot(looks, quality, color="tab:red", linewidth=2)
top.axvline(
    advice["labels"], color="k", linestyle=":", label=f"the rule stops: {advice['labels']} labels"
)
top.axvline(far[0] + 1, color="tab:green", label=f"far cluster first met: label {far[0] + 1}")
top.set(ylabel="sensitivity, test rows", ylim=(0, 1.02))
top.legend(loc="lower right")
support = sum(history[name] for name in history if name.startswith("n_support_"))
below.plot(np.arange(1, len(support) + 1), support, color="tab:blue")
below.set(xlabel="labels", ylabel="support vectors")
for ax in (top, below):
    ax.grid(alpha=0.3)
plt.show()
