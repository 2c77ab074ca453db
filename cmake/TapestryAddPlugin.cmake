# tapestry_add_plugin(NAME file.cpp... [DEPENDS targets]): lib/NAME.so in the
# build folder for --load-plugin (include/tapestry/Plugin.h), in this project and
# in those that found the package. DEPENDS names what generates the headers it
# includes. The lit suite is built with all of them.
function(tapestry_add_plugin name)
  cmake_parse_arguments(ARG "" "" "DEPENDS" ${ARGN})
  add_library(${name} MODULE ${ARG_UNPARSED_ARGUMENTS})
  # As LLVM is built, and it links nothing: what it uses is in the tool.
  target_compile_options(${name} PRIVATE -fno-exceptions -fno-rtti)
  target_link_libraries(${name} PRIVATE Tapestry::Headers)
  set_target_properties(${name} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set_property(GLOBAL APPEND PROPERTY TAPESTRY_PLUGINS ${name})
endfunction()
