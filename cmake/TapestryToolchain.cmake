# Compiler, linker and cache settings that are the same for every target.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
# Installed tools find LLVM's libraries where the linker found them.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
# Assertions of our own code stay on in every build type but MinSizeRel: they
# cost nothing that can be measured, and Debian's MLIR has its own ones off.
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO
               "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(TAPESTRY_LLD NAMES ld.lld-22 ld.lld)
  if(TAPESTRY_LLD)
    add_link_options("-fuse-ld=${TAPESTRY_LLD}")
    if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 15)
      string(REGEX REPLACE "-fuse-ld=" "--ld-path=" TAPESTRY_LD_OPTION
                           "-fuse-ld=${TAPESTRY_LLD}")
      set_property(DIRECTORY PROPERTY LINK_OPTIONS "${TAPESTRY_LD_OPTION}")
    endif()
  endif()
  # Precompiled headers that a compiler cache can recognise.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
endif()

find_program(TAPESTRY_CCACHE NAMES ccache)
if(TAPESTRY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(_sloppiness
    "pch_defines,time_macros,include_file_mtime,include_file_ctime")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
      "CCACHE_SLOPPINESS=${_sloppiness}" "${TAPESTRY_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns falsely about MLIR's own headers.
  add_compile_options(-Wno-maybe-uninitialized -Wno-dangling-pointer
                      -Wno-array-bounds -Wno-stringop-overflow -Wno-restrict)
endif()
if(TAPESTRY_WERROR)
  add_compile_options(-Werror)
endif()
# Debian's MLIR is not instrumented: `address` checks our code alone (test presets
# say what to leave out), `thread` the runtime, which uses nothing of MLIR.
if(TAPESTRY_SANITIZE)
  set(_sanitizers ${TAPESTRY_SANITIZE})
  if(TAPESTRY_SANITIZE STREQUAL "address")
    string(APPEND _sanitizers ",undefined")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      add_compile_options(-fsanitize=fuzzer-no-link) # for unittests/Fuzz
    endif()
  endif()
  # There is no type information in MLIR's library that `vptr` could look at.
  add_compile_options(-fsanitize=${_sanitizers} -fno-omit-frame-pointer
                      -fno-sanitize=vptr -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${_sanitizers})
endif()
