"""The command line: reads, calls the library, writes. Nothing is decided here."""
