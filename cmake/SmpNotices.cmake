# SPDX-License-Identifier: Apache-2.0
# What goes with a binary of smp: LICENSE, NOTICE, and the texts of those whose code is
# linked into it, which NOTICE lists by their package of Debian.

# smp_install_licences(<destination> <component> <part>...): parts as NOTICE names them.
function(smp_install_licences destination component)
  set(top ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/..)
  install(FILES ${top}/LICENSE ${top}/NOTICE DESTINATION ${destination}
    COMPONENT ${component})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${top}/NOTICE)
  list(JOIN ARGN "|" parts)
  file(STRINGS ${top}/NOTICE lines
    REGEX "^\\| .* \\| [a-z0-9-]+ \\| (.*, )?(${parts})(,.*)? \\|$")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^.* \\| ([a-z0-9-]+) \\| [^|]+ \\|$" "\\1" package "${line}")
    set(text /usr/share/doc/${package}/copyright)
    if(EXISTS ${text})
      install(FILES ${text} DESTINATION ${destination}/licenses RENAME ${package}
        COMPONENT ${component})
    else()
      message(STATUS "no ${text}: who passes an installation on adds that licence")
    endif()
  endforeach()
endfunction()
