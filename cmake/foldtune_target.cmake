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
  if(FOLDTUNE_STATIC)
    target_link_options(${target} PUBLIC -static-libstdc++ -static-libgcc)
  endif()
endfunction()
