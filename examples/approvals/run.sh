#!/bin/sh
# A question of an agent and an approval, answered in a throw-away git repository: sh examples/approvals/run.sh
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
# Exit code 6: it waits for a person, and nothing else of it can go on.
palisade run "$here/plan.json" --run-id release || test $? -eq 6
palisade inbox
palisade answer release/write --option 1

palisade watch release || test $? -eq 6
hash=$(palisade inbox --json | sed -n 's/.*"hash":"sha256:\([0-9a-f]\{12\}\).*/\1/p')
palisade approve release/sign-off --hash "$hash" --reason 'read and liked'

palisade watch release
palisade apply release
cat public/notes.md public/approval.json
echo
palisade verify release
