#!/bin/sh
# Hands work from item to item in a throw-away repository: sh examples/handoff/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
palisade() { node "$here/../../packages/cli/bin/palisade.mjs" "$@"; }

work=$(mktemp -d)
clean() { for _ in 1 2 3 4 5; do rm -rf "$work" 2>/dev/null && return; sleep 1; done; }
trap clean EXIT
cd "$work"
git init -q -b main
echo 'lists of things' > README.md
git add -A
git -c user.name=example -c user.email=example@example.invalid commit -q -m 'Start'

palisade init
palisade run "$here/plan.json"
palisade diff - --item document
palisade apply -
cat TALLY.md
palisade evidence show -
palisade verify -
