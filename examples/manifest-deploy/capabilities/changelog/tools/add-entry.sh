#!/bin/sh
# Writes the heading of a release. The token is there for whoever publishes; it is never printed.
set -eu
test -n "$PUBLISH_TOKEN"
printf '# Changelog\n\n## %s\n\n- The first one.\n' "$RELEASE" > CHANGELOG.md
echo "wrote the entry of $RELEASE"
