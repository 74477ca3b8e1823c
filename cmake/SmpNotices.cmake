# SPDX-License-Identifier: Apache-2.0
# What an installation says of licences: ours, NOTICE, and the texts of those whose code
# is linked into what this build has, which NOTICE lists by their package of Debian.
set(parts libsmp libsmp-debugger)
if(SMP_BUILD_TOOLS OR SMP_BUILD_TESTS)
  list(APPEND parts tools)
endif()
if(SMP_BUILD_COMPILER)
  list(APPEND parts compiler)
endif()
list(JOIN parts "|" parts)

install(FILES LICENSE NOTICE DESTINATION ${SMP_DOC_DIR} COMPONENT Runtime)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS NOTICE)
file(STRINGS NOTICE lines REGEX "^\\| .* \\| [a-z0-9-]+ \\| (.*, )?(${parts})(,.*)? \\|$")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^.* \\| ([a-z0-9-]+) \\| [^|]+ \\|$" "\\1" package "${line}")
  set(text /usr/share/doc/${package}/copyright)
  if(EXISTS ${text})
    install(FILES ${text} DESTINATION ${SMP_DOC_DIR}/licenses RENAME ${package}
      COMPONENT Runtime)
  else()
    message(STATUS "no ${text}: who passes an installation on adds that licence")
  endif()
endforeach()
