# Libraries that do what is not ours to do. All are Debian packages; scripts/setup.sh installs them.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
# The compiled library: its headers alone take a second longer in every file.
add_library(foldtune_fmt INTERFACE)
target_link_libraries(foldtune_fmt INTERFACE
  $<IF:$<BOOL:${FOLDTUNE_STATIC}>,fmt::fmt-header-only,fmt::fmt>)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)

set(Boost_USE_STATIC_LIBS ${FOLDTUNE_STATIC})
find_package(Boost REQUIRED COMPONENTS context)

set(all_suffixes ${CMAKE_FIND_LIBRARY_SUFFIXES})
if(FOLDTUNE_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
endif()
find_package(SQLite3 REQUIRED)
find_package(SQLiteCpp REQUIRED)
set(CMAKE_FIND_LIBRARY_SUFFIXES ${all_suffixes})

find_path(XXHASH_INCLUDE_DIR xxhash.h REQUIRED)
add_library(xxhash INTERFACE)  # header-only: XXH_INLINE_ALL
target_include_directories(xxhash SYSTEM INTERFACE ${XXHASH_INCLUDE_DIR})
target_compile_definitions(xxhash INTERFACE XXH_INLINE_ALL)

# The chart library of `foldtune report`, which goes into the program: Chart.js 3 or 4, as one script.
option(FOLDTUNE_REPORT "Have the verb `report`, which needs Chart.js at build time" ON)
if(FOLDTUNE_REPORT)
  find_file(FOLDTUNE_CHART_JS NAMES chart.umd.min.js chart.umd.js chart.min.js Chart.min.js
            PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH)
  set(chart_advice "Install the package libjs-chart.js (scripts/setup.sh does), name the file with "
                   "-DFOLDTUNE_CHART_JS=..., or build without `foldtune report`: -DFOLDTUNE_REPORT=OFF.")
  if(NOT EXISTS "${FOLDTUNE_CHART_JS}")
    message(FATAL_ERROR "Chart.js was not found. " ${chart_advice})
  endif()
  file(READ "${FOLDTUNE_CHART_JS}" chart_js)
  if(NOT chart_js MATCHES "Chart\\.js v[34]\\." OR chart_js MATCHES "</script")
    message(FATAL_ERROR "${FOLDTUNE_CHART_JS} is no Chart.js 3 or 4 to embed. " ${chart_advice})
  endif()
  unset(chart_js)
endif()

# Headers of the driver API and of NVRTC, for their types alone: both libraries are opened at run time.
function(find_cuda_header variable header)
  find_path(${variable} ${header}
            HINTS ${CUDAToolkit_ROOT} ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda
                  ${PROJECT_SOURCE_DIR}/.deps/cuda
            PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include
            NO_SYSTEM_ENVIRONMENT_PATH NO_CMAKE_SYSTEM_PATH)
endfunction()
find_cuda_header(FOLDTUNE_CUDA_INCLUDE_DIR cuda.h)
find_cuda_header(FOLDTUNE_NVRTC_INCLUDE_DIR nvrtc.h)
set(cuda_advice
    "Set CUDA_HOME to a CUDA Toolkit 12.4 or newer (only its headers are needed to build), "
    "or run scripts/setup.sh, which fetches the headers into .deps/cuda.")
if(NOT FOLDTUNE_CUDA_INCLUDE_DIR OR NOT FOLDTUNE_NVRTC_INCLUDE_DIR)
  message(FATAL_ERROR "cuda.h or nvrtc.h was not found. " ${cuda_advice})
endif()
file(STRINGS ${FOLDTUNE_CUDA_INCLUDE_DIR}/cuda.h cuda_version REGEX "#define CUDA_VERSION [0-9]+")
string(REGEX REPLACE ".* ([0-9]+).*" "\\1" cuda_version "${cuda_version}")
if(cuda_version LESS 12040)
  message(FATAL_ERROR "${FOLDTUNE_CUDA_INCLUDE_DIR}/cuda.h is of CUDA_VERSION ${cuda_version}. "
                      ${cuda_advice})
endif()
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE
  ${FOLDTUNE_CUDA_INCLUDE_DIR} ${FOLDTUNE_NVRTC_INCLUDE_DIR})

# Tests link foldtune_catch, or foldtune_catch_nomain where they bring their own main, and include
# tests/catch.h: the same for Catch2 v2 (header only) and v3 (a library).
if(BUILD_TESTING AND PROJECT_IS_TOP_LEVEL)
  find_package(Catch2 REQUIRED)
  include(Catch)  # catch_discover_tests
  add_library(foldtune_catch_nomain INTERFACE)
  target_link_libraries(foldtune_catch_nomain INTERFACE Catch2::Catch2)
  if(TARGET Catch2::Catch2WithMain)
    add_library(foldtune_catch INTERFACE)
    target_link_libraries(foldtune_catch INTERFACE Catch2::Catch2WithMain)
  else()
    add_library(foldtune_catch STATIC ${PROJECT_SOURCE_DIR}/tests/catch_main.cpp)
    foldtune_target(foldtune_catch)
    target_compile_options(foldtune_catch PRIVATE -O0)  # in half of the time
    target_link_libraries(foldtune_catch PUBLIC Catch2::Catch2)
  endif()
endif()
