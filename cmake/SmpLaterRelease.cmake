# SPDX-License-Identifier: Apache-2.0
# libsmp as a later release has it, whose structs have another field each: programs that
# were compiled with the headers of this one run with it.

# smp_add_later_release(<folder> <struct>...): builds it in <folder>/libsmp.so, with the
# structs of smp.h and checkpoint.h grown.
function(smp_add_later_release folder)
  list(JOIN ARGN "|" structs)
  set(grown 0)
  foreach(header smp checkpoint)
    set(from ${PROJECT_SOURCE_DIR}/runtime/include/smp/${header}.h)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from})
    file(READ ${from} text)
    string(REGEX REPLACE "\n} (${structs});" "\n  uint64_t added;\n} \\1;" text "${text}")
    string(REGEX MATCHALL "uint64_t added" found "${text}")
    list(LENGTH found count)
    math(EXPR grown "${grown} + ${count}")
    file(WRITE ${folder}/include/smp/${header}.h "${text}")
  endforeach()
  list(LENGTH ARGN count)
  if(NOT grown EQUAL count)
    message(FATAL_ERROR "smp_add_later_release: ${grown} of ${count} structs have grown")
  endif()

  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/runtime/lib/capi/*.cpp)
  # What these define is not taken from the archive.
  add_library(smp_later SHARED ${sources})
  target_include_directories(smp_later BEFORE PRIVATE ${folder}/include)
  target_link_libraries(smp_later PRIVATE smp_runtime)
  target_compile_options(smp_later PRIVATE
    -fno-exceptions -fno-rtti -Wno-missing-field-initializers)
  target_link_options(smp_later PRIVATE
    LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/smp.map)
  foreach(property VERSION SOVERSION)
    get_target_property(value smp ${property})
    set_target_properties(smp_later PROPERTIES ${property} ${value})
  endforeach()
  set_target_properties(smp_later PROPERTIES
    OUTPUT_NAME smp LIBRARY_OUTPUT_DIRECTORY ${folder})
  add_dependencies(sanitized-tests smp_later)
endfunction()
