"""What labels prove: bounds that hold however the rows were chosen and however often one looks.

Somebody searched a pool for rare rows. How many are left? Rows drawn uniformly from those that
nobody was asked for, *audits*, answer it, whatever chose all the other rows. A ledger holds the
audits as rows (n, m, kappa, y); everything here is a pure function of ledgers, events and counts.

- `build_ledger` replays events into a ledger, `guarantee` says what it proves and forecasts what
  more would cost; `ceiling`, `proves_recall`, `log_evidence` and `evidence_path` are the parts,
  `proof_path` says what was proved when.
- `ceilings` shares the risk between classes, `unmet_ceiling` bounds classes that nobody has met.
- `certificate` judges a frozen classifier: recall, precision, g-mean; `certificates` judges it
  for each of several rare classes.
- `next_step` chooses between harvest and audit.
- `information_bound`, `fewest_labels` and `impossibility_table` say what no method can do.
- `agreement` says how far annotators agree beyond chance.
- `count_repeats` and `allow_for_noise` widen a bound by what blind repeats say about wrong labels.

Examples
--------
>>> from rarebit.statistics import RowEvent, build_ledger, guarantee
>>> events = [RowEvent("given", row, "fraud") for row in range(20)]
>>> for row in range(20, 220):
...     events.append(RowEvent("ask", row, reason="audit", kappa=0.5))
...     events.append(RowEvent("label", row, "normal"))
>>> proved = guarantee(build_ledger(events, n_rows=1_000, rare="fraud"))
>>> f"at most {proved.total_max} rare rows, recall at least {proved.recall_min:.2f}"
'at most 35 rare rows, recall at least 0.57'
"""

from __future__ import annotations

from ._agreement import Agreement, Coefficient, agreement
from ._ceiling import allowed_misses, ceiling, proves_recall
from ._certificate import Certificate, certificate, certificates
from ._errors import LedgerError
from ._events import RowEvent
from ._evidence import evidence_path, log_evidence
from ._forecast import Forecast
from ._guarantee import Guarantee, guarantee
from ._ledger import Ledger, build_ledger, ceilings, shared_risk, unmet_ceiling
from ._limits import Limit, fewest_labels, impossibility_table, information_bound
from ._noise import NoisyGuarantee, Repeats, allow_for_noise, count_repeats, share_interval
from ._path import ProofPath, proof_path
from ._policy import Step, next_step
from ._rounding import floor_percent, floor_share

__all__ = [
    "Agreement",
    "Certificate",
    "Coefficient",
    "Forecast",
    "Guarantee",
    "Ledger",
    "LedgerError",
    "Limit",
    "NoisyGuarantee",
    "ProofPath",
    "Repeats",
    "RowEvent",
    "Step",
    "agreement",
    "allow_for_noise",
    "allowed_misses",
    "build_ledger",
    "ceiling",
    "ceilings",
    "certificate",
    "certificates",
    "count_repeats",
    "evidence_path",
    "fewest_labels",
    "floor_percent",
    "floor_share",
    "guarantee",
    "impossibility_table",
    "information_bound",
    "log_evidence",
    "next_step",
    "proof_path",
    "proves_recall",
    "share_interval",
    "shared_risk",
    "unmet_ceiling",
]
