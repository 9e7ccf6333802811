#!/bin/sh
# Packs the packages of this checkout, installs them in an empty directory without a network, and runs every example
# there: sh examples/embedding/run.sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
app=$(mktemp -d)
clean() { for _ in 1 2 3 4 5; do rm -rf "$app" 2>/dev/null && return; sleep 1; done; }
trap clean EXIT

(cd "$root" && npm run --silent build)
cd "$app"
npm pack --silent "$root/dist/contracts" "$root/dist/dispatch" "$root/node_modules/zod" >/dev/null
echo '{"private":true}' > package.json
npm install --silent --offline --no-audit --no-fund ./*.tgz
cp -R "$root/examples/embedding" "$root/examples/bring-your-own-blobs" "$root/examples/bring-your-own-executor" .

# The Node that runs Palisade in this checkout; any from 22.18 on does.
node=$(node -p "try { require('$root/node_modules/node-' + process.platform + '-' + process.arch + '/package.json') && '$root/node_modules/node-' + process.platform + '-' + process.arch + '/bin/node' } catch { process.execPath }")
project() {
  rm -rf "$app/project"
  git init -q -b main "$app/project"
  git -C "$app/project" -c user.name=example -c user.email=example@example.invalid commit -q --allow-empty -m 'Start'
}
for program in embedding/ten-lines.mjs embedding/plan.mjs embedding/cancel.mjs embedding/typed.ts \
  bring-your-own-blobs/main.ts bring-your-own-executor/main.ts; do
  echo "-- $program"
  project
  "$node" "$program" "$app/project"
done
echo '-- embedding/pick-up.mjs'
project
id=$("$node" embedding/pick-up.mjs "$app/project")
"$node" embedding/pick-up.mjs "$app/project" "$id"
