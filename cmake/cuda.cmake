# The GPU part: the sources of src/scree/cuda, and a compiler for them. Refuses rather than building less than asked.
# Without one on the PATH the compiler that scripts/cuda-toolkit has brought is taken.
set(SCREE_LEAST_CUDA 13)
include(CheckLanguage)
file(GLOB own_compiler ${PROJECT_SOURCE_DIR}/build/cuda-toolkit/lib/python3*/site-packages/nvidia/cu13/bin/nvcc)
find_program(SCREE_NVCC nvcc HINTS ENV CUDA_PATH PATHS /usr/local/cuda/bin)
if(NOT CMAKE_CUDA_COMPILER)
  unset(CMAKE_CUDA_COMPILER CACHE)  # not found the last time
endif()
if(NOT DEFINED CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND NOT SCREE_NVCC AND own_compiler)
  list(GET own_compiler 0 CMAKE_CUDA_COMPILER)
endif()
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "SCREE_CUDA=ON needs a CUDA compiler and none was found. Put nvcc on the PATH, set CUDACXX to it, "
                      "or run scripts/cuda-toolkit, which brings one; without a GPU use SCREE_CUDA=OFF (preset "
                      "cuda-off).")
endif()
# 80: A100 and later. Code for 90 runs on H100 and H200; newer GPUs translate it when a program starts.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90 CACHE STRING "Compute capabilities of the GPUs to build for")
endif()
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS SCREE_LEAST_CUDA)
  message(FATAL_ERROR "${CMAKE_CUDA_COMPILER} is release ${CMAKE_CUDA_COMPILER_VERSION}; Scree needs CUDA "
                      "${SCREE_LEAST_CUDA} or later. scripts/cuda-toolkit brings one: then configure anew with CUDACXX "
                      "set to the path it prints.")
endif()
find_package(CUDAToolkit REQUIRED)
if(CCACHE AND NOT CMAKE_CUDA_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

# CMake before 3.26 does not know that this compiler speaks C++20.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
endif()
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
set(CMAKE_CUDA_EXTENSIONS OFF)
# --expt-relaxed-constexpr: std::array, std::min and the like in code for both. 20050: an inline function that no kernel
# of this file uses.
add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;-diag-suppress=20050>")
