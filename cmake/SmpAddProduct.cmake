# SPDX-License-Identifier: Apache-2.0
# What applications link: many libraries of this tree in one.

# smp_add_shared_library(<name> FROM <target>... MAP <file> [OVER <library>]):
# lib<name>.so, made of the static libraries <target> and what they use. It shows what
# the map allows, and OVER another shared library, which it uses in place of
# smp::runtime, of <target> alone.
function(smp_add_shared_library name)
  cmake_parse_arguments(ARG "" "MAP;OVER" "FROM" ${ARGN})
  add_library(${name} SHARED)
  target_link_libraries(${name} PUBLIC ${ARG_OVER})
  foreach(from IN LISTS ARG_FROM)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${from}>)
    set(used $<TARGET_PROPERTY:${from},LINK_LIBRARIES>)
    if(ARG_OVER)
      set(used $<FILTER:${used},EXCLUDE,^smp::runtime$>)
    endif()
    target_link_libraries(${name} PRIVATE ${used})
  endforeach()
  target_compile_features(${name} INTERFACE cxx_std_20)
  target_link_options(${name} PRIVATE -Wl,--version-script=${ARG_MAP})
  if(ARG_OVER) # What it holds a copy of is shown by the library below it.
    target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang") # Equal functions are one.
    target_link_options(${name} PRIVATE -Wl,--icf=safe)
  endif()
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX INSTALL_RPATH "$ORIGIN"
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
    LINK_DEPENDS ${ARG_MAP})
  set_property(GLOBAL APPEND PROPERTY SMP_RUNTIME_TARGETS ${name})
endfunction()

# smp_collect_used(<libraries> <archives> <target>...): the targets with all libraries of
# ours that they use, directly or not, and the archives of others that those use.
function(smp_collect_used libraries archives)
  set(found "")
  set(foreign "")
  foreach(target IN LISTS ARGN)
    get_target_property(real ${target} ALIASED_TARGET)
    if(NOT real)
      set(real ${target})
    endif()
    list(APPEND found ${real})
    get_target_property(used ${real} LINK_LIBRARIES)
    set(ours ${used})
    list(FILTER ours INCLUDE REGEX "^smp::")
    list(FILTER used INCLUDE REGEX "[.]a$")
    smp_collect_used(more other ${ours})
    list(APPEND found ${more})
    list(APPEND foreign ${used} ${other})
  endforeach()
  list(REMOVE_DUPLICATES found)
  list(REMOVE_DUPLICATES foreign)
  set(${libraries} ${found} PARENT_SCOPE)
  set(${archives} ${foreign} PARENT_SCOPE)
endfunction()

# smp_add_archive(<name> FROM <target>... [OVER <archive>]): lib<name>.a, which has the
# objects of <target> and of all that they use, archives of others included, but for
# what the archive OVER, a target of this kind, has.
function(smp_add_archive name)
  cmake_parse_arguments(ARG "" "MAP;OVER" "FROM" ${ARGN})
  smp_collect_used(libraries archives ${ARG_FROM})
  if(ARG_OVER)
    get_target_property(below ${ARG_OVER} SMP_HOLDS)
    list(REMOVE_ITEM libraries ${below})
    list(REMOVE_ITEM archives ${below})
  endif()
  add_library(${name} STATIC)
  foreach(library IN LISTS libraries)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:${library}>)
  endforeach()
  # C++'s own too, for applications in C.
  target_link_libraries(${name} INTERFACE ${ARG_OVER} ${SMP_ARCHIVE_NEEDS})
  target_compile_features(${name} INTERFACE cxx_std_20)
  list(TRANSFORM archives PREPEND "ADDLIB " OUTPUT_VARIABLE additions)
  list(JOIN additions "\n" additions)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${name}.mri)
  file(GENERATE OUTPUT ${script}
    CONTENT "CREATE ${name}-whole.a\nADDLIB $<TARGET_FILE_NAME:${name}>\n${additions}\nSAVE\nEND\n")
  add_custom_command(TARGET ${name} POST_BUILD
    COMMAND ${CMAKE_AR} -M < ${script}
    COMMAND ${CMAKE_COMMAND} -E rename ${name}-whole.a $<TARGET_FILE_NAME:${name}>
    WORKING_DIRECTORY $<TARGET_FILE_DIR:${name}>)
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX
    SMP_HOLDS "${libraries};${archives}"
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
  set_property(GLOBAL APPEND PROPERTY SMP_RUNTIME_TARGETS ${name})
endfunction()

# What an archive of ours leaves open.
set(SMP_ARCHIVE_NEEDS stdc++ m pthread dl)

# smp_add_product(<name> FROM <target>... MAP <file> [OVER <product>]): what applications
# link, a shared library or with BUILD_SHARED_LIBS=OFF an archive. Tests of what is shown
# look at a shared library: at <name>${SMP_SHARED}.
function(smp_add_product name)
  if(BUILD_SHARED_LIBS)
    smp_add_shared_library(${name} ${ARGN})
    return()
  endif()
  smp_add_archive(${name} ${ARGN})
  if(SMP_BUILD_TESTS)
    cmake_parse_arguments(ARG "" "OVER" "" ${ARGN})
    set(over "")
    if(ARG_OVER)
      set(over OVER ${ARG_OVER}${SMP_SHARED})
    endif()
    smp_add_shared_library(${name}${SMP_SHARED} ${ARG_UNPARSED_ARGUMENTS} ${over})
    set_target_properties(${name}${SMP_SHARED} PROPERTIES OUTPUT_NAME ${name})
  endif()
endfunction()

set(SMP_SHARED "")
if(NOT BUILD_SHARED_LIBS)
  set(SMP_SHARED -shared)
endif()
