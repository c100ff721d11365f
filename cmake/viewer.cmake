# `scree view`: the page (viewer/, built by npm) inside the program, and Boost.Beast to serve it. Where one of them is
# missing the program is built without, and the command says so.
set(SCREE_LEAST_NODE 20.19)
find_program(NODE node HINTS ${PROJECT_SOURCE_DIR}/.deps/node/bin)
find_program(NPM npm HINTS ${PROJECT_SOURCE_DIR}/.deps/node/bin)
find_path(BOOST_BEAST_INCLUDE_DIR boost/beast/version.hpp)
set(node_version)
if(NODE AND NPM)
  execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  string(REPLACE "v" "" node_version "${node_version}")
endif()

set(view_missing)
if(NOT node_version)
  list(APPEND view_missing "Node.js ${SCREE_LEAST_NODE} or later with npm")
elseif(node_version VERSION_LESS SCREE_LEAST_NODE)
  list(APPEND view_missing "Node.js ${SCREE_LEAST_NODE} or later (${NODE} is ${node_version})")
endif()
if(NOT BOOST_BEAST_INCLUDE_DIR)
  list(APPEND view_missing "Boost's headers (libboost-dev)")
endif()
list(JOIN view_missing " and " SCREE_VIEW_MISSING)

# AUTO: where all is there. Decided anew at every configuration, for setup may have brought what was missing.
set(SCREE_VIEW AUTO CACHE STRING "Build the viewer, `scree view`: ON, OFF or AUTO")
if(SCREE_VIEW STREQUAL "AUTO" AND view_missing)
  message(STATUS "No scree view: missing ${SCREE_VIEW_MISSING}")
  set(SCREE_VIEW OFF)
elseif(SCREE_VIEW STREQUAL "AUTO")
  set(SCREE_VIEW ON)
elseif(SCREE_VIEW AND view_missing)
  message(FATAL_ERROR "The viewer needs ${SCREE_VIEW_MISSING}: run scripts/setup, or configure with -D SCREE_VIEW=OFF.")
elseif(NOT SCREE_VIEW)
  set(SCREE_VIEW_MISSING "the option SCREE_VIEW, which is off")
endif()

if(SCREE_VIEW)
  set(viewer ${PROJECT_SOURCE_DIR}/viewer)
  set(SCREE_VIEW_PAGE ${PROJECT_BINARY_DIR}/viewer/index.html)
  file(GLOB page_sources CONFIGURE_DEPENDS ${viewer}/*.json ${viewer}/*.ts ${viewer}/*.html ${viewer}/src/*)
  add_custom_command(OUTPUT ${SCREE_VIEW_PAGE} DEPENDS ${page_sources} ${CMAKE_CURRENT_LIST_DIR}/build_viewer.cmake
                     COMMAND ${CMAKE_COMMAND} -DNODE=${NODE} -DNPM=${NPM} -DSOURCE=${viewer}
                             -DOUT=${PROJECT_BINARY_DIR}/viewer -P ${CMAKE_CURRENT_LIST_DIR}/build_viewer.cmake
                     COMMENT "Building the page of scree view" VERBATIM)
  add_custom_target(scree_page DEPENDS ${SCREE_VIEW_PAGE})
endif()
