# Shared by the scripts here; sourced, never run: saying what happens, and being quiet about what goes well.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root" || exit 1
mkdir -p build/logs
log=$root/build/logs/$(basename "$0" .sh).log
: > "$log"

# say LINE...
say() { printf '%s\n' "$@"; }

# die WHAT_WENT_WRONG [WHAT_TO_DO]...
die() {
  printf 'error: %s\n' "$1" >&2
  shift
  if (($#)); then printf '       %s\n' "$@" >&2; fi
  exit 1
}

# The first Ctrl-C ends the script; every step can be run again. Steps write to the log: 3 is the terminal.
exec 3>&2
trap 'trap - INT TERM; printf "\ninterrupted: run the same command again to go on\n" >&3; exit 130' INT TERM

# quietly WHAT HINT COMMAND...: one line while all goes well; the end of the log and the hint when not.
quietly() {
  local what=$1 hint=$2 started=$SECONDS before status=0
  shift 2
  printf '%-60s ' "$what"
  before=$(wc -l < "$log")
  printf '\n### %s\n### %s\n' "$what" "$*" >> "$log"
  "$@" >> "$log" 2>&1 || status=$?
  if ((status == 0)); then
    printf '%4d s\n' $((SECONDS - started))
    return 0
  fi
  printf 'FAILED after %d s (exit code %d)\n' $((SECONDS - started)) "$status"
  tail -n "+$((before + 1))" "$log" | tail -n 40 | sed 's/^/  | /'
  printf '  The whole log: %s\n  %s\n' "$log" "$hint"
  return "$status"
}
