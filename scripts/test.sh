#!/usr/bin/env bash
# Sets up what is missing, then builds and tests Foldtune.
#
#   scripts/test.sh         shows that Foldtune works here: the checks of the source and every test but the
#                           thorough ones; 10 to 15 minutes on 2 cores
#   scripts/test.sh --all   the same, and what a change has to pass besides: the sanitizers, fuzzing, the
#                           robustness cases, attacks, the comparison with NumPy, the bench, the packages,
#                           clang-tidy; 35 to 45 minutes. FOLDTUNE_SEED=N: other attacks and inputs [1]
#
# Goes on after a stage that fails, and ends with a table of what ran and what was skipped.
# Exit code: 0 if all passed, 1 if anything failed, 2 for a wrong argument.
set -euo pipefail

all=false
case "$#:${1:-}" in
  0:) ;;
  1:--all) all=true ;;
  *)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"
    if [[ $1 == --help ]]; then exit 0; else exit 2; fi
    ;;
esac

# shellcheck source=scripts/setup.sh
source "$(dirname "$0")/setup.sh" test

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# No test touches the user's own database.
export FOLDTUNE_DB=$scratch/tuning.db

summary=()
failed=0

# passed_tests LOG: "41 tests, 2 SKIPPED (a, b)" from the closing lines of ctest; nothing without them.
passed_tests() {
  awk '
    / tests? failed out of / { total = $NF; failed = $(NF - 5) }
    / - .* \((Skipped|Disabled|Not Run)\)$/ {
      name = $0; sub(/^.* - /, "", name); sub(/ \([A-Za-z ]*\)$/, "", name)
      names = names (skipped++ ? ", " : "") name
    }
    END {
      if (total == "") exit
      printf "%d tests", total - skipped
      if (failed) printf ", %d FAILED", failed
      if (skipped) printf ", %d SKIPPED (%s)", skipped, names
    }' "$1"
}

# failed_output LOG: what the failed tests of ctest wrote, which lies far above the end of its log.
failed_output() {
  awk '
    /^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / { shown = /\*\*\*(Failed|Timeout|Exception)/ }
    /^ +Start +[0-9]+: / { shown = 0 }
    /% tests passed, / { shown = 0 }
    shown' "$1" | tail -n 60 | sed 's/^/  | /'
}

# stage NAME WHAT COMMAND...: runs it with a log of its own, and keeps a line for the closing table.
stage() {
  local name=$1 what=$2 started=$SECONDS result=passed detail
  shift 2
  log=$root/build/logs/test.$name.log
  : > "$log"
  if ! quietly "$name: $what" "Mend that, then run scripts/test.sh again." "$@"; then
    result=FAILED
    failed_output "$log"
    failed=$((failed + 1))
  fi
  detail=$(passed_tests "$log")
  summary+=("$(printf '%-12s %-8s %5d s  %s' "$name" "$result" $((SECONDS - started)) "${detail:-$what}")")
}

skip() {
  say "$1: SKIPPED: $2"
  summary+=("$(printf '%-12s %-8s %5s    %s' "$1" SKIPPED - "$2")")
}

# Our files that match the patterns, NUL-separated: what git would commit, or all in a tree without git.
our_files() {
  if git rev-parse --is-inside-work-tree > /dev/null 2>&1; then
    git ls-files -z --cached --others --exclude-standard -- "$@" | while IFS= read -r -d '' file; do
      # Deleted, and not yet committed as such.
      if [[ -f $file ]]; then printf '%s\0' "$file"; fi
    done
  else
    local pattern names=()
    for pattern in "$@"; do names+=(-o -path "./$pattern"); done
    find . \( -path ./build -o -path ./.deps -o -path ./.git \) -prune -o -type f \( -false "${names[@]}" \) -printf '%P\0'
  fi
}

in_parallel() { xargs -0 -r -P "$(nproc)" "$@"; }

build_preset() { cmake --preset "$1" && cmake --build --preset "$1" --parallel "$(nproc)"; }

test_dev() { build_preset dev && ctest --preset dev --parallel "$(nproc)" -LE thorough; }

test_thoroughly() { ctest --preset dev --parallel "$(nproc)" -L thorough; }

# g++ is a compiler of users, too: its warnings are errors here, and in all that builds release later.
build_bench() {
  CXXFLAGS=-Werror cmake --preset release &&
    cmake --build --preset release --parallel "$(nproc)" --target bench/all
}

# ThreadSanitizer of clang 14 does not start under the widest address space randomisation (32 bits),
# which newer kernels have on.
test_sanitized() {
  local fixed_addresses=()
  if setarch "$(uname -m)" -R true 2> /dev/null; then fixed_addresses=(setarch "$(uname -m)" -R); fi
  build_preset "$1" && "${fixed_addresses[@]}" ctest --preset "$1" --parallel "$(nproc)"
}

# Other shapes of the same faults are found with other seeds, and more of them by the scripts themselves.
attack_databases() { python3 scripts/attack_databases.py build/dev --count 80 --seed "${FOLDTUNE_SEED:-1}"; }

attack_command_lines() { python3 scripts/attack_command_lines.py build/dev --seed "${FOLDTUNE_SEED:-1}"; }

compare_with_numpy() {
  cmake --build --preset dev --parallel "$(nproc)" --target foldtune_library &&
    python3 scripts/compare_with_numpy.py build/dev --seed "${FOLDTUNE_SEED:-1}"
}

check_format() { our_files '*.h' '*.c' '*.cpp' '*.cuh' '*.cu' | in_parallel -n 16 clang-format --dry-run -Werror; }

# The translation units of the asan build, of up to forty files each: one by one they take many times as long.
check_tidy() {
  sed -n 's/^ *"file": "\(.*\)",\{0,1\}$/\1/p' build/asan/compile_commands.json |
    grep -E "^$root/(build/asan/)?(templates|cache|runtime|tuner)/" | tr '\n' '\0' |
    in_parallel -n 1 clang-tidy -p build/asan --quiet --checks=-bugprone-suspicious-include
}

# Headers that no source file includes first: those that one does have compiled alone there. The public
# headers see nothing but the public include folders; the others see the tree. The bench needs the headers
# of the CUDA runtime, which come with nvcc.
check_headers() {
  local status=0
  export public_includes="-Iruntime/include -Itemplates/include"
  # shellcheck disable=SC2016  # expanded by the inner shell
  our_files '*.h' | in_parallel -n 1 bash -c '
    if [[ $1 == bench/* ]] && ! command -v nvcc > /dev/null; then exit 0; fi
    source=${1%.h}.cpp
    if [[ $1 != bench/* && -f $source && $(grep -m 1 "^#include" "$source") == "#include \"$1\"" ]]; then exit 0; fi
    includes="$public_includes -I. -isystem $CUDA_HOME/include"
    if [[ $1 == */include/foldtune/* ]]; then includes=$public_includes; fi
    echo "#include \"$1\"" |
      clang++ -x c++ -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Werror -iquote . $includes - ||
      { echo "$1 does not compile alone"; exit 1; }' header || status=1
  return $status
}

# An absolute path of one machine helps nobody else.
check_paths() {
  local found
  found=$(our_files '*' | xargs -0 grep -nIE '(^|[^[:alnum:]._~/-])/(home|root|Users|mnt|media|srv|work|workspace)/[[:alnum:]]' || true)
  if [[ -n $found ]]; then
    printf 'paths of one machine:\n%s\n' "$found"
    return 1
  fi
}

check_scripts() {
  local file status=0
  for file in scripts/*.sh .ci/run; do
    bash -n "$file" || status=1
  done
  for file in scripts/{setup,quickstart,test,compile_space,fuzz,package}.sh .ci/run; do
    [[ -x $file ]] || { echo "$file is not executable"; status=1; }
  done
  return $status
}

# stage_with_tool NAME WHAT TOOL COMMAND...: other major versions of these tools find other things.
stage_with_tool() {
  local name=$1 what=$2 tool=$3 version
  shift 3
  version=$("$tool" --version | grep -oE 'version [0-9]+' | grep -oE '[0-9]+' | head -n 1)
  if [[ $version == 14 ]]; then
    stage "$name" "$what" "$@"
  else
    skip "$name" "$tool is version $version, and the tree is kept for version 14"
  fi
}

stage scripts "syntax and run bits of the scripts" check_scripts
stage paths "no path of one machine in the tree" check_paths
stage_with_tool format "clang-format" clang-format check_format
stage dev "all tests but the thorough ones, warnings are errors" test_dev
stage readme "the commands and the example of README.md" python3 scripts/check_readme.py build/dev
if $all; then
  stage thorough "the robustness cases" test_thoroughly
  stage databases "every verb on damaged and hostile databases" attack_databases
  stage commands "random command lines" attack_command_lines
  stage numpy "all operators and types beside NumPy" compare_with_numpy
  stage headers "each header compiles first in a file" check_headers
  stage doxygen "the API reference, without warnings" doxygen docs/Doxyfile
  stage asan "tests with AddressSanitizer and UBSan" test_sanitized asan
  stage fuzz "the parsers of files that others made, 20 s each" scripts/fuzz.sh 20
  stage tsan "tests with ThreadSanitizer" test_sanitized tsan
  stage_with_tool tidy "clang-tidy" clang-tidy check_tidy
  if command -v nvcc > /dev/null; then
    stage bench "the comparison with CUB builds, by g++, warnings are errors" build_bench
  else
    skip bench "no nvcc to build the comparison with CUB"
  fi
  stage package "install, link and package it; the examples against it" scripts/package.sh
  stage quickstart "scripts/quickstart.sh" scripts/quickstart.sh
  stage install "what README.md says after the quick start" python3 scripts/check_readme.py build/release
fi

say "" "stage        result      time"
printf '%s\n' "${summary[@]}"
say ""
if ! command -v nvidia-smi > /dev/null; then say "No GPU here: nothing ran on a CUDA device."; fi
if ! command -v nvcc > /dev/null; then say "No nvcc here: the templates were not compiled with it."; fi
if ! $all; then say "The stages of scripts/test.sh --all were not run."; fi
if ((failed)); then
  say "$failed of ${#summary[@]} stages FAILED, in $((SECONDS / 60)) min $((SECONDS % 60)) s. Logs: build/logs/test.STAGE.log"
  exit 1
fi
say "All stages passed that ran, in $((SECONDS / 60)) min $((SECONDS % 60)) s."
