"""Damaged and hostile input, made from a seed: nothing that is fed to rarebit may crash it."""
