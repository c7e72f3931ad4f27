# use_cuda_runtime(TARGET): links the CUDA runtime where it is; without it an example runs on the
# device cpu alone.
find_package(CUDAToolkit QUIET)
function(use_cuda_runtime target)
  if(TARGET CUDA::cudart)
    target_link_libraries(${target} PRIVATE CUDA::cudart)
    target_compile_definitions(${target} PRIVATE FOLDTUNE_EXAMPLE_CUDA)
  else()
    message(STATUS "No CUDA runtime was found: ${target} runs on the device cpu alone.")
  endif()
endfunction()
