# SPDX-License-Identifier: Apache-2.0
# FlatBuffers schemas become headers in the build tree; none is committed.
find_program(SMP_FLATC flatc REQUIRED)

# smp_flatbuffers(<target> <schema.fbs>): gives <target>, and nobody else, the
# header <schema>_generated.h.
function(smp_flatbuffers target schema)
  get_filename_component(name ${schema} NAME_WE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/schema)
  add_custom_command(OUTPUT ${folder}/${name}_generated.h
    COMMAND ${SMP_FLATC} --cpp --cpp-std c++17 --scoped-enums -o ${folder}
      ${CMAKE_CURRENT_SOURCE_DIR}/${schema}
    DEPENDS ${schema} VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${name}_generated.h)
  target_include_directories(${target} PRIVATE ${folder})
endfunction()
