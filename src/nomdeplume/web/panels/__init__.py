"""The parts of the page: release, understand, attack, calibrate."""
