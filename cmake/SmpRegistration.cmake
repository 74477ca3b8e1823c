# SPDX-License-Identifier: Apache-2.0
# Code that names each of several libraries, made from the list of them.

# smp_configure_registration(<template> NAMES <name>... HEADER <header> CALL <call>)
# Makes <File>.cpp in the build folder of the template lib/<File>.cpp.in: @includes@
# are the headers, @calls@ the calls. In both, @name@ is a name and @Name@ the same
# with a capital.
function(smp_configure_registration template)
  cmake_parse_arguments(ARG "" "HEADER;CALL" "NAMES" ${ARGN})
  set(includes "")
  set(calls "")
  foreach(name IN LISTS ARG_NAMES)
    string(SUBSTRING ${name} 0 1 first)
    string(SUBSTRING ${name} 1 -1 rest)
    string(TOUPPER ${first} first)
    set(Name ${first}${rest})
    string(CONFIGURE "${ARG_HEADER}" header @ONLY)
    string(CONFIGURE "${ARG_CALL}" call @ONLY)
    string(APPEND includes "#include \"${header}\"\n")
    string(APPEND calls "  ${call};\n")
  endforeach()
  get_filename_component(output ${template} NAME_WLE)
  configure_file(${template} ${output} @ONLY)
endfunction()
