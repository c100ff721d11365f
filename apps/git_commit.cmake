# Writes OUT with the commit of SOURCE as a string macro; runs at every build and leaves an up-to-date file alone.
execute_process(COMMAND git describe --always --abbrev=40 --dirty --exclude=* WORKING_DIRECTORY ${SOURCE}
                OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT commit)
  set(commit unknown)
endif()
set(text "#pragma once\n#define SCREE_GIT_COMMIT \"${commit}\"\n")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${text}" STREQUAL "${old}")
  file(WRITE ${OUT} "${text}")
endif()
