# ThreadSanitizer of older compilers dies with "unexpected memory mapping" where the kernel randomises addresses over
# more than 28 bits (vm.mmap_rnd_bits). Programs started through `setarch -R` are not randomised; test discovery and
# ctest both start them that way. Some containers forbid it; there only the kernel setting helps.
find_program(SETARCH setarch)
set(setarch_works FALSE)
if(SETARCH)
  execute_process(COMMAND ${SETARCH} -R true RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  if(status EQUAL 0)
    set(setarch_works TRUE)
  endif()
endif()

if(setarch_works AND CMAKE_VERSION VERSION_GREATER_EQUAL 3.29)
  set(CMAKE_TEST_LAUNCHER ${SETARCH} -R)
elseif(setarch_works)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${SETARCH} -R)
elseif(EXISTS /proc/sys/vm/mmap_rnd_bits)
  file(READ /proc/sys/vm/mmap_rnd_bits random_bits)
  string(STRIP "${random_bits}" random_bits)
  if(random_bits GREATER 28)
    message(WARNING "ThreadSanitizer may stop with 'unexpected memory mapping': vm.mmap_rnd_bits is ${random_bits} and "
                    "setarch -R is not allowed here. Remedy: sysctl vm.mmap_rnd_bits=28 on the host.")
  endif()
endif()
