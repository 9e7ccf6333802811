#!/bin/sh
# Counts the words of three parts, one of which is broken: sh examples/map-reduce/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
palisade() { node "$here/../../packages/cli/bin/palisade.mjs" "$@"; }

work=$(mktemp -d)
clean() { for _ in 1 2 3 4 5; do rm -rf "$work" 2>/dev/null && return; sleep 1; done; }
trap clean EXIT
cd "$work"
git init -q -b main
git -c user.name=example -c user.email=example@example.invalid commit -q --allow-empty -m 'Start'

palisade init
palisade plan render "$here/plan.json"
palisade run "$here/plan.json"
run=$(palisade status --format id --limit 1)
palisade artifact get "$run/reduce:total.txt" -o total.txt
cat total.txt
palisade verify -
