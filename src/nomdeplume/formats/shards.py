"""What a release of many shards has beside them."""

MANIFEST = "_manifest.json"
SUCCESS = "_SUCCESS"  # there only when all shards are
