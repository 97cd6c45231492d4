"""Where a file lies: SQLite's write-ahead log needs memory shared by all who use the file."""

from __future__ import annotations

import os
from pathlib import Path

# File systems of other machines or of user-space programs, on which memory-mapped files may not be
# shared. Types that begin with "fuse" belong to them.
# fmt: off
_SHARED = frozenset({
    "9p", "acfs", "afs", "beegfs", "ceph", "cifs", "coda", "drvfs", "gfs", "gfs2", "glusterfs",
    "gpfs", "lustre", "ncp", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "prl_fs",
    "pvfs2", "smb2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
})
# fmt: on


def is_local(path: Path, mounts: Path = Path("/proc/mounts")) -> bool:
    """Return whether a file is known to lie on a disk of this machine.

    Parameters
    ----------
    path : Path
        The file, which need not exist yet.
    mounts : Path
        Table of mounted file systems, as Linux writes it.

    Returns
    -------
    bool
        False for network file systems, and where the table cannot be read.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return False
    place = os.path.realpath(path)
    best, kind = "", ""
    for line in lines:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = fields[1].replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\")
        inside = place == point or place.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(best):  # the later of two on one place covers the earlier
            best, kind = point, fields[2]
    return bool(kind) and kind not in _SHARED and not kind.startswith("fuse")
