# What `cmake --install` copies beside the targets, and the CMake package by
# which other projects find it all.
include(CMakePackageConfigHelpers)

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tapestry"
                  "${PROJECT_SOURCE_DIR}/runtime/include/tapestry-rt"
  DESTINATION include COMPONENT dev
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY "${PROJECT_BINARY_DIR}/include/tapestry"
  DESTINATION include COMPONENT dev
  FILES_MATCHING PATTERN "*.inc")

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
  DESTINATION ${_package} COMPONENT dev)
