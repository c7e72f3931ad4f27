# What every target of ours has in common: warnings and sanitizers.
function(foldtune_target target)
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
  if(FOLDTUNE_STATIC)
    target_link_options(${target} PUBLIC -static-libstdc++ -static-libgcc)
  endif()
endfunction()

# For targets that compute little: without optimization they compile in half of the time.
function(foldtune_computes_little target)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Debug>>:-O0>)
endfunction()

# foldtune_guide_fuzzing(TARGET or FILE...): libFuzzer sees the branches of what parses files that others
# made. It does not see all, for a search takes nearly twice as long with that.
function(foldtune_guide_fuzzing)
  if(NOT FOLDTUNE_FUZZ)
    return()
  endif()
  foreach(name IN LISTS ARGN)
    if(TARGET ${name})
      target_compile_options(${name} PRIVATE -fsanitize=fuzzer-no-link)
    else()
      set_source_files_properties(${name} PROPERTIES COMPILE_OPTIONS -fsanitize=fuzzer-no-link)
    endif()
  endforeach()
endfunction()

# Files that a unity build leaves alone: they have names of their own that a neighbour has, too.
function(foldtune_compile_alone)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# foldtune_folders(TARGET FOLDER...): the target, and whoever links it, includes the files of these folders
# by their path from the root of the tree. Who does not link it does not find them: the root itself is in
# no include path, but links to single folders.
function(foldtune_folders target)
  set(include ${PROJECT_BINARY_DIR}/include/${target})
  foreach(folder IN LISTS ARGN)
    cmake_path(GET folder PARENT_PATH parent)
    file(MAKE_DIRECTORY ${include}/${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${include}/${folder} SYMBOLIC)
  endforeach()
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${include}>)
endfunction()

# foldtune_own_folder(FOLDER): the same for all targets of the present folder, and for them alone.
# A macro, for it adds to the folder that calls it.
macro(foldtune_own_folder folder)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include/own_${folder})
  file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${PROJECT_BINARY_DIR}/include/own_${folder}/${folder} SYMBOLIC)
  include_directories(${PROJECT_BINARY_DIR}/include/own_${folder})
endmacro()
