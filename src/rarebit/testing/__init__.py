"""Conformance kits: what every asker and store must do, as plain functions that assert it."""

from rarebit.testing._asker_case import AskerCase
from rarebit.testing._askers import ASKER_CHECKS, check_asker
from rarebit.testing._postgres import PrivatePostgres
from rarebit.testing._store_case import StoreCase, open_kit_store
from rarebit.testing._store_load import kill_a_writer, lost_answers
from rarebit.testing._stores import STORE_CHECKS, check_store

__all__ = [
    "ASKER_CHECKS",
    "STORE_CHECKS",
    "AskerCase",
    "PrivatePostgres",
    "StoreCase",
    "check_asker",
    "check_store",
    "kill_a_writer",
    "lost_answers",
    "open_kit_store",
]
