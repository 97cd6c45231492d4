"""Import the installed package and fit it: the least that a wheel must do."""

import numpy as np
from scipy import sparse

import rarebit
from rarebit import KernelSVC, OnlineSVC
from rarebit.metrics import g_mean_score

rng = np.random.default_rng(0)
y = np.repeat([0, 1], [380, 20])
X = rng.normal(size=(400, 5)) + 2.0 * y[:, None]

for estimator in (KernelSVC(class_weight="balanced"), OnlineSVC(class_weight="balanced")):
    for data in (X, sparse.csr_array(X)):
        model = estimator.fit(data, y)
        score = g_mean_score(y, model.predict(data))
        assert model.minority_class_ == 1, model.minority_class_
        assert score > 0.9, (estimator, score)
print(f"rarebit {rarebit.__version__}: imported and fitted")
