"""The page's server: an HTTP API over `rarebit.projects.Desk`, and the static files of the page."""

from rarebit._extras import naming_extras as _naming_extras

with _naming_extras("The server needs"):
    from rarebit.server._accounts import ROLES, Accounts, AccountsError
    from rarebit.server._app import make_app
    from rarebit.server._office import Office
    from rarebit.server._people import Doors
    from rarebit.server._run import PageServer

__all__ = ["ROLES", "Accounts", "AccountsError", "Doors", "Office", "PageServer", "make_app"]
