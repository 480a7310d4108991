"""The planted faults of `scripts/faults.py`, loaded once for all tests."""

import importlib.util
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "faults.py"
spec = importlib.util.spec_from_file_location("faults", SCRIPT)
planted = sys.modules["faults"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(planted)
