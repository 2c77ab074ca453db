# Functions that declare Tapestry's libraries, dialects and tests.

# What code that links one of the libraries compiles with, in this project, in
# one around it and in one that found the installed package.
add_library(TapestryHeaders INTERFACE)
target_include_directories(TapestryHeaders INTERFACE
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
  "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
  "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include>"
  "$<INSTALL_INTERFACE:include>")
target_include_directories(TapestryHeaders SYSTEM INTERFACE
  "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>"
  "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
target_compile_features(TapestryHeaders INTERFACE cxx_std_17)

# tapestry_install(COMPONENT targets...): installs targets under bin/ and lib/ and
# exports each, TapestryX as Tapestry::X.
function(tapestry_install component)
  foreach(target ${ARGN})
    # All of it, since CMake matches "^" anew after each replacement.
    string(REGEX REPLACE "^Tapestry(.*)$" "\\1" short "${target}")
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "EXECUTABLE")
      add_library(Tapestry::${short} ALIAS ${target})
    endif()
    if(TAPESTRY_INSTALL)
      set_target_properties(${target} PROPERTIES EXPORT_NAME "${short}")
      install(TARGETS ${target} EXPORT TapestryTargets
        RUNTIME DESTINATION bin COMPONENT ${component}
        LIBRARY DESTINATION lib COMPONENT ${component}
        ARCHIVE DESTINATION lib COMPONENT ${component})
    endif()
  endforeach()
endfunction()
tapestry_install(dev TapestryHeaders)
include("${CMAKE_CURRENT_LIST_DIR}/TapestryAddPlugin.cmake")

# _tapestry_reuse_pch(TARGET NAME [options]): TARGET parses the headers of
# cmake/NAME.h precompiled. They are compiled once, with these options.
function(_tapestry_reuse_pch target name)
  if(NOT TARGET ${name})
    file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/${name}.cpp" CONTENT "")
    add_library(${name} STATIC "${PROJECT_BINARY_DIR}/${name}.cpp")
    target_compile_options(${name} PRIVATE ${ARGN})
    target_precompile_headers(${name} PRIVATE
      "${PROJECT_SOURCE_DIR}/cmake/${name}.h")
  endif()
  # Clang takes them for code of their own kind only: executables, too, are
  # compiled as libraries are.
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM ${name})
endfunction()

# tapestry_add_library(NAME file.cpp... [PCH] [APART] [DEPENDS targets]
#                      [LINK libs] [COMPONENT name])
# One static library per leaf folder. PCH shares the precompiled MLIR headers;
# APART leaves it out of tools that do not name it. It is installed with the
# component, `dev` unless said otherwise.
function(tapestry_add_library name)
  cmake_parse_arguments(ARG "PCH;APART" "COMPONENT" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -fno-exceptions)
  if(ARG_PCH)
    _tapestry_reuse_pch(${name} TapestryPCH -fno-exceptions)
  elseif("LLVM" IN_LIST ARG_LINK)
    _tapestry_reuse_pch(${name} TapestryPlainPCH -fno-exceptions)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK} INTERFACE TapestryHeaders)
  if(NOT ARG_COMPONENT)
    set(ARG_COMPONENT dev)
  endif()
  tapestry_install(${ARG_COMPONENT} ${name})
  if(NOT ARG_APART)
    set_property(GLOBAL APPEND PROPERTY TAPESTRY_LIBRARIES ${name})
  endif()
endfunction()

# tapestry_add_tool(NAME file.cpp... LINK libs): an executable in build/bin that
# is installed and loads plug-ins. A plug-in finds everything of Tapestry in it,
# so the libraries are linked whole and their symbols exported.
function(tapestry_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -fno-exceptions)
  _tapestry_reuse_pch(${name} TapestryPCH -fno-exceptions)
  set_target_properties(${name} PROPERTIES ENABLE_EXPORTS ON)
  get_property(libraries GLOBAL PROPERTY TAPESTRY_LIBRARIES)
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>"
       OUTPUT_VARIABLE archives)
  target_link_options(${name} PRIVATE
    LINKER:--whole-archive ${archives} LINKER:--no-whole-archive
    LINKER:--build-id=sha1) # for --version
  target_link_libraries(${name} PRIVATE ${ARG_LINK} ${libraries} MLIR LLVM)
  tapestry_install(tools ${name})
endfunction()

# tapestry_add_unittest(NAME file.cpp... [WITHOUT_LLVM] LINK libs): a GoogleTest
# program that ctest runs as NAME. WITHOUT_LLVM: it links nothing of LLVM.
function(tapestry_add_unittest name)
  cmake_parse_arguments(ARG "WITHOUT_LLVM" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # Tests are compiled more often than they run.
  set(options -fno-exceptions $<$<CONFIG:Release>:-O1>)
  target_compile_options(${name} PRIVATE ${options})
  if(NOT ARG_WITHOUT_LLVM)
    set(headers TapestryPlainTestPCH)
    if("MLIR" IN_LIST ARG_LINK)
      set(headers TapestryTestPCH)
    endif()
    _tapestry_reuse_pch(${name} ${headers} ${options})
    target_link_libraries(${headers} PRIVATE GTest::gtest)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/unittests")
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY TAPESTRY_UNITTESTS ${name})
endfunction()

# tapestry_tablegen_dialect(FILE NAMESPACE TARGET): dialect, ops, types and attrs
# of FILE.td; include TARGET in DEPENDS of what uses them.
function(tapestry_tablegen_dialect td namespace target)
  set(LLVM_TARGET_DEFINITIONS ${td}Ops.td)
  mlir_tablegen(${td}Ops.h.inc -gen-op-decls -dialect=${namespace})
  mlir_tablegen(${td}Ops.cpp.inc -gen-op-defs -dialect=${namespace})
  mlir_tablegen(${td}Dialect.h.inc -gen-dialect-decls -dialect=${namespace})
  mlir_tablegen(${td}Dialect.cpp.inc -gen-dialect-defs -dialect=${namespace})
  mlir_tablegen(${td}Types.h.inc -gen-typedef-decls -typedefs-dialect=${namespace})
  mlir_tablegen(${td}Types.cpp.inc -gen-typedef-defs -typedefs-dialect=${namespace})
  mlir_tablegen(${td}Attrs.h.inc -gen-attrdef-decls -attrdefs-dialect=${namespace})
  mlir_tablegen(${td}Attrs.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${namespace})
  add_public_tablegen_target(${target})
endfunction()
