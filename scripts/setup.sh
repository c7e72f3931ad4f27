#!/usr/bin/env bash
# Finds what is missing to build Foldtune, and installs it: Debian packages, and, where no CUDA
# toolkit is, NVRTC and the headers in .deps/cuda. Does nothing where all is there.
#
#   scripts/setup.sh [build|package|test]  build: what the library and the CLI need; package: what
#                                     scripts/package.sh needs, too; test (default): the second
#                                     compiler and the checkers, too
#   source scripts/setup.sh build     in a script: the same, and leaves CUDA_HOME set for CMake and
#                                     for the programs that open NVRTC
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Everything on top of a bare Debian 12 ("minbase").
build_packages=(
  g++ cmake ninja-build           # to build
  libfmt-dev libcli11-dev nlohmann-json3-dev libxxhash-dev libboost-context-dev
  libsqlitecpp-dev libsqlite3-dev
  libjs-chart.js                  # the charts of `foldtune report`
  catch2                          # for the tests
  sqlite3                         # to query the tuning database
  python3                         # unpacks wheels; writes the quickstart's input file
)
package_packages=(
  dpkg-dev                        # dpkg-shlibdeps
  file                            # which CPack asks for
  pkg-config                      # one of the ways to link the package
)
test_packages=(
  clang libclang-rt-14-dev        # the second compiler, and its libFuzzer
  clang-format clang-tidy
  doxygen                         # the API reference
  git                             # to list the files that are ours
  chromium chromium-driver python3-selenium  # the page of `foldtune report` in a browser
  python3-matplotlib              # the bench's plots
  python3-pip                     # fetches NumPy and cffi for scripts/compare_with_numpy.py
)
wheel_packages=(python3-pip ca-certificates)

# NVRTC emits code for the real architecture, and the newest minor version knows the most of them.
wheels=('nvidia-cuda-nvrtc>=13.0,<14' 'nvidia-cuda-runtime>=13.0,<14')
minimum_cuda=12040                # CUDA_VERSION in cuda.h, for 12.4
deps=$root/.deps
# The name of the folder's content: a change here fetches anew.
wheels_stamp="${wheels[*]}"

# missing PACKAGE...: those that dpkg does not report as installed.
missing() {
  local package
  for package in "$@"; do
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
  done
}

as_root() {
  if [[ $(id -u) == 0 ]]; then
    "$@"
  else
    sudo "$@"
  fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@"; }

# One broken source among many does not stop what the others have.
update_and_install() {
  apt update || echo "apt-get update failed: going on with the lists at hand"
  apt install --no-install-recommends "$@"
}

# install_packages PACKAGE...
install_packages() {
  local wanted
  command -v dpkg-query > /dev/null ||
    die "this is not a Debian system, and its packages are not known here." \
      "Install the equivalents of: $*" "then build with: cmake --preset release && cmake --build --preset release"
  mapfile -t wanted < <(missing "$@")
  ((${#wanted[@]})) || return 0
  if [[ $(id -u) != 0 ]]; then
    command -v sudo > /dev/null ||
      die "packages are missing, and neither root nor sudo is at hand to install them." \
        "As root: apt-get install --no-install-recommends ${wanted[*]}"
    say "Needs sudo to install: ${wanted[*]}"
    sudo -v || die "sudo refused." "As root: apt-get install --no-install-recommends ${wanted[*]}"
  fi
  quietly "setup: install Debian packages (${#wanted[@]} missing)" \
    "Is the network up? By hand: apt-get update; apt-get install --no-install-recommends ${wanted[*]}" \
    update_and_install "${wanted[@]}"
}

# first_file PATTERN...: the first existing file that a pattern matches.
first_file() {
  local file
  for file in "$@"; do
    if [[ -f $file ]]; then
      echo "$file"
      return
    fi
  done
  return 1
}

# is_cuda_root DIRECTORY: does it hold cuda.h of a usable version, nvrtc.h and libnvrtc?
is_cuda_root() {
  local header version
  header=$(first_file "$1"/include/cuda.h "$1"/targets/*/include/cuda.h) || return 1
  version=$(awk '$1 == "#define" && $2 == "CUDA_VERSION" { print $3; exit }' "$header")
  ((${version:-0} >= minimum_cuda)) || return 1
  first_file "$1"/include/nvrtc.h "$1"/targets/*/include/nvrtc.h > /dev/null || return 1
  first_file "$1"/lib64/libnvrtc.so* "$1"/lib/libnvrtc.so* "$1"/targets/*/lib/libnvrtc.so* > /dev/null
}

# The toolkit to use, on stdout; fails where there is none.
find_cuda() {
  local candidate nvcc=
  nvcc=$(command -v nvcc || true)
  [[ -z $nvcc ]] || nvcc=$(dirname "$(dirname "$(readlink -f "$nvcc")")")
  for candidate in "${CUDA_HOME:-}" "${CUDA_PATH:-}" /usr/local/cuda "$nvcc"; do
    if [[ -n $candidate ]] && is_cuda_root "$candidate"; then
      echo "$candidate"
      return
    fi
  done
  return 1
}

have_wheels() { is_cuda_root "$deps/cuda" && [[ $(cat "$deps/cuda/wheels" 2> /dev/null) == "$wheels_stamp" ]]; }

# A python3 that is first on PATH need not be Debian's, which python3-pip belongs to.
python_with_pip() {
  local python
  for python in python3 /usr/bin/python3; do
    if "$python" -m pip --version > /dev/null 2>&1; then
      echo "$python"
      return
    fi
  done
  return 1
}

# Download, unpack and rename: what stands under .deps/cuda is whole, whenever this is interrupted.
fetch_wheels() {
  local work=$deps/partial
  rm -rf "$work"
  mkdir -p "$work/wheels" "$work/cuda"
  "$(python_with_pip)" -m pip download --no-deps --only-binary :all: --disable-pip-version-check \
    --dest "$work/wheels" "${wheels[@]}" || return
  python3 - "$work" << 'PYTHON' || return
import pathlib, sys, zipfile

work = pathlib.Path(sys.argv[1])
for wheel in sorted((work / "wheels").glob("*.whl")):
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            parts = pathlib.PurePosixPath(entry.filename).parts
            if entry.is_dir():
                continue
            if parts[0] == "nvidia" and parts[2:3] in (("include",), ("lib",)):
                target = work.joinpath("cuda", *parts[2:])
            elif parts[-1].lower().startswith("license"):
                target = work / "cuda" / ("LICENSE." + wheel.name.split("-")[0] + ".txt")
            else:
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(archive.read(entry))
PYTHON
  # The wheels hold libnvrtc.so.13 alone; the name that programs open is the development one.
  ln -s "$(basename "$work"/cuda/lib/libnvrtc.so.*)" "$work/cuda/lib/libnvrtc.so"
  echo "$wheels_stamp" > "$work/cuda/wheels"
  is_cuda_root "$work/cuda" || { echo "the wheels lack cuda.h, nvrtc.h or libnvrtc"; return 1; }
  rm -rf "$deps/cuda"
  mv "$work/cuda" "$deps/cuda" || return
  rm -rf "$work"
}

set_up_cuda() {
  if CUDA_HOME=$(find_cuda); then
    export CUDA_HOME
    return
  fi
  if ! have_wheels; then
    say "No CUDA toolkit (12.4 or newer) in \$CUDA_HOME, \$CUDA_PATH, /usr/local/cuda or beside nvcc:"
    python_with_pip > /dev/null || install_packages "${wheel_packages[@]}"
    quietly "setup: fetch NVRTC and CUDA headers into .deps/cuda" \
      "Needs the Python package index. Or install a CUDA toolkit, and set CUDA_HOME to it." fetch_wheels
  fi
  export CUDA_HOME=$deps/cuda
}

set_up() {
  case $1 in
    build) install_packages "${build_packages[@]}" ;;
    package) install_packages "${build_packages[@]}" "${package_packages[@]}" ;;
    test) install_packages "${build_packages[@]}" "${package_packages[@]}" "${test_packages[@]}" ;;
    *) die "unknown set-up '$1'" "Usage: scripts/setup.sh [build|package|test]" ;;
  esac
  # Two set-ups at once would unpack into the same folder.
  mkdir -p "$deps"
  exec 9> "$deps/lock"
  flock 9
  set_up_cuda
  exec 9>&-
}

if [[ ${BASH_SOURCE[0]} == "$0" && ${1:-} == --help ]]; then
  sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"
  exit 0
fi
set_up "${1:-test}"
