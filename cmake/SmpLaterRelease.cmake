# SPDX-License-Identifier: Apache-2.0
# libsmp and libsmp-debugger as a later release has them, whose structs have another
# field each: programs that were compiled with the headers of this one run with them.

# smp_grow_structs(<folder> <struct>...): writes the headers of the C API into
# <folder>/smp, where each struct has a field more at its end.
function(smp_grow_structs folder)
  list(JOIN ARGN "|" structs)
  set(grown 0)
  foreach(header include/smp/smp.h include/smp/checkpoint.h debugger/include/smp/debugger.h)
    set(from ${PROJECT_SOURCE_DIR}/runtime/${header})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${from})
    file(READ ${from} text)
    string(REGEX REPLACE "\n} (${structs});" "\n  uint64_t added;\n} \\1;" text "${text}")
    string(REGEX MATCHALL "uint64_t added" found "${text}")
    list(LENGTH found count)
    math(EXPR grown "${grown} + ${count}")
    get_filename_component(name ${from} NAME)
    file(WRITE ${folder}/smp/${name} "${text}")
  endforeach()
  list(LENGTH ARGN count)
  if(NOT grown EQUAL count)
    message(FATAL_ERROR "smp_grow_structs: ${grown} of ${count} structs have grown")
  endif()
endfunction()

# smp_recompile(<target> <folder>): <target>_later, a library of ours whose sources see
# the headers of <folder> first.
function(smp_recompile target folder)
  get_target_property(sources ${target} SOURCES)
  add_library(${target}_later STATIC ${sources})
  target_include_directories(${target}_later BEFORE PRIVATE ${folder})
  foreach(property INCLUDE_DIRECTORIES LINK_LIBRARIES COMPILE_FEATURES COMPILE_OPTIONS)
    get_target_property(value ${target} ${property})
    set_property(TARGET ${target}_later APPEND PROPERTY ${property} ${value})
  endforeach()
  target_compile_options(${target}_later PRIVATE -Wno-missing-field-initializers)
endfunction()

# smp_add_later_release(<folder> <struct>...): builds both, with these structs grown, in
# <folder>.
function(smp_add_later_release folder)
  smp_grow_structs(${folder}/include ${ARGN})
  smp_recompile(smp_runtime ${folder}/include)
  smp_recompile(smp_debugger_capi ${folder}/include)
  set(map MAP ${PROJECT_SOURCE_DIR}/cmake/smp.map)
  smp_add_shared_library(smp_later FROM smp_runtime_later smp_checkpoint smp_model ${map})
  smp_add_shared_library(smp_debugger_later
    FROM smp_capture smp_trial smp_rules smp_debugger_capi_later OVER smp_later ${map})
  foreach(library smp smp_debugger)
    string(REPLACE _ - name ${library})
    set_target_properties(${library}_later PROPERTIES
      OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${folder})
    add_dependencies(sanitized-tests ${library}_later)
  endforeach()
endfunction()
