#!/bin/sh
# Runs a plan in a sandbox that does not come with Palisade: sh examples/bring-your-own-sandbox/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
palisade() { node "$here/../../packages/cli/bin/palisade.mjs" "$@"; }

# For every process of the installation: set it where the service or the shell is configured.
export PALISADE_SANDBOX_MODULES="$here/src/index.ts"

work=$(mktemp -d)
clean() { for _ in 1 2 3 4 5; do rm -rf "$work" 2>/dev/null && return; sleep 1; done; }
trap clean EXIT
cd "$work"
git init -q -b main
git -c user.name=example -c user.email=example@example.invalid commit -q --allow-empty -m 'Start'

palisade init
palisade run "$here/plan.json" --sandbox namespaces
run=$(palisade status --format id --limit 1)
palisade logs "$run/look"
palisade show "$run"
