#!/bin/sh
# Adds items to a run that goes on, and closes it: sh examples/appendable-stream/run.sh
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
palisade run "$here/plan.json" --detach
run=$(palisade status --format id --limit 1)
palisade extend "$run" "$here/second.json"
palisade extend "$run" "$here/second.json"
palisade extend "$run" "$here/third.json" --close
palisade watch "$run"
palisade apply "$run"
cat log.txt
palisade verify "$run"
