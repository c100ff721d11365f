#pragma once
// SCREE_HD marks a pure function that the CPU loop and the CUDA kernel both call.
#ifdef __CUDACC__
#define SCREE_HD __host__ __device__
#else
#define SCREE_HD
#endif

// So that a kernel holds small arrays in registers.
#ifdef __CUDA_ARCH__
#define SCREE_UNROLL _Pragma("unroll")
#else
#define SCREE_UNROLL
#endif

// For small functions where the call costs as much as what they do.
#define SCREE_INLINE [[gnu::always_inline]] inline
