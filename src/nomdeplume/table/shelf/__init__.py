"""Tables that others have published: known by name, fetched once, kept in a folder."""

from nomdeplume.table.shelf.shelf import Shelf, folder

__all__ = ["Shelf", "folder"]
