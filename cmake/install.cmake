# `cmake --install`: headers, libraries, the program with its scenes, and a package for find_package(scree).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/scree)
set(installed_libraries scree_core)
if(SCREE_IO)
  list(APPEND installed_libraries scree_io)
endif()
install(TARGETS ${installed_libraries} EXPORT screeTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT screeTargets NAMESPACE scree:: DESTINATION ${package_folder})
if(TARGET scree)
  install(TARGETS scree RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/scree)
endif()

set(header_layers base shape map learn world contact force implicit step measure)
if(SCREE_IO)
  list(APPEND header_layers scene record)
endif()
install(CODE "
  set(LAYERS \"${header_layers}\")
  set(SOURCE_DIR \"${PROJECT_SOURCE_DIR}/src\")
  set(DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")
  include(\"${PROJECT_SOURCE_DIR}/cmake/install_headers.cmake\")")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

configure_package_config_file(cmake/screeConfig.cmake.in ${PROJECT_BINARY_DIR}/screeConfig.cmake
                              INSTALL_DESTINATION ${package_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/screeConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/screeConfig.cmake ${PROJECT_BINARY_DIR}/screeConfigVersion.cmake
        DESTINATION ${package_folder})
# What io links is found by the same file here and in a project that uses the package.
if(SCREE_IO)
  install(FILES cmake/io_dependencies.cmake DESTINATION ${package_folder})
endif()
