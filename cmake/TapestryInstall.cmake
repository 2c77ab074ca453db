# What `cmake --install` copies beside the targets, the CMake package by which
# other projects find it all, and Debian packages of it (`cpack -G DEB`).
include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tapestry"
                  "${PROJECT_SOURCE_DIR}/runtime/include/tapestry-rt"
  DESTINATION include COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/tapestry"
  DESTINATION include COMPONENT dev
  FILES_MATCHING PATTERN "*.inc" PATTERN CMakeFiles EXCLUDE)

set(_package lib/cmake/Tapestry)
install(EXPORT TapestryTargets NAMESPACE Tapestry::
  DESTINATION ${_package} COMPONENT dev)
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/TapestryConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/TapestryConfig.cmake"
  INSTALL_DESTINATION ${_package})
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/TapestryConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TapestryConfig.cmake"
              "${PROJECT_BINARY_DIR}/TapestryConfigVersion.cmake"
              "${CMAKE_CURRENT_LIST_DIR}/TapestryAddPlugin.cmake"
  DESTINATION ${_package} COMPONENT dev)

# tapestry: the tools, the plug-in for mlir-opt and what programs are linked
# with. tapestry-mpi: the back end. tapestry-dev: what embeds it. Libraries that
# they need are found by dpkg-shlibdeps.
set(CPACK_PACKAGE_NAME tapestry)
set(CPACK_PACKAGE_CONTACT "The Tapestry authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY
  "Compiler for distributed tensor expressions")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tools mpi dev)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(_this "tapestry (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME tapestry)
# dpkg-shlibdeps misses it where it takes the library of llvm-22-dev for it.
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS libllvm22)
set(CPACK_DEBIAN_TOOLS_PACKAGE_RECOMMENDS "g++ | clang-22, graphviz")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS tapestry-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_NAME tapestry-mpi)
set(CPACK_DEBIAN_MPI_PACKAGE_DEPENDS "${_this}")
set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS openmpi-bin)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME tapestry-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  "${_this}, libmlir-22-dev, llvm-22-dev, mlir-22-tools")
include(CPack)
