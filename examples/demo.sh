#!/bin/sh
# The main job on the documents of examples/documents: ingest, look at a context, ask.
set -eu
cd "$(dirname "$0")/.."
DECOCT_LIBRARY=${DEMO_LIBRARY:-demo-library}
export DECOCT_LIBRARY

step() {
    printf '\n$ %s\n\n' "$1"
    sh -c "$1"
}

step 'decoct ingest examples/documents'
step 'decoct context "Where was the husband of Virginia Foster Durr born?" --budget 300'
step 'decoct ask "Who represented Rosa Parks in her challenge to bus segregation?"'
step 'decoct ask "What range does the BLEU metric have?" --explain'
