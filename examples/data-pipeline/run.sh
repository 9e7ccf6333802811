#!/bin/sh
# Sums orders by declared pipelines, then shows a gate that stops bad data: sh examples/data-pipeline/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
palisade() { node "$here/../../packages/cli/bin/palisade.mjs" "$@"; }

work=$(mktemp -d)
clean() { for _ in 1 2 3 4 5; do rm -rf "$work" 2>/dev/null && return; sleep 1; done; }
trap clean EXIT
sh "$here/make-repository.sh" "$work/orders"
cd "$work/orders"

palisade init
palisade plan render "$here/plan.json"
palisade run "$here/plan.json"
palisade artifact get -/total:total.csv
palisade verify -

echo 'pot,twenty' >> orders/south.csv
git -c user.name=example -c user.email=example@example.invalid commit -q -a -m 'A typing error'
palisade run "$here/plan.json" || echo "the run failed: exit $?"
palisade logs -/south
palisade explain -/total
