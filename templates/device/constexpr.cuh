/// FOLDTUNE_CONSTEXPR: before a constexpr function that both host and device call.
#pragma once

#ifdef __CUDACC__
#define FOLDTUNE_CONSTEXPR __host__ __device__ constexpr
#else
#define FOLDTUNE_CONSTEXPR constexpr
#endif
