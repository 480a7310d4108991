"""Texts in and documents out, as a stream: files of every usual kind, folders, pipes."""
