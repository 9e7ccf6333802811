#!/bin/sh
# Deploys a manifest and runs what it registered, in a throw-away repository: sh examples/manifest-deploy/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
palisade() { node "$here/../../packages/cli/bin/palisade.mjs" "$@"; }

work=$(mktemp -d)
clean() { for _ in 1 2 3 4 5; do rm -rf "$work" 2>/dev/null && return; sleep 1; done; }
trap clean EXIT
cd "$work"
git init -q -b main
echo 'a product' > README.md
git add -A
git -c user.name=example -c user.email=example@example.invalid commit -q -m 'Start'

palisade init
export PUBLISH_TOKEN=a-token-of-nobody
palisade deploy --from "$here/palisade.yaml" --dry-run
palisade deploy --from "$here/palisade.yaml"
palisade deploy --from "$here/palisade.yaml"
palisade run "$here/plan.json"
palisade diff -
palisade verify -
