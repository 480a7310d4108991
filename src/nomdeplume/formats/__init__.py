"""Texts in and documents out, as a stream: files, folders, standard input, JSONL."""
