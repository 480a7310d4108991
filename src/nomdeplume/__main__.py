"""`python -m nomdeplume` is the command line."""

from nomdeplume.cli.main import main

if __name__ == "__main__":
    main()
