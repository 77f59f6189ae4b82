#!/bin/sh
# Stands in for Node where a campaign starts a keeper. Only a process that strace starts can be traced at the calls that
# matter alone (--seccomp-bpf); one it joins stops at every call, and answers a tenth as often. A file `trace-keeper` beside
# the warehouse has the words of strace, one a line; it serves for one keeper, and the next one is left in peace.
for word in "$@"; do
  case $word in
    *.duckdb) folder=$(dirname "$word") ;;
  esac
done
if mv "$folder/trace-keeper" "$folder/traced-keeper" 2>/dev/null; then
  while read -r word; do
    words="$words $word"
  done <"$folder/traced-keeper"
  # shellcheck disable=SC2086
  exec strace $words "$PLINTH_KILL_NODE" "$@"
fi
exec "$PLINTH_KILL_NODE" "$@"
