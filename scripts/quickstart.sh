#!/usr/bin/env bash
# From a fresh Debian 12 to a tuned reduction of a real file: installs what is missing, builds, tunes
# on the GPU where there is one (otherwise on the CPU device), shows the database and reduces a file.
# Results go where `foldtune` keeps them by default: $FOLDTUNE_DB, else ~/.cache/foldtune/tuning.db.
set -euo pipefail

if (($#)); then
  sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"
  if [[ $1 == --help ]]; then exit 0; else exit 2; fi
fi

# shellcheck source=scripts/setup.sh
source "$(dirname "$0")/setup.sh" build

# With the library, so that both can be installed from here.
build_release() {
  cmake --preset release &&
    cmake --build --preset release --parallel "$(nproc)" --target foldtune_program foldtune_library
}
quietly "build: the command foldtune and the library" "scripts/test.sh says more about what does not build." build_release
foldtune=build/release/tuner/foldtune

# show COMMAND...: runs a command of foldtune where the reader sees it.
show() {
  say "" "\$ foldtune $*"
  "$foldtune" "$@"
}

say "" "\$ foldtune devices"
devices=$("$foldtune" devices) || true
say "$devices"
if grep -Eq '^[[:space:]]*cuda:0([[:space:]:]|$)' <<< "$devices"; then
  device=cuda:0
  tune=(--n '2^12..2^28:4' --budget 60s)
else
  device=cpu
  tune=(--n 64K --budget 20s)
  say "" "No usable GPU: tuning on the CPU device, which runs the same kernels thread by thread. Its results" \
    "are right, its times say nothing about a GPU."
fi
show tune --device "$device" --op sum --type f32 "${tune[@]}"
show show

# A real file: the sizes in bytes of the files under /usr, as raw f32. Python adds the same numbers exactly.
data=build/file_sizes.f32
expected=$(python3 scripts/file_sizes.py /usr "$data")
say "" "$data: the sizes of $(($(stat -c %s "$data") / 4)) files under /usr, as raw f32"
show run --device "$device" --op sum --type f32 "$data" | tee build/run.txt
python3 - build/run.txt "$expected" << 'PYTHON'
import re, sys

text, expected = open(sys.argv[1]).read(), float(sys.argv[2])
match = re.search(r"^\s*(?:result|sum)\b[^-+\d\n]*([-+]?\d[\d.]*(?:e[-+]?\d+)?)", text, re.M | re.I)
if not match:
    sys.exit("error: foldtune run printed no line 'result VALUE'")
result = float(match[1])
error = abs(result - expected) / max(abs(expected), 1.0)
print(f"\nadded by Python   {expected:.9g}\nrelative error    {error:.1e}")
# f32 keeps 24 bits, and partial sums meet in a tree: the rounding stays well below this.
if error > 5e-6:
    sys.exit("error: the sum is wrong")
PYTHON
say "" "All done. Try: $foldtune --help"
