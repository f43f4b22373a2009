#!/bin/sh
# Copy the files of a folder into another one: a small shell job that tells debugloop what it does.
#
#     sh keep.sh FROM TO
#
# The bug: now and then a file is not copied.

# Appends one event to the log of a debug session, or POSTs it where there is only an endpoint. The text arguments are
# a hypothesis, a location, a message and a value. Without a session, or if anything is wrong, it does nothing.
probe() {
  event=$(printf '%s\n' "$@" | sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' | tr -d '\000-\011\013-\037' | {
    IFS= read -r hypothesis && IFS= read -r location && IFS= read -r message && IFS= read -r value
    printf '{"hypothesisId": "%s", "location": "%s", "message": "%s", "data": {"value": "%s"}}' \
      "$hypothesis" "$location" "$message" "$value"
  })
  if [ -f "${DEBUGLOOP_LOG:-}" ]; then
    printf '%s\n' "$event" >>"$DEBUGLOOP_LOG"
  elif [ -n "${DEBUGLOOP_ENDPOINT:-}" ]; then
    # no proxy, a second at most, and beside the program
    curl --silent --noproxy '*' --max-time 1 --data-binary "$event" "$DEBUGLOOP_ENDPOINT" >/dev/null 2>&1 </dev/null &
  fi
  return 0
} 2>/dev/null

copied=0
probe H1 keep.sh:main "files there are" "$(ls "$1" | wc -l | tr -d ' ')"
for file in $(ls "$1"); do
  probe H2 keep.sh:main "file to copy" "$file"
  if cp "$1/$file" "$2/" 2>/dev/null; then
    copied=$((copied + 1))
  fi
done
echo "$copied copied"
