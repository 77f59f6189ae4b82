#!/bin/sh
# Sets up what is missing (dependencies, Node 24 among them), then runs its arguments with them first in PATH.
set -e
cd "$(dirname "$0")/.."
if [ ! -f node_modules/.plinth-setup ] || ! cmp -s package-lock.json node_modules/.plinth-setup; then
  echo "Installing dependencies (once)…" >&2
  npm ci --loglevel=error --no-fund --no-audit >&2
  cp package-lock.json node_modules/.plinth-setup
fi
PATH="$PWD/node_modules/.bin:$PATH"
export PATH
exec "$@"
