#!/bin/sh
# Makes a small real git repository with three broken tools, their tests and two documents:
# sh make-repository.sh DIRECTORY
set -eu
mkdir -p "$1/bin" "$1/tests"
cd "$1"

cat > bin/slugify <<'TOOL'
#!/bin/sh
# Turns lines into names for addresses: "Hello, World" becomes "hello-world".
tr '[:upper:]' '[:lower:]' | tr -c 'a-z0-9\n' '-'
TOOL

cat > bin/titlecase <<'TOOL'
#!/bin/sh
# Gives every word of a line a capital letter.
awk '{ print toupper(substr($0, 1, 1)) substr($0, 2) }'
TOOL

cat > bin/wordcount <<'TOOL'
#!/bin/sh
# Counts the words of standard input.
wc -c | tr -d ' '
TOOL

cat > tests/run.sh <<'TESTS'
#!/bin/sh
# Checks the tools: sh tests/run.sh [NAME...]
cd "$(dirname "$0")/.." || exit 1
failed=0
check() { # tool, input, expected
  got=$(printf '%s\n' "$2" | sh "bin/$1")
  if [ "$got" = "$3" ]; then
    echo "ok   $1 '$2'"
  else
    echo "FAIL $1 '$2': expected '$3', got '$got'"
    failed=1
  fi
}
for name in "${@:-all}"; do
  case $name in slugify | all)
    check slugify 'Hello, World' 'hello-world'
    check slugify '  A -- b!' 'a-b' ;;
  esac
  case $name in titlecase | all)
    check titlecase 'the quick fox' 'The Quick Fox' ;;
  esac
  case $name in wordcount | all)
    check wordcount 'one two  three' '3' ;;
  esac
done
exit $failed
TESTS

chmod 755 bin/* tests/run.sh
printf '# textkit\n\nSmall tools for text.\n' > README.md
printf '# Changes\n' > CHANGELOG.md

git init -q -b main
git add -A
git -c user.name=example -c user.email=example@example.invalid commit -q -m 'Three tools and their tests'
