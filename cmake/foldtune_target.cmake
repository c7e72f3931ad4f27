# What every target of ours has in common: warnings, sanitizers, the repository root as include path.
function(foldtune_target target)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion>)
  if(FOLDTUNE_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
  endif()
  if(FOLDTUNE_SANITIZE)
    target_compile_options(${target} PUBLIC
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${FOLDTUNE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all>)
    target_link_options(${target} PUBLIC -fsanitize=${FOLDTUNE_SANITIZE})
    target_compile_definitions(${target} PRIVATE FOLDTUNE_SANITIZE="${FOLDTUNE_SANITIZE}")
  endif()
  if(FOLDTUNE_FUZZ)
    target_compile_options(${target} PUBLIC $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=fuzzer-no-link>)
    target_link_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
  if(FOLDTUNE_STATIC)
    target_link_options(${target} PUBLIC -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# Files that a unity build leaves alone: they have names of their own that a neighbour has, too.
function(foldtune_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()
