# The GPU part: the sources of src/scree/cuda, and a compiler for them. Refuses rather than building less than asked.
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "SCREE_CUDA=ON needs a CUDA compiler and none was found. Put nvcc on the PATH or set "
                      "CUDACXX to it; without a GPU use SCREE_CUDA=OFF (preset cuda-off).")
endif()
file(GLOB cuda_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/scree/cuda/*.cu)
if(NOT cuda_sources)
  message(FATAL_ERROR "SCREE_CUDA=ON, but there is nothing to build yet: src/scree/cuda holds no .cu file. "
                      "Use SCREE_CUDA=OFF (preset cuda-off).")
endif()
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80 90)
endif()
enable_language(CUDA)
# The flag and not CMAKE_CUDA_STANDARD: CMake 3.25 silently drops the value 20 for some compilers.
add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
