"""The sheet that every page is written on: only its own style and script can run in it."""

from __future__ import annotations

from nomdeplume.picture.writing import hashed, safe


def sheet(title: str, body: str, *, style: str, script: str = "") -> str:
    """A whole page that asks for nothing from anywhere, and that search engines leave alone."""
    scripts = f"; script-src {hashed(script)}" if script else ""
    policy = f"default-src 'none'; style-src {hashed(style)}{scripts}"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta http-equiv="Content-Security-Policy" content="{policy}; base-uri 'none'; form-action 'none'"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta name="robots" content="noindex"/>
<title>{safe(title)}</title>
<style>{style}</style>
</head>
<body>
{body}{f"<script>{script}</script>" if script else ""}
</body>
</html>
"""
