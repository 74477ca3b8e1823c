# SPDX-License-Identifier: Apache-2.0
# protobuf's messages become classes in the build tree; none is committed.
find_package(Protobuf REQUIRED)

# smp_protobuf(<target> <schema.proto>): gives <target>, and nobody else, the header
# <schema>.pb.h, and compiles what belongs to it.
function(smp_protobuf target schema)
  get_filename_component(name ${schema} NAME_WE)
  get_filename_component(source ${schema} DIRECTORY)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/schema)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(OUTPUT ${folder}/${name}.pb.h ${folder}/${name}.pb.cc
    COMMAND protobuf::protoc --cpp_out=${folder} -I ${CMAKE_CURRENT_SOURCE_DIR}/${source}
      ${CMAKE_CURRENT_SOURCE_DIR}/${schema}
    DEPENDS ${schema} VERBATIM)
  target_sources(${target} PRIVATE ${folder}/${name}.pb.cc ${folder}/${name}.pb.h)
  set_source_files_properties(${folder}/${name}.pb.cc PROPERTIES COMPILE_OPTIONS -w)
  target_include_directories(${target} SYSTEM PRIVATE ${folder})
  target_link_libraries(${target} PRIVATE protobuf::libprotobuf-lite)
endfunction()
