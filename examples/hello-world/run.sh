#!/bin/sh
# Runs the smallest plan in a throw-away git repository: sh examples/hello-world/run.sh
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
palisade run "$here/plan.json"
palisade diff -
palisade apply -
cat greeting.txt
palisade verify -
