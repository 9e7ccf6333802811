#!/bin/sh
# Repairs a throw-away repository with six items: sh examples/fanout-locks/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
palisade() { node "$here/../../packages/cli/bin/palisade.mjs" "$@"; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh "$here/make-repository.sh" "$work/textkit"
cd "$work/textkit"

echo '# before'
sh tests/run.sh || true

palisade init
palisade plan render "$here/plan.json"
palisade run "$here/plan.json"
palisade diff - --stat
palisade apply -
palisade artifact get -/report:report.txt -o "$work/report.txt"

echo '# after'
sh tests/run.sh
palisade verify -
