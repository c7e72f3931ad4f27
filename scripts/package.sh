#!/usr/bin/env bash
# Installs Foldtune into an empty folder, moves it, and builds and runs every example against it; makes
# the Debian package and looks into it. Uses and leaves build/release, with the library shared.
#
#   scripts/package.sh
#
# The package is build/package/foldtune_VERSION_ARCHITECTURE.deb. Programs run on the device cpu, and
# on cuda:0 too; those that need a GPU are told as skipped where there is none.
set -euo pipefail

if (($#)); then
  sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p}' "$0"
  if [[ $1 == --help ]]; then exit 0; else exit 2; fi
fi

# shellcheck source=scripts/setup.sh
source "$(dirname "$0")/setup.sh" package

build=build/release
work=$root/build/package
rm -rf "$work"
mkdir -p "$work"
export FOLDTUNE_DB=$work/none.db

# Without the bench, the command has nothing of the CUDA Toolkit in it.
build_release() {  # ON or OFF: is the library shared
  cmake --preset release -DFOLDTUNE_BENCH=OFF "-DBUILD_SHARED_LIBS=$1" &&
    cmake --build "$build" --parallel "$(nproc)" --target foldtune_library foldtune_program foldtune_worker
}

# install_into PREFIX: as a package manager does, and then elsewhere: nothing may know where it was.
install_into() {
  cmake --install "$build" --prefix "$work/installed" > /dev/null
  cp "$build/install_manifest.txt" "$1.manifest"
  mv "$work/installed" "$1"
  if grep -rIlF "$work" "$1"; then die "these files know where they were installed"; fi
}

# What the manifest names is all there is, so that removing it removes Foldtune.
check_manifest() {  # PREFIX
  sed "s|^$work/installed|$1|" "$1.manifest" | xargs rm
  local left
  left=$(find "$1" ! -type d)
  [[ -z $left ]] || die "what an uninstallation leaves:" "$left"
}

# What a program sees of the library, and what the loader does.
check_shared_library() {  # FILE
  local internal unexpected
  unexpected=$(nm -D --defined-only "$1" | awk '$3 !~ /^(foldtune_|_ZN?K?8foldtune|_ZT[ISV]N8foldtune|_ZNK8foldtune)/')
  [[ -z $unexpected ]] || die "the library shows what is not Foldtune's:" "$unexpected"
  internal=$(nm -DC --defined-only "$1" | grep -E '^[0-9a-f]+ . foldtune::(Plan|Device|KernelCache|ConfigLookup)::' || true)
  [[ -z $internal ]] || die "the library shows what is internal:" "$internal"
  # Not grep -q, which ends before objdump does, and pipefail takes that for a failure.
  objdump -p "$1" | grep -E 'SONAME +libfoldtune\.so\.[0-9]+\.[0-9]+$' > /dev/null || die "the library has no soname"
  if objdump -p "$1" | grep -E 'R(UN)?PATH'; then die "the library has a path of this machine"; fi
  if readelf -dW "$1" | grep STATIC_TLS; then die "the library takes thread-local memory of a program's start: loaded late, it fails"; fi
}

# run_program PROGRAM DEVICE
run_program() {
  local status=0
  say "\$ $(basename "$1") $2"
  timeout -k 1 120 "$1" "$2" || status=$?
  case $status in
    0) ;;
    77) say "  SKIPPED: no device $2 for $(basename "$1")" ;;
    *) die "$(basename "$1") $2 ended with exit code $status" ;;
  esac
}

# build_example FOLDER PREFIX BUILD: by find_package, in its own folder.
build_example() {
  cmake -S "$1" -B "$3" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$2" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" &&
    cmake --build "$3" --parallel "$(nproc)"
}

have_nvcc() { command -v nvcc > /dev/null && first_file "$CUDA_HOME"/include/cuda_runtime.h "$CUDA_HOME"/targets/*/include/cuda_runtime.h > /dev/null; }

test_examples() {  # PREFIX
  local folder name program
  for folder in examples/*/; do
    [[ -f $folder/CMakeLists.txt ]] || continue
    name=$(basename "$folder")
    if [[ $name == graph_capture || $name == cuda_runtime ]] && ! have_nvcc; then
      say "examples/$name: SKIPPED: no nvcc and CUDA runtime to build it with"
      continue
    fi
    quietly "package: build examples/$name" "It is built against $1." build_example "$folder" "$1" "$work/$name"
    for program in $(find "$work/$name" -maxdepth 1 -type f -executable); do
      run_program "$program" cpu
      run_program "$program" cuda:0
    done
  done
}

# What is installed is enough to tune: examples/tune_on_miss found foldtune-worker, and kept what it measured.
check_tuned() {  # PREFIX
  local kept
  kept=$("$1/bin/foldtune" show --json)
  grep -qF '"sum"' <<< "$kept" || die "examples/tune_on_miss has tuned nothing:" "$kept"
}

test_pkg_config() {  # PREFIX
  local file flags
  file=$(find "$1" -name foldtune.pc)
  flags=$(PKG_CONFIG_PATH=$(dirname "$file") pkg-config --cflags --libs foldtune)
  say "pkg-config: $flags"
  # shellcheck disable=SC2086  # several words
  g++ -std=c++20 -Wall -Wextra -Werror examples/sum/sum.cpp -o "$work/sum_pkg_config" $flags
  LD_LIBRARY_PATH=$(find "$1" -name 'libfoldtune.*' -printf '%h\n' | head -n 1) run_program "$work/sum_pkg_config" cpu
}

# As a part of another project: the target is there, and gives the headers. What it compiles is the same.
test_subdirectory() {
  mkdir -p "$work/subdirectory"
  cat > "$work/subdirectory/CMakeLists.txt" << CMAKE
cmake_minimum_required(VERSION 3.24)
project(subdirectory LANGUAGES CXX)
add_subdirectory($root foldtune EXCLUDE_FROM_ALL)
add_executable(sum $root/examples/sum/sum.cpp)
target_link_libraries(sum PRIVATE foldtune::foldtune)
CMAKE
  cmake -S "$work/subdirectory" -B "$work/subdirectory/build" -G Ninja &&
    ninja -C "$work/subdirectory/build" CMakeFiles/sum.dir/"$root"/examples/sum/sum.cpp.o
}

make_deb() { cpack --config "$build/CPackConfig.cmake" -G DEB -B "$work/cpack" && mv "$work"/cpack/*.deb "$work"; }

# Of lintian's checks, those that matter here.
check_deb() {
  local deb=$1 tree=$work/deb_tree control=$work/deb_control file
  dpkg-deb -x "$deb" "$tree"
  dpkg-deb -e "$deb" "$control"
  cat "$control/control"
  for field in Package Version Architecture Maintainer Depends Section Description; do
    grep -q "^$field: ." "$control/control" || die "the .deb has no $field"
  done
  for library in libc6 libstdc++6 libsqlite3-0; do
    grep "^Depends:" "$control/control" | grep -qF "$library" || die "the .deb does not depend on $library"
  done
  (cd "$tree" && md5sum --quiet -c "$control/md5sums") || die "the .deb's checksums are wrong"
  [[ -s $control/shlibs ]] || die "the .deb has no shlibs"
  grep -q ldconfig "$control/postinst" || die "the .deb does not run ldconfig"
  for file in usr/bin/foldtune usr/libexec/foldtune/foldtune-worker usr/include/foldtune/foldtune.h usr/include/foldtune/foldtune.hpp \
    usr/share/doc/foldtune/{copyright,NOTICE,THIRD_PARTY.md}; do
    [[ -s $tree/$file ]] || die "the .deb lacks $file"
  done
  file=$(find "$tree" -path "$tree/usr" -prune -o -type f -print)
  [[ -z $file ]] || die "the .deb has files outside of /usr:" "$file"
  if find "$tree" -type f -perm /022 | grep .; then die "these files of the .deb can be written to by others"; fi
  "$tree/usr/bin/foldtune" --version
  if [[ $(id -u) == 0 ]]; then check_deb_removal "$deb"; fi  # dpkg asks for root
}

# Installed and removed in a folder, beside the system, whose ldconfig is not called.
check_deb_removal() {
  local system=$work/system left
  mkdir -p "$system/var/lib/dpkg"/{info,updates} "$work/no_ldconfig"
  touch "$system/var/lib/dpkg"/{status,available}
  ln -s "$(command -v true)" "$work/no_ldconfig/ldconfig"
  local dpkg=(env "PATH=$work/no_ldconfig:$PATH" dpkg "--root=$system" --force-depends --force-script-chrootless)
  "${dpkg[@]}" --install "$1" > /dev/null 2>&1 && [[ -x $system/usr/bin/foldtune ]] || die "the .deb does not install"
  "${dpkg[@]}" --purge foldtune > /dev/null
  left=$(find "$system" -path "$system/var" -prune -o ! -type d -print)
  [[ -z $left ]] || die "what a removal of the .deb leaves:" "$left"
}

quietly "package: build the static library" "scripts/test.sh says more about what does not build." build_release OFF
install_into "$work/static"
quietly "package: build examples/sum with it" "It is built against $work/static." \
  build_example examples/sum "$work/static" "$work/sum_static"
run_program "$work/sum_static/sum" cpu
test_pkg_config "$work/static"

quietly "package: build the shared library" "scripts/test.sh says more about what does not build." build_release ON
install_into "$work/prefix"
check_shared_library "$(find "$work/prefix" -name 'libfoldtune.so.*.*.*')"
echo '#include <foldtune/foldtune.h>' |
  cc -x c -std=c11 -Wall -Wextra -Werror -fsyntax-only -I"$work/prefix/include" -
test_examples "$work/prefix"
check_tuned "$work/prefix"
test_pkg_config "$work/prefix"
quietly "package: configure it as a subdirectory" "CMake's target foldtune::foldtune is missing or wrong." test_subdirectory
check_manifest "$work/prefix"
quietly "package: make the .deb" "CPack and dpkg-shlibdeps (the package dpkg-dev) are needed." make_deb
check_deb "$(find "$work" -maxdepth 1 -name '*.deb')"
say "The package: $(find "$work" -maxdepth 1 -name '*.deb')"
