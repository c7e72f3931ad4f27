#!/bin/sh
# run_if_found.sh PROGRAM ARGUMENT...: runs it; exits with 77, which ctest takes as skipped, without it.
if ! command -v "$1" > /dev/null; then
  echo "skipped: there is no $1"
  exit 77
fi
exec "$@"
