"""``rarebit learn``: from no label to a model, with as few answers as possible."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rarebit.cli._command import ExampleCommand
from rarebit.cli._discover import describe_rows, found_classes, split_names, tell_found
from rarebit.cli._labelling import (
    Labelling,
    advise,
    check_someone_answers,
    labelling_options,
    make_explorer,
    open_labels,
    progress_line,
    write_labels,
)
from rarebit.cli._reading import FILE, read_rows, reading_options
from rarebit.cli._reporting import write_report
from rarebit.cli._terminal import Terminal

if TYPE_CHECKING:
    from rarebit.hunt import Hunt
    from rarebit.labels import LabelStore
    from rarebit.report import Report
    from rarebit.tables import Table

_REPEATS = 5  # random draws that the learning curve is compared with
_CURVES = 5_000  # labels up to which it is drawn


@click.command(
    cls=ExampleCommand,
    example="""\
rarebit learn transactions.csv --id transaction --classes ok,fraud
rarebit learn transactions.csv --oracle class --holdout 0.3 --report learned.html
rarebit learn reviews.csv --text review --out complaints.rarebit""",
)
@FILE
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="MODEL",
    help="Where the model goes [default: NAME.rarebit here].",
)
@click.option(
    "--stop",
    type=click.Choice(["auto", "support", "margin", "never"]),
    default="auto",
    show_default=True,
    help="When there are enough labels; never asks until you quit.",
)
@click.option(
    "--holdout",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    metavar="SHARE",
    help="With --oracle: judge by a share of the rows that is never asked for.",
)
@click.option(
    "--method",
    type=click.Choice(["auto", "bagged", "border"]),
    default="auto",
    show_default=True,
    help="Classifier of the model: balanced bags of the labels, or the machine that asked; auto "
    "takes bags for two classes with ten labels of each.",
)
@click.option(
    "--kernel",
    type=click.Choice(["rbf", "linear", "poly", "sigmoid"]),
    help="Kernel [default: rbf; linear for texts].",
)
@click.option("--cost", "C", type=float, default=1.0, show_default=True, help="Cost of an error.")
@click.option("--gamma", type=float, metavar="NUMBER", help="Width of the kernel (by the spread).")
@labelling_options
@reading_options(target=False)
def learn(
    file: Path,
    out: Path | None,
    stop: str,
    holdout: float | None,
    method: str,
    kernel: str | None,
    C: float,
    gamma: float | None,
    oracle: str | None,
    labels_file: Path | None,
    classes: str | None,
    max_labels: int | None,
    explorer: str,
    priors: tuple[float, ...],
    seed: int,
    export: Path | None,
    report_file: Path | None,
    reading: dict[str, Any],
    terminal: Terminal,
) -> None:
    """Learn to tell the classes of FILE apart, from no label at all.

    rarebit looks for the classes and asks for the rows on the border between them, which teach
    most; you name their class with one key. It says when further labels would change nothing, and
    writes a model for `rarebit predict`. Every answer is saved at once, also those of `rarebit
    discover`: the same command goes on where it was. With --oracle a column answers.
    """
    check_someone_answers(oracle)
    if holdout is not None and oracle is None:
        raise click.UsageError("--holdout needs --oracle, which knows the classes of rows held out")
    from rarebit.cli._output import check_writable, written_whole

    model_file = out or Path(f"{file.name.split('.')[0]}.rarebit")
    for path in (model_file, export, report_file):
        if path is not None:
            check_writable(path)
    table = read_rows(file, terminal, target=oracle, spill=True, **reading)
    from rarebit.border import BorderLearner
    from rarebit.hunt import Hunt
    from rarebit.labels import LabelSession
    from rarebit.tables import TableEncoder

    encoder = TableEncoder(random_state=seed).fit(table)
    learner = BorderLearner(
        kernel=kernel or ("linear" if encoder.sparse_ else "rbf"),
        C=C,
        gamma="scale" if gamma is None else gamma,
        stop=None if stop == "never" else stop,
        random_state=seed,
    )
    metric = "cosine" if encoder.sparse_ else "euclidean"
    hunt = Hunt(explorer=make_explorer(explorer, priors, seed, metric), learner=learner)
    with open_labels(labels_file, file, table) as store:
        X = encoder.transform(table)
        with terminal.progress("Looking at all rows"):
            hunt.start(X)
            test = _held_out(table, holdout, seed, store, terminal)
            if len(test):
                hunt.skip(test)
        name = _name_of(explorer, priors, seed, stop, holdout, learner)
        with terminal.progress("Going on with earlier answers", len(store.events)) as advance:
            session = LabelSession(hunt, store, by=name, on_replay=advance)
        labelling = Labelling(
            session,
            table,
            terminal,
            max_labels=max_labels,
            classes=split_names(classes),
            enough=dict,  # a hunt has no further question when it has learned enough
            heading=lambda: progress_line(len(store.labels), len(hunt.discovered_)),
        )
        labelling.run(oracle)
        if export is not None:
            write_labels(store, table, export)
        reasons = hunt.learner_.stop_reasons_ if hunt.done else {}
        summary: dict[str, Any] = {
            "rows": table.n_rows,
            "labels": len(store.labels),
            "skipped": len(store.skipped),
            "classes": found_classes(table, store, hunt.discovered_),
            "stop": {"advised": bool(reasons), "reasons": reasons},
            "labels_file": str(store.path),
            "model": None,
            "report": None,
        }
        tell_found(terminal, table, store, hunt.discovered_)
        if len(hunt.discovered_) < 2:
            _tell_no_model(oracle, store.labels)
            terminal.say(
                "No model yet: labels of two classes are needed. The same command goes on."
            )
            terminal.result(summary)
            return
        from rarebit.cli._show_report import show_report
        from rarebit.models import last_classifier, learned_model, save_model

        machine = last_classifier(hunt.classifier_, X, store.labels, method, seed)
        metrics = _judge(machine, X, table, test, holdout)
        model = learned_model(
            table, encoder, machine, store.labels, stop_reasons=reasons, metrics=metrics
        )
        model.manifest["image_size"] = reading["image_size"]
        with written_whole(model_file) as partial:
            save_model(model, partial)
        if report_file is not None:
            with terminal.progress("Measuring for the report"):
                write_report(_report(table, hunt, machine, X, test, seed), report_file)
        if metrics is not None:
            show_report(terminal, metrics, f"On rows not seen ({metrics['how']})")
        terminal.say(advise(reasons, labelling.is_full))
        terminal.say(f"Labels: {store.path}")
        if report_file is not None:
            terminal.say(f"Report: {report_file}")
        terminal.say(f"Wrote {model_file}. Next: rarebit predict {model_file} NEW_FILE")
        terminal.result(
            {
                **summary,
                "model": str(model_file),
                "rare_class": model.rare_class,
                "metrics": metrics,
                "report": None if report_file is None else str(report_file),
            }
        )


def _tell_no_model(oracle: str | None, labels: dict[int, Any]) -> None:
    """A column that answers with one class is a mistake; a person who quits early is not."""
    if oracle is not None:
        only = next(iter(labels.values()), None)
        found = "no class" if only is None else f"only the class {only!r}"
        raise ValueError(
            f"The column {oracle!r} showed {found} in {len(labels):,} labels, and a model needs "
            "two: raise --max-labels, or choose another column."
        )


def _name_of(
    explorer: str,
    priors: tuple[float, ...],
    seed: int,
    stop: str,
    holdout: float | None,
    learner: Any,
) -> str:
    """Everything that decides which rows are asked for."""
    parts = ["learn", explorer, *map(str, priors), f"seed {seed}", f"stop {stop}"]
    parts += [f"holdout {holdout:g}"] if holdout is not None else []
    parts += [f"{learner.kernel} C {learner.C:g} gamma {learner.gamma}"]
    return " ".join(parts)


def _held_out(
    table: Table, share: float | None, seed: int, store: LabelStore, terminal: Terminal
) -> Any:
    """Rows that judge: a share of each class, drawn at random, but none that has an answer.

    The draw does not depend on the answers, so that going on leaves the same rows out.
    """
    import numpy as np

    if share is None:
        return np.empty(0, dtype=np.intp)
    assert table.target is not None
    rng = np.random.default_rng(seed)
    drawn = []
    for label in np.unique(table.target[table.target != ""]):
        rows = np.flatnonzero(table.target == label)
        drawn.append(rng.choice(rows, size=round(share * len(rows)), replace=False))
    test = np.sort(np.concatenate(drawn)) if drawn else np.empty(0, dtype=np.intp)
    answered = np.isin(test, list(store.labels))
    if answered.any():
        terminal.note(
            f"note: {answered.sum():,} of {len(test):,} rows to be held out have answers already "
            "and do not judge; a new --labels file holds out all of them."
        )
    return test[~answered]


def _judge(
    machine: Any, X: Any, table: Table, test: Any, share: float | None
) -> dict[str, Any] | None:
    if not len(test):
        return None
    import numpy as np

    from rarebit.metrics import rare_report
    from rarebit.metrics._minority import minority_scores

    assert table.target is not None
    rare = machine.minority_class_
    known = np.union1d(table.target[test], machine.classes_)
    report = rare_report(
        table.target[test],
        machine.predict(X[test]),
        minority_scores(machine, X[test], rare),
        pos_label=rare,
        labels=known,
        output="dict",
    )
    return {"how": f"{100 * (share or 0):g} % held out", **report}


def _report(table: Table, hunt: Hunt, machine: Any, X: Any, test: Any, seed: int) -> Report:
    import numpy as np

    from rarebit.hunt import curves_beside_random
    from rarebit.report import Report, informative_rows, scores_by_class

    labels = hunt.labels_
    report = Report(
        f"Learned from {table.source}",
        f"{len(labels):,} of {table.n_rows:,} rows were labelled; {len(hunt.discovered_):,} "
        f"classes are told apart. The rarest one is {machine.minority_class_}.",
        {"rows": table.n_rows, "labels": len(labels), "classes": len(hunt.discovered_)},
    )
    reasons = hunt.learner_.stop_reasons_ if hunt.done else {"status": hunt.status()}
    report.add_stop_advice(hunt.done, reasons)
    report.add_discovery(hunt.discovered_, counts=Counter(labels.values()))
    if len(test):
        assert table.target is not None
        y_test = table.target[test]
        pool = np.setdiff1d(np.flatnonzero(table.target != ""), test)
        if len(labels) <= _CURVES:
            curves = curves_beside_random(
                hunt, X, table.target, pool, X[test], y_test, repeats=_REPEATS, random_state=seed
            )
            report.add_learning_curve(
                curves,
                stopped_at=len(labels) if hunt.done else None,
                text=f"Measured on {len(test):,} rows that were never asked for, with the machine "
                "that asks.",
            )
        rarest = [name for name, _ in Counter(y_test.tolist()).most_common()][::-1]
        wanted = rarest[:1] if len(rarest) == 2 else rarest[:6]
        report.add_ranking(y_test, scores_by_class(machine, X[test], wanted), threshold=0.0)
        report.add_confusion(y_test, machine.predict(X[test]))
    best = informative_rows(hunt.learner_.history_, 12)
    rows = best["row"].tolist()
    texts, images = describe_rows(table, rows)
    content = [] if images else ["what it holds"]
    return report.add_rows(
        [table.id_name, "class", "expected", "chosen for", "at label", *content],
        [
            [table.ids[row], best["label"][i], best["expected"][i], best["how"][i],
             int(best["n_labels"][i]), *([texts[i]] if content else [])]
            for i, row in enumerate(rows)
        ],
        images=images,
        captions=[f"{table.ids[row]}\n{best['label'][i]}" for i, row in enumerate(rows)],
    )  # fmt: skip
