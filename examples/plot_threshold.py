"""
Where to cut a score
====================

A classifier of a rare class gives scores; what counts as an alarm is a second decision. Here the
same machine, trained on 20 eights among 994 digits, with its own cut and with the one that
cross-validation finds best for both classes.
"""

# %%
# The machine, and the machine with a tuned cut.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import TunedThresholdClassifierCV, train_test_split

from rarebit import KernelSVC
from rarebit.datasets import thin_class
from rarebit.metrics import g_mean_scorer, prbep_score, rare_report

X, digits = load_digits(return_X_y=True)
X_train, X_test, d_train, d_test = train_test_split(
    X / 16.0, digits, test_size=0.4, stratify=digits, random_state=0
)
X_train, d_train = thin_class(X_train, d_train, 8, 20, random_state=0)
y_train, y_test = (np.where(d == 8, "eight", "other") for d in (d_train, d_test))

machine = KernelSVC(C=10.0).fit(X_train, y_train)
tuned = TunedThresholdClassifierCV(
    KernelSVC(C=10.0), scoring=g_mean_scorer, response_method="decision_function", cv=5
).fit(X_train, y_train)
score = machine.minority_score(X_test)
print(rare_report(y_test, tuned.predict(X_test), score))

# %%
# Scores of test rows. Most eights that the machine's own cut, at 0, misses lie close below it.

cut = np.min(score[tuned.predict(X_test) == "eight"])
ordered = np.sort(score)[::-1]
even = ordered[np.sum(y_test == "eight") - 1]
figure, ax = plt.subplots(figsize=(7.5, 3.6), layout="constrained")
bins = np.linspace(score.min(), score.max(), 60)
ax.hist(score[y_test == "other"], bins, color="0.7", label="other digits")
ax.hist(score[y_test == "eight"], bins, color="crimson", alpha=0.8, label="eights")
ax.axvline(0, color="k", label="own cut")
ax.axvline(cut, color="tab:blue", linestyle="--", label="tuned for the g-mean")
ax.axvline(even, color="tab:green", linestyle=":", linewidth=2, label="break-even point")
ax.set(yscale="symlog", xlabel="score of the rare class", ylabel="test rows")
ax.legend()
print("precision = recall =", round(prbep_score(y_test, score, pos_label="eight"), 3))
plt.show()
