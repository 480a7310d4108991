"""The studio: a page on this machine that shows what a release hides and what it keeps."""
