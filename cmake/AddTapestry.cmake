# Functions that declare Tapestry's libraries, dialects and tests.

# The precompiled header that libraries which work on MLIR share.
function(_tapestry_ensure_pch)
  if(NOT TARGET TapestryPCH)
    file(WRITE "${CMAKE_BINARY_DIR}/TapestryPCH.cpp.in" "")
    configure_file("${CMAKE_BINARY_DIR}/TapestryPCH.cpp.in"
                   "${CMAKE_BINARY_DIR}/TapestryPCH.cpp" COPYONLY)
    add_library(TapestryPCH STATIC "${CMAKE_BINARY_DIR}/TapestryPCH.cpp")
    target_compile_options(TapestryPCH PRIVATE -fno-exceptions)
    target_precompile_headers(TapestryPCH PRIVATE
      "${PROJECT_SOURCE_DIR}/cmake/TapestryPCH.h")
  endif()
endfunction()

# tapestry_add_library(NAME file.cpp... [PCH] [DEPENDS targets] [LINK libs])
# One static library per leaf folder. PCH shares the precompiled MLIR headers.
function(tapestry_add_library name)
  cmake_parse_arguments(ARG "PCH" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -fno-exceptions)
  if(ARG_PCH)
    _tapestry_ensure_pch()
    target_precompile_headers(${name} REUSE_FROM TapestryPCH)
  endif()
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# tapestry_add_tool(NAME file.cpp... LINK libs): an executable in build/bin.
function(tapestry_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_compile_options(${name} PRIVATE -fno-exceptions)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
endfunction()

# tapestry_add_unittest(NAME file.cpp... LINK libs): a GoogleTest program that
# ctest runs as NAME.
function(tapestry_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unittests")
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
