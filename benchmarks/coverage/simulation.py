"""Many runs at once, and the evidence against the truth after every label.

A bound misses at some time exactly if the evidence against the true number ever reached 1 / risk,
so that only the true hypothesis is computed, with the functions of rarebit.statistics.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from benchmarks.coverage.policies import AUDIT, BAD, Answers, Choice, Moment, Reply, at_once
from rarebit.statistics._draws import Stretches
from rarebit.statistics._evidence import log_factors, log_mean, mixture

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Ways to break the martingale on purpose; the tests must notice each.
MUTATIONS = (
    "m as known when asked",
    "unanswered audits left out",
    "rows without an answer dropped",
    "target chosen after the draw",
    "finds of others forgotten",
    "urn not emptied by others",
)


@dataclass(frozen=True)
class Runs:
    """What happened: columns of shape (n_runs, n_steps), all of one urn."""

    size: int
    bad: int
    asked: Bools
    n: Floats
    draw: Bools
    kappa: Floats
    y: Bools
    answers: Answers


def simulate(
    size: int,
    bad: int,
    steps: int,
    n_runs: int,
    policy: tuple[Choice, Reply],
    rng: np.random.Generator,
    asked: Bools | None = None,
) -> Runs:
    """Step all runs; ``asked`` says at which steps a run asks for a row of this urn."""
    choose, reply = policy
    shape = (n_runs, steps)
    asked = np.ones(shape, dtype=bool) if asked is None else asked.copy()
    n, left = np.full(n_runs, float(size)), np.full(n_runs, float(bad))
    urn, kappas = np.ones(shape), np.zeros(shape)
    draw, y = np.zeros(shape, dtype=bool), np.zeros(shape, dtype=bool)
    nodes = np.zeros((n_runs, len(mixture()[0])))
    replies = []
    for step in range(steps):
        asked[:, step] &= n > 0
        on = asked[:, step]
        action, kappa = choose(Moment(step, steps, n, left, log_mean(nodes), rng))
        hit = rng.random(n_runs) * np.maximum(n, 1) < left
        wants_bad = (action == BAD) & (left > 0) | (left >= n)
        draw[:, step] = on & (action == AUDIT)
        y[:, step] = on & np.where(action == AUDIT, hit, wants_bad)
        urn[:, step], kappas[:, step] = np.maximum(n, 1), kappa
        gains = _factors(bad, n, bad - left, kappa, y[:, step])
        nodes += np.where(draw[:, step, None], gains, 0.0)
        n, left = n - on, left - y[:, step]
        replies.append(reply(step, y[:, step], rng))
    columns = [
        np.stack([getattr(each, field.name) for each in replies], axis=1)
        for field in fields(Answers)
    ]
    return Runs(size, bad, asked, urn, draw, kappas, y, Answers(*columns))


def _factors(total: int, n: Floats, m: Floats, kappa: Floats, y: Bools) -> Floats:
    """Return log factors of single draws against one total, (.., 21)."""
    n = np.maximum(n, 1.0)
    flat = [np.ravel(column) for column in np.broadcast_arrays(n, np.ones_like(n), m, kappa, y)]
    out = log_factors(np.array([float(total)]), Stretches(*flat))[0]
    return np.asarray(out.reshape(*np.shape(n), len(mixture()[0])))


def evidence(runs: Runs, time: int, mutation: str | None = None) -> tuple[Floats, Bools]:
    """Return log E against the truth after every step up to a time, as the ledger stands then.

    The second result says in which runs no wrong "not rare" stands: the bounds assume right
    labels, and a rare row that is called normal voids them until it is corrected.
    """
    part = slice(0, time + 1)
    a, y, draw = runs.answers, runs.y[:, part], runs.draw[:, part]
    asked = runs.asked[:, part]
    known = (a.at[:, part] <= time) & ~((a.gone[:, part] <= time) & (a.again[:, part] > time))
    wrong = known & (a.wrong_until[:, part] > time)
    told = np.where(wrong, ~y, y)
    rare = np.where(known, told, True) & asked
    n, kappa = runs.n[:, part], runs.kappa[:, part]
    if mutation in ("unanswered audits left out", "rows without an answer dropped"):
        rare, draw = rare & known, draw & known
    m = np.cumsum(rare, axis=1) - rare
    if mutation == "m as known when asked":
        early = np.arange(time + 1)
        m = np.stack(
            [(rare & (a.at[:, part] < s) & (early < s)).sum(axis=1) for s in early], axis=1
        )
        rare, draw = rare & known, draw & known
    elif mutation == "finds of others forgotten":
        m = np.cumsum(rare & draw, axis=1) - (rare & draw)
    elif mutation == "target chosen after the draw":
        kappa = np.where(rare, 0.99, 0.0)
    elif mutation == "urn not emptied by others":
        n = runs.size - (np.cumsum(draw, axis=1) - draw)
    gains = np.zeros((*y.shape, len(mixture()[0])))
    gains[draw] = _factors(runs.bad, n[draw], m[draw].astype(float), kappa[draw], rare[draw])
    path = log_mean(np.cumsum(gains, axis=1))
    return path, ~(wrong & y & asked).any(axis=1)


def ever_missed(
    runs: list[Runs], reply: Reply, risk: float, mutation: str | None = None
) -> dict[str, Bools]:
    """Return per run whether each kind of bound ever missed, looking after every label.

    One urn gives "total"; two, of the rows predicted rare and of the others, give "precision" and
    "recall". Recall is counted as missed whenever the true pair (c, b) leaves the confidence set,
    which is at least as often as the claim is wrong.
    """
    steps, limit = runs[0].y.shape[1], -np.log(risk)
    missed = np.zeros((2, len(runs[0].y)), dtype=bool)
    # Answers that come at once never change: the last look holds all the earlier ones.
    times = [steps - 1] if reply is at_once and mutation is None else range(steps)
    for time in times:
        paths, right = zip(*(evidence(urn, time, mutation) for urn in runs), strict=True)
        clean = np.logical_and.reduce(right)
        missed[0] |= clean & (paths[0].max(axis=1) >= limit)
        if len(runs) == 2:
            joint = paths[1] + np.logaddexp(0.0, paths[0]) - np.log(2.0)
            missed[1] |= clean & (joint.max(axis=1) >= limit)
    if len(runs) == 1:
        return {"total": missed[0]}
    return {"precision": missed[0], "recall": missed[1]}
