# Compiler flags shared by every target, as an interface library. Only our own targets link it, always privately:
# nothing here reaches a project that uses the installed package.
add_library(scree_options INTERFACE)
target_compile_options(scree_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(scree_options INTERFACE -Wno-restrict)  # GCC bug 105651: wrong for "text" + std::string
endif()

# Same bits. Without contraction a product and a sum round as written, whatever the compiler version, the optimisation
# level, the CPU and the place a function is inlined into; so a golden hash holds for release and sanitizer builds
# alike, and a x a is 0. Code that needs fused operations for speed asks for them by name (std::fma, Eigen). Never
# -ffast-math: it reorders sums. The other two flags change no result: nobody reads errno or traps.
target_compile_options(scree_options INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math)

if(SCREE_WERROR)
  target_compile_options(scree_options INTERFACE -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Guesses of the optimiser about inlined standard containers, wrong often enough: they warn, they do not stop.
    target_compile_options(scree_options INTERFACE -Wno-error=maybe-uninitialized -Wno-error=array-bounds
                                                   -Wno-error=stringop-overflow)
  endif()
endif()
if(SCREE_NATIVE)
  target_compile_options(scree_options INTERFACE -march=native)
endif()
if(SCREE_SANITIZE)
  target_compile_options(scree_options INTERFACE -fsanitize=${SCREE_SANITIZE} -fno-omit-frame-pointer
                                                 -fno-sanitize-recover=all)
  target_link_options(scree_options INTERFACE -fsanitize=${SCREE_SANITIZE})
endif()
if(SCREE_FUZZ)
  target_compile_options(scree_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(SCREE_SANITIZE MATCHES "thread")
  include(cmake/tsan_launcher.cmake)
endif()
