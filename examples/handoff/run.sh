#!/bin/sh
# Hands work from item to item in a throw-away repository: sh examples/handoff/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
palisade() { node "$here/../../packages/cli/bin/palisade.mjs" "$@"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
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
