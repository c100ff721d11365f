# Run by `cmake --install`: the public headers of the layers LAYERS below SOURCE_DIR to DESTINATION.
#
# A header stays home when it includes anything but the standard library and public headers of these layers, or asks which
# vector units the compiler may use: its meaning would depend on libraries and flags that users of the package do not
# share. So internal headers need no list, and no installed header has an ABI that depends on -march.
cmake_policy(VERSION 3.22)
set(candidates)
foreach(layer ${LAYERS})
  file(GLOB_RECURSE headers RELATIVE ${SOURCE_DIR} ${SOURCE_DIR}/scree/${layer}/*.hpp)
  list(APPEND candidates ${headers})
endforeach()

set(public)
set(internal)
foreach(header ${candidates})
  file(READ ${SOURCE_DIR}/${header} text)
  # <cairo.h>, <Eigen/Core>: the names of standard headers have neither a dot nor a slash.
  if(text MATCHES "#include <[^>]*[./]|__AVX")
    list(APPEND internal ${header})
  else()
    list(APPEND public ${header})
  endif()
endforeach()

# Whoever includes an internal header is internal: repeat until nothing changes.
set(changed TRUE)
while(changed)
  set(changed FALSE)
  foreach(header ${public})
    file(STRINGS ${SOURCE_DIR}/${header} includes REGEX "^#include \"scree/")
    list(TRANSFORM includes REPLACE "^#include \"([^\"]+)\".*" "\\1")
    foreach(include ${includes})
      if(NOT include IN_LIST public)
        list(REMOVE_ITEM public ${header})
        list(APPEND internal ${header})
        set(changed TRUE)
        break()
      endif()
    endforeach()
  endforeach()
endwhile()

foreach(header ${public})
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${SOURCE_DIR}/${header} DESTINATION ${DESTINATION}/${folder})
endforeach()
