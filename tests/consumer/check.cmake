# Installs Scree into a scratch folder, then configures, builds and runs a project that knows nothing but that folder.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " line)
    message(FATAL_ERROR "failed (${status}): ${line}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE ${SCRATCH}/prefix ${SCRATCH}/build)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
set(toolkit)
if(CUDA)
  set(toolkit -D CUDAToolkit_ROOT=${CUDA})
endif()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/build -G ${GENERATOR} -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=Debug ${toolkit})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)

run(${SCRATCH}/build/consumer)
if(NOT output MATCHES "relative pose: theta 1\\.000 x 0\\.000 -2\\.000\nbox: symmetry [1-9][0-9]*, 4 vertices")
  message(FATAL_ERROR "the consumer printed:\n${output}")
endif()

# The installed program finds the scenes installed with it, from a folder that has none.
if(EXISTS ${SCRATCH}/prefix/bin/scree)
  execute_process(COMMAND ${SCRATCH}/prefix/bin/scree reproduce star-distance --quick -o ${SCRATCH}/reproduce --force
                  WORKING_DIRECTORY ${SCRATCH} RESULT_VARIABLE status ERROR_VARIABLE output OUTPUT_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "the installed program does not reproduce (${status}):\n${output}")
  endif()
endif()

# The package must not hand our warnings, our CPU or our internal targets to others.
file(GLOB exported ${SCRATCH}/prefix/lib*/cmake/scree/*.cmake ${SCRATCH}/prefix/lib/*/cmake/scree/*.cmake)
if(NOT exported)
  message(FATAL_ERROR "no package files below ${SCRATCH}/prefix")
endif()
foreach(file ${exported})
  file(READ ${file} text)
  if(text MATCHES "march=native|-Wall|scree_options|scree_upto|Eigen3::")
    message(FATAL_ERROR "${file} passes on what is ours alone: ${CMAKE_MATCH_0}")
  endif()
endforeach()
