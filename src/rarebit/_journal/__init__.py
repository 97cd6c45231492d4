"""The label file of JSON lines: one line per event, with a checksum, on the disk before the reply.

Private ground of the package: `rarebit.projects.stores` builds its journal store on it, and the
deprecated `rarebit.labels` keeps its former names for it.

    encoding   one line as bytes, with its checksum
    line       the event that a line holds, and what may be an answer
    reading    all lines of a file: header, good lines, bad lines, an unfinished end
    disk       a file that only grows, synced, refused when it is replaced or gone
    lock       one writer per file
    file       LabelFile: the file that belongs to one data set
    recovery   check a file without its data, save the good lines of a damaged one
"""
