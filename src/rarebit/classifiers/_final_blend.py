"""The final classifier: kernel SVMs and trees, blended as cross-validation weighs them."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from rarebit._decisions import RareClassMixin
from rarebit._engine.sparse import canonical_rows, checked_sparse
from rarebit._folds import fold_numbers
from rarebit._missing_classes import refuse_missing_classes
from rarebit.classifiers._final_calibration import (
    KNOWN_FROM,
    base_rate_offset,
    judge_draws,
    pool_thresholds,
    probabilities,
)
from rarebit.classifiers._final_parts import (
    TABLE_PARTS,
    TEXT_PARTS,
    PartOptions,
    part_options,
    part_scores,
)
from rarebit.classifiers._final_points import pool_points
from rarebit.classifiers._final_weighing import (
    guess_parts,
    has_both,
    platt_columns,
    weigh_parts,
)
from rarebit.metrics import rarest_class
from rarebit.svm import TUNED

Floats = NDArray[np.float64]
Ids = NDArray[np.intp]

# Labels up to which five folds are made; beyond, three.
_FEW = 300


class BlendedClassifier(RareClassMixin, BaseEstimator):
    """Kernel SVMs and trees, weighted by cross-validation, with probabilities and a threshold.

    Forests and boosted trees rank tables better than kernel SVMs as often as not. This
    classifier fits them all, weighs them by how well each ranks labels that it has not seen, adds
    up their log odds, and cuts where the g-mean over the pool is greatest.

    Parameters
    ----------
    kernel : {"rbf", "linear", "poly", "sigmoid"} or None, default=None
        Kernel of the SVM and the bags; None is linear for sparse rows, else rbf.
    C : float or "tuned", default="tuned"
        Cost of an error in the SVM, chosen by cross-validation as in `KernelSVC` unless given.
        Bags have a tenth of what is given, or 1.
    gamma : {"scale", "auto", "tuned"} or float, default="tuned"
        Width of the rbf, poly and sigmoid kernels. ``"tuned"`` is chosen for the SVM, and
        ``"scale"`` for the bags.
    degree : int, default=3
        Degree of the poly kernel.
    coef0 : float, default=0.0
        Constant of the poly and sigmoid kernels.
    n_trees : int, default=100
        Trees of each forest.
    n_jobs : int or None, default=None
        Bags and trees made at a time. The result is the same for any number.
    random_state : int, RandomState or None, default=None
        Draws folds, bags and trees.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted.
    minority_class_ : object
        The class of interest: with the fewest rows, unless `fit` was given another.
    parts_ : dict of str to object
        What is blended, fitted: of ``"machine"`` (SVM), ``"bags"``, ``"forest"``, ``"extra"``
        (extremely randomised trees), ``"boosting"`` and ``"logistic"``.
    weights_ : dict of str to float
        Weight of each of them; they add up to 1.
    precision_ : dict of str to float
        Cross-validated average precision of every part tried.
    C_, gamma_ : float
        Cost and width of the SVM.
    reason_ : str
        What was taken and why, in a sentence.
    threshold_ : ndarray of shape (n_columns,)
        Log odds from which on a row is called positive.
    offset_, offset_low_, offset_high_ : ndarray of shape (n_columns,)
        Shift of the log odds that rows drawn uniformly ask for, and its band of 95 %.
    base_rate_known_ : bool
        Whether at least two rows of the rare class were drawn uniformly; where not, read
        `probability_band` instead of the probability.
    drawn_ : ndarray of shape (n_drawn, 3)
        Of rows drawn uniformly: probability of the rare class by parts that had not seen them,
        whether it was predicted, whether it is true.
    pool_points_ : ndarray of shape (n_points, 3)
        Score of the rare class, and the recall and precision over the pool that are estimated from
        that score on; empty where labels do not carry it: fewer than five rare ones, in a pool
        fewer others than rare ones, or classes not told apart in cross-validation.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Their names, where the input had names.

    See Also
    --------
    rarebit.models.final_classifier : Fits it to the labels of a project.
    BaggedSVC : One of its parts.

    Notes
    -----
    Kernel SVMs, boosting and logistic regression are judged by three folds, five for 300
    labels or fewer; forests by the trees that did not see a row. Where fewer than two classes have
    two labels nothing can be judged, and parts have equal weights.

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from rarebit.classifiers import BlendedClassifier
    >>> X, y = make_classification(n_samples=300, weights=[0.9], class_sep=1.5, random_state=1)
    >>> model = BlendedClassifier(n_trees=20, random_state=0).fit(X, y)
    >>> model.predict_proba(X).shape, abs(sum(model.weights_.values()) - 1.0) < 1e-9
    ((300, 2), True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "kernel": [StrOptions({"linear", "poly", "rbf", "sigmoid"}), None],
        "C": [Interval(Real, 0.0, None, closed="neither"), StrOptions({TUNED})],
        "gamma": [StrOptions({"scale", "auto", TUNED}), Interval(Real, 0.0, None, closed="left")],
        "degree": [Interval(Integral, 0, None, closed="left")],
        "coef0": [Interval(Real, None, None, closed="neither")],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        kernel: str | None = None,
        C: float | str = TUNED,
        gamma: str | float = TUNED,
        degree: int = 3,
        coef0: float = 0.0,
        n_trees: int = 100,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.n_trees = n_trees
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    # --- fitting ------------------------------------------------------------------------

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        pool: ArrayLike | None = None,
        pool_size: int | None = None,
        uniform: ArrayLike | None = None,
        rare: Any = None,
    ) -> Self:
        """Cross-validate the parts, weigh and fit them, calibrate, choose the threshold.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Labelled rows.
        y : array-like of shape (n_rows,)
            Class labels.
        pool : array-like or CSR matrix of shape (n_others, n_features), optional
            Rows without a label that the classifier is for, or a random draw of them. They decide
            on the threshold with.
        pool_size : int or None, default=None
            Rows without a label that there are, where `pool` is a draw.
        uniform : array-like of bool of shape (n_rows,), optional
            Which labelled rows were drawn uniformly. They set the base rate of probabilities. None
            takes all of them where there is no `pool`, else none.
        rare : object, optional
            The class of interest; the one with the fewest labels where it is not given.

        Returns
        -------
        BlendedClassifier
            The fitted classifier.
        """
        self._validate_params()
        rows, labels = self._check(X, y)
        self.classes_, encoded = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(
                "BlendedClassifier needs rows of at least two classes to fit, but the data holds "
                f"one class ({self.classes_[0]!r}): add rows of another class."
            )
        self.minority_class_ = rarest_class(labels, self.classes_)
        if rare is not None:
            self.minority_class_ = self.classes_[self.classes_ == rare][0]
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        options = part_options(self, rows, encoded, int(seed))
        self.C_, self.gamma_ = options.machine["C"], options.machine["gamma"]
        sides = self._sides(encoded)
        folds = fold_numbers(encoded, 5 if len(encoded) <= _FEW else 3, int(seed))
        seen = folds >= 0
        others = None if pool is None else self._check(pool)
        logits, guessed = self._weigh(rows, encoded, sides, folds, options, others)
        if not has_both(sides[seen]).any():
            seen = np.ones(len(encoded), dtype=bool)
        every = np.full(len(encoded), others is None)
        used = seen & (every if uniform is None else np.asarray(uniform, dtype=bool))
        found = [base_rate_offset(logits[used, k], sides[used, k]) for k in range(sides.shape[1])]
        self.offset_, self.offset_low_, self.offset_high_ = np.array(found).T.copy()
        hits = np.count_nonzero(labels[used] == self.minority_class_)
        self.base_rate_known_ = bool(hits >= KNOWN_FROM)
        unseen = None if others is None else self._final_logits(self._blend(others))
        self.threshold_ = pool_thresholds(
            logits[seen], sides[seen], unseen, pool_size, texts=sparse.issparse(rows),
            turned=self._turned,
        )  # fmt: skip
        self.pool_points_ = np.zeros((0, 3))
        if not guessed[0 if len(guessed) == 1 else self._rare_column]:
            self.pool_points_ = self._estimate_points(logits[seen], sides[seen], unseen, pool_size)
        drawn = logits[used], sides[used]
        self.drawn_ = judge_draws(*drawn, self.offset_, self.threshold_, self._rare_column)
        return self

    def _estimate_points(
        self,
        logits: Floats,
        sides: NDArray[np.bool_],
        unseen: Floats | None,
        n_unseen: int | None,
    ) -> Floats:
        """Return recall and precision over the pool; of the rare class, however labels sort."""
        k = 0 if sides.shape[1] == 1 else self._rare_column
        sign = -1.0 if self._turned else 1.0
        others = None if unseen is None else sign * unseen[:, k]
        return pool_points(
            sign * logits[:, k], sides[:, k] ^ self._turned, others, n_unseen,
            threshold=sign * float(self.threshold_[k]),
        )  # fmt: skip

    def _check(self, X: Any, y: Any = "no_validation") -> Any:
        """Return checked rows; with labels, both, and remember what rows look like."""
        if y is None:
            raise ValueError(
                "BlendedClassifier requires y to be passed, but the target y is None: pass one "
                "class label per row."
            )
        fitting = not isinstance(y, str)
        if fitting:
            refuse_missing_classes(y)
        checked = validate_data(
            self,
            checked_sparse(X),
            y,
            reset=fitting,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
        )
        if not fitting:
            return canonical_rows(checked)
        check_classification_targets(checked[1])
        return canonical_rows(checked[0]), checked[1]

    def _sides(self, encoded: Ids) -> NDArray[np.bool_]:
        """Columns that are true for rows of a class: of the second of two, else of each."""
        columns = [1] if len(self.classes_) == 2 else list(range(len(self.classes_)))
        return np.stack([encoded == column for column in columns], axis=1)

    @property
    def _turned(self) -> bool:
        """Whether the first of two classes is the rare one, and high log odds the common one's."""
        return len(self.classes_) == 2 and bool(self.classes_[0] == self.minority_class_)

    def _weigh(
        self,
        rows: Any,
        encoded: Ids,
        sides: NDArray[np.bool_],
        folds: Ids,
        options: PartOptions,
        others: Any,
    ) -> tuple[Floats, NDArray[np.bool_]]:
        """Set weights, parts and slopes; return log odds of rows, by parts that never saw them.

        The second array says of which columns the scale of the log odds is a guess.
        """
        names = TEXT_PARTS if sparse.issparse(rows) else TABLE_PARTS
        seen = folds >= 0
        judged = bool(has_both(sides[seen]).any())
        if judged:
            turned = self._turned
            found = weigh_parts(
                names, rows, encoded, sides, folds, options, turned=turned, others=others
            )
            slope, constant = platt_columns(found.blended[seen], sides[seen])
        else:
            found = guess_parts(names, rows, encoded, sides, options, others)
            slope = constant = np.zeros(sides.shape[1])
        # Log odds that labels give no scale to stay as they are: all others would rank nothing.
        guessed = found.guessed | (slope <= 0.0)
        self._final_slope = np.where(guessed, 1.0, slope)
        self._final_constant = np.where(guessed, 0.0, constant)
        self.precision_, self.weights_, self.reason_ = found.precision, found.weights, found.reason
        self._slopes, self._constants = found.slopes, found.constants
        self.parts_ = found.parts
        return self._final_logits(found.blended), guessed

    # --- deciding -----------------------------------------------------------------------

    def _blend(self, rows: Any) -> Floats:
        found = np.zeros((rows.shape[0], len(self._final_slope)))
        for name, weight in self.weights_.items():
            scores = part_scores(name, self.parts_[name], rows)
            found += weight * (scores * self._slopes[name] + self._constants[name])
        return found

    def _final_logits(self, blended: Floats) -> Floats:
        return blended * self._final_slope + self._final_constant

    def _logits(self, X: ArrayLike) -> Floats:
        check_is_fitted(self, "parts_")
        return self._final_logits(self._blend(self._check(X)))

    def decision_function(self, X: ArrayLike) -> Floats:
        """Log odds of rows above the threshold.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Positive values favour ``classes_[1]``; with more than two classes, column k is the
            value of class k against the rest.
        """
        values = self._logits(X) - self.threshold_
        return values[:, 0] if values.shape[1] == 1 else values

    def predict_proba(self, X: ArrayLike) -> Floats:
        """Probability of each class.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
            Calibrated on labels that parts had not seen, shifted to the base rate of rows drawn
            uniformly.
        """
        return probabilities(self._logits(X) + self.offset_)

    def probability_band(self, X: ArrayLike) -> Floats:
        """Lower and upper probability of the rare class, as far as the base rate is known (95 %).

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_rows, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            Wide without rows drawn uniformly, narrow with many.
        """
        logits = self._logits(X)
        k = 0 if logits.shape[1] == 1 else self._rare_column
        low, high = logits[:, k] + self.offset_low_[k], logits[:, k] + self.offset_high_[k]
        if logits.shape[1] == 1 and self._rare_column == 0:
            low, high = -high, -low
        return np.column_stack([expit(low), expit(high)])
