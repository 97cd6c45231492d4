"""Fit, score and compare on a rare digit: scikit-learn's digits with the eights thinned to 20."""

import time

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

from rarebit import KernelSVC, OnlineSVC
from rarebit.datasets import thin_class
from rarebit.metrics import rare_report


def main() -> None:
    """Train three machines on the same rows and print how each treats the rare class."""
    X, digits = load_digits(return_X_y=True)
    X = X / 16.0
    X_train, X_test, d_train, d_test = train_test_split(
        X, digits, test_size=0.4, stratify=digits, random_state=0
    )
    X_train, d_train = thin_class(X_train, d_train, 8, 20, random_state=0)
    y_train = np.where(d_train == 8, "eight", "other")
    y_test = np.where(d_test == 8, "eight", "other")
    print(f"{len(y_train)} training rows, {np.sum(y_train == 'eight')} of them the rare class\n")

    machines = {
        "SVC (scikit-learn)": SVC(C=10.0),
        "KernelSVC": KernelSVC(C=10.0),
        "OnlineSVC, balanced": OnlineSVC(C=10.0, class_weight="balanced", random_state=0),
    }
    for name, machine in machines.items():
        start = time.perf_counter()
        machine.fit(X_train, y_train)
        seconds = time.perf_counter() - start
        scores = -machine.decision_function(X_test)  # "eight" sorts before "other"
        if hasattr(machine, "minority_score"):
            scores = machine.minority_score(X_test)
        print(f"--- {name}, fitted in {1000 * seconds:.1f} ms")
        print(rare_report(y_test, machine.predict(X_test), scores), "\n")


if __name__ == "__main__":
    main()
