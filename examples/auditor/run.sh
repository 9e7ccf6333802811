#!/bin/sh
# Two parties: one runs agents and hands over two files, the other checks them: sh examples/auditor/run.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

work=$(mktemp -d)
clean() { for _ in 1 2 3 4 5; do rm -rf "$work" 2>/dev/null && return; sleep 1; done; }
trap clean EXIT
mkdir "$work/company" "$work/auditor"

echo '-- at the company'
palisade() { node "$root/packages/cli/bin/palisade.mjs" "$@"; }
cd "$work/company"
git init -q -b main
git -c user.name=example -c user.email=example@example.invalid commit -q --allow-empty -m 'Start'
palisade init
# The keys go first, on a way of their own: who takes them from the same hand as the evidence has checked nothing.
palisade evidence trust-root > "$work/auditor/trust.json"
palisade run "$here/plan.json"
palisade evidence export - -o "$work/auditor/evidence.json"
palisade artifact get -/report:report.txt -o "$work/auditor/report.txt"

echo '-- at the auditor: no installation, no network, two files and a program'
cd "$work/auditor"
node=$(command -v node)
verify() { env -i "$node" "$root/packages/evidence/bin/palisade-verify.mjs" "$@"; }
verify evidence.json --trust trust.json

echo '-- which bytes were the report? the evidence says, so the file in hand can be compared'
sha256sum report.txt | cut -d ' ' -f 1 > seen
grep -c "$(cat seen)" evidence.json

echo '-- the actor is rewritten'
sed 's/"actor":"[^"]*"/"actor":"human:somebody-else"/' evidence.json > rewritten.json
verify rewritten.json --trust trust.json || echo "exit $?"

echo '-- the evidence is right, the keys are those of somebody else'
sed 's/"log_origin":"[^"]*"/"log_origin":"another.example\/log"/; s/"log_origin": "[^"]*"/"log_origin": "another.example\/log"/' trust.json > other.json
verify evidence.json --trust other.json || echo "exit $?"
