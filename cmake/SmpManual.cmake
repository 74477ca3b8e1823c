# SPDX-License-Identifier: Apache-2.0
# A man page and completions for bash of each tool, made of its --help when it is built.
get_property(tools GLOBAL PROPERTY SMP_TOOLS)
find_program(SMP_PYTHON python3)
if(NOT tools OR SMP_SANITIZE)
  return()
elseif(NOT SMP_PYTHON)
  message(STATUS "no python3: the tools get no man pages and completions")
  return()
endif()

set(manual ${PROJECT_BINARY_DIR}/manual)
set(script ${PROJECT_SOURCE_DIR}/cmake/make-manual)
file(MAKE_DIRECTORY ${manual})
foreach(tool IN LISTS tools)
  add_custom_command(OUTPUT ${manual}/${tool}.1.gz ${manual}/${tool}.bash
    COMMAND ${SMP_PYTHON} ${script} $<TARGET_FILE:${tool}> ${PROJECT_VERSION} ${manual}
    DEPENDS ${tool} ${script} ${PROJECT_SOURCE_DIR}/cmake/helptext.py VERBATIM)
  list(APPEND pages ${manual}/${tool}.1.gz)
  install(FILES ${manual}/${tool}.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
    RENAME ${tool} COMPONENT Tools)
endforeach()
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT Tools)
add_custom_target(smp-manual ALL DEPENDS ${pages})
