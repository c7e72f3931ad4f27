/* largest [DEVICE]: the largest of a million numbers and its index, by the C API. */
#include <foldtune/foldtune.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FOLDTUNE_EXAMPLE_CUDA
#include <cuda_runtime.h>
#endif

enum { COUNT = 1 << 20, LARGEST_AT = 271828, EXIT_SKIPPED = 77 };

/* What argmax writes for f32. */
struct indexed_float {
  float value;
  _Alignas(8) uint64_t index;
};

/* Prints the library's error, and returns the exit code for it. */
static int failed(foldtune_status status) {
  fprintf(stderr, "%s: %s\n", foldtune_status_name(status), foldtune_last_error());
  return status == FOLDTUNE_UNAVAILABLE ? EXIT_SKIPPED : EXIT_FAILURE;
}

/* A copy of the values where the device can read it; NULL if there is no memory for it. */
static void* copy_to_device(const char* device, const float* values, size_t bytes) {
  void* copy = NULL;
#ifdef FOLDTUNE_EXAMPLE_CUDA
  if (strncmp(device, "cuda:", 5) == 0) {
    if (cudaSetDevice(atoi(device + 5)) != cudaSuccess) return NULL;
    if (cudaMalloc(&copy, bytes) != cudaSuccess) return NULL;
    if (cudaMemcpy(copy, values, bytes, cudaMemcpyHostToDevice) != cudaSuccess) return NULL;
    return copy;
  }
#endif
  if (strncmp(device, "cpu", 3) == 0) copy = malloc(bytes);
  if (copy != NULL) memcpy(copy, values, bytes);
  return copy;
}

int main(int argc, char** argv) {
  const foldtune_context_options options = {.device = argc > 1 ? argv[1] : "cuda:0"};
  foldtune_context* context = NULL;
  foldtune_status status = foldtune_context_create(&options, &context);
  if (status != FOLDTUNE_OK) return failed(status);

  const foldtune_problem problem = {.op = "argmax", .type = "f32"};
  foldtune_reducer* argmax = NULL;
  status = foldtune_reducer_create(context, &problem, &argmax);
  if (status != FOLDTUNE_OK) return failed(status);

  static float values[COUNT];
  values[LARGEST_AT] = 3.5f;
  void* input = copy_to_device(options.device, values, sizeof values);
  if (input == NULL) {
    fprintf(stderr, "no memory on %s, or built without the CUDA runtime\n", options.device);
    return EXIT_SKIPPED;
  }

  struct indexed_float largest = {0};
  const void* inputs[] = {input};
  status = foldtune_reduce_value(argmax, inputs, 1, COUNT, &largest, sizeof largest, NULL);
  if (status != FOLDTUNE_OK) return failed(status);
  foldtune_explanation explanation;
  status = foldtune_reducer_explain(argmax, COUNT, &explanation);
  if (status != FOLDTUNE_OK) return failed(status);

  printf("%g at %llu, on %s\n%s: %s (%s: %s)\n", (double)largest.value,
         (unsigned long long)largest.index, foldtune_context_device_name(context),
         explanation.problem, explanation.config, explanation.source, explanation.reason);
  foldtune_reducer_destroy(argmax);
  foldtune_context_destroy(context);
  return largest.index == LARGEST_AT ? EXIT_SUCCESS : EXIT_FAILURE;
}
