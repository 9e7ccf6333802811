#!/bin/sh
# Repairs a throw-away repository with six items: sh examples/fanout-locks/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
palisade() { node "$here/../../packages/cli/bin/palisade.mjs" "$@"; }

work=$(mktemp -d)
clean() { for _ in 1 2 3 4 5; do rm -rf "$work" 2>/dev/null && return; sleep 1; done; }
trap clean EXIT
sh "$here/make-repository.sh" "$work/textkit"
cd "$work/textkit"

echo '# before'
sh tests/run.sh || true

palisade init
palisade plan render "$here/plan.json"
palisade run "$here/plan.json"
palisade diff - --stat
palisade apply -
run=$(palisade status --format id --limit 1)
palisade artifact get "$run/report:report.txt" -o "$work/report.txt"

echo '# after'
sh tests/run.sh
palisade verify -
