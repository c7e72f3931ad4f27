#!/usr/bin/env bash
# Builds the fuzz targets with clang, and runs each of them: the parsers of files that others made.
#
#   scripts/fuzz.sh [SECONDS]     SECONDS for each target: 60 without
#
# Begins with tests/fuzz/corpus; what is found on the way is kept in build/fuzz/corpus. A file that
# breaks something is left in build/fuzz/findings, and the exit code is 1. Run the target with that file
# to see it again, mend it, and add the file to tests/fuzz/corpus.
set -euo pipefail

if [[ ! ${1:-60} =~ ^[1-9][0-9]*$ ]]; then
  sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"
  if [[ $1 == --help ]]; then exit 0; else exit 2; fi
fi
seconds=${1:-60}

# shellcheck source=scripts/setup.sh
source "$(dirname "$0")/setup.sh" test

build_targets() {
  cmake --preset asan && cmake --build --preset asan --parallel "$(nproc)" --target fuzz_import fuzz_npy fuzz_npz
}

quietly "fuzz: build the targets" "Does clang++ have libFuzzer? In Debian: libclang-rt-14-dev" build_targets
mkdir -p build/fuzz/findings
status=0
# fuzz TARGET: all targets at a time, since each has one thread.
fuzz() {
  mkdir -p "build/fuzz/corpus/$1"
  build/asan/tests/fuzz/fuzz_"$1" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix=build/fuzz/findings/"$1"- \
    "build/fuzz/corpus/$1" "tests/fuzz/corpus/$1" > "$root/build/logs/fuzz.$1.log" 2>&1
}

declare -A running
for target in import npy npz; do
  fuzz "$target" &
  running[$target]=$!
done
for target in import npy npz; do
  log=$root/build/logs/fuzz.$target.log
  if wait "${running[$target]}"; then
    result=clean
  else
    result="FOUND something, see build/fuzz/findings and $log"
    status=1
  fi
  runs=$(awk '/^stat::number_of_executed_units:/ { print $2 }' "$log")
  coverage=$(awk '/ cov: / { for (i = 1; i < NF; ++i) if ($i == "cov:") edges = $(i + 1) } END { print edges }' "$log")
  say "$target: ${runs:-?} inputs, ${coverage:-?} edges covered: $result"
done
exit $status
