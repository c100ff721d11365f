# Compiler flags shared by every target, as an interface library. Only our own targets link it, always privately:
# nothing here reaches a project that uses the installed package.
add_library(scree_options INTERFACE)

# Flags for C++ and, handed on by the CUDA compiler, for the host's half of a .cu file: inline functions must be compiled
# alike in both, for the linker keeps one of them.
function(add_host_flags)
  list(JOIN ARGN "," for_cuda)
  target_compile_options(scree_options INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:${ARGN}>"
                                                 "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${for_cuda}>")
endfunction()
add_host_flags(-Wall -Wextra)
# These three find fault with what the CUDA compiler writes itself.
target_compile_options(scree_options INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wpedantic;-Wshadow;-Wconversion>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  add_host_flags(-Wno-restrict)  # GCC bug 105651: wrong for "text" + std::string
endif()

# Same bits. Without contraction a product and a sum round as written, whatever the compiler version, the optimisation
# level, the CPU and the place a function is inlined into; so a golden hash holds for release and sanitizer builds
# alike, and a x a is 0. Code that needs fused operations for speed asks for them by name (std::fma, Eigen). Never
# -ffast-math: it reorders sums. The other two flags change no result: nobody reads errno or traps.
add_host_flags(-ffp-contract=off -fno-math-errno -fno-trapping-math)

if(SCREE_WERROR)
  add_host_flags(-Werror)
  target_compile_options(scree_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Guesses of the optimiser about inlined standard containers, wrong often enough: they warn, they do not stop.
    add_host_flags(-Wno-error=maybe-uninitialized -Wno-error=array-bounds -Wno-error=stringop-overflow)
  endif()
endif()
if(SCREE_NATIVE)
  add_host_flags(-march=native)
endif()
if(SCREE_SANITIZE)
  target_compile_options(scree_options INTERFACE -fsanitize=${SCREE_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
  if(SCREE_SANITIZE MATCHES "address,undefined")
    # AddressSanitizer sees these two anyway.
    target_compile_options(scree_options INTERFACE -fno-sanitize=null,object-size)
  endif()
  target_link_options(scree_options INTERFACE -fsanitize=${SCREE_SANITIZE})
endif()
if(SCREE_FUZZ)
  target_compile_options(scree_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SCREE_SANITIZE MATCHES "thread")
  include(cmake/tsan_launcher.cmake)
endif()
