"""A machine learning backend of Label Studio: the rare rows of a project come first."""

from rarebit.server.label_studio._app import make_backend_app
from rarebit.server.label_studio._backend import Backend
from rarebit.server.label_studio._client import LabelStudio, LabelStudioError
from rarebit.server.label_studio._config import Config, read_config
from rarebit.server.label_studio._run import BackendServer, kept_secret

__all__ = [
    "Backend",
    "BackendServer",
    "Config",
    "LabelStudio",
    "LabelStudioError",
    "kept_secret",
    "make_backend_app",
    "read_config",
]
