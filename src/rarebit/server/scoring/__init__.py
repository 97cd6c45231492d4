"""A model behind HTTP: predictions and explanations of rows that programs send."""

from rarebit.server.scoring._app import make_scoring_app
from rarebit.server.scoring._limits import Limits
from rarebit.server.scoring._run import ScoringServer

__all__ = ["Limits", "ScoringServer", "make_scoring_app"]
