# SPDX-License-Identifier: Apache-2.0
# Run by `cmake --install`: installs the headers below SMP_ROOTS and all those of
# SMP_FOLDERS that they include, directly or not, and no other; without those that
# SMP_INSTALLED, roots of another component, leads to.
cmake_policy(VERSION 3.25)

# Where one of SMP_FOLDERS has the header.
function(smp_find_header variable header)
  foreach(folder IN LISTS SMP_FOLDERS)
    if(EXISTS ${folder}/${header})
      set(${variable} ${folder}/${header} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "a public header includes ${header}, which no library has")
endfunction()

# The headers below the folders, and what they include.
function(smp_close_over variable)
  set(open "")
  foreach(root IN LISTS ARGN)
    file(GLOB_RECURSE headers RELATIVE ${root} ${root}/*.h)
    list(APPEND open ${headers})
  endforeach()
  set(closed "")
  while(open)
    list(POP_FRONT open header)
    if(header IN_LIST closed)
      continue()
    endif()
    list(APPEND closed ${header})
    smp_find_header(found ${header})
    file(STRINGS ${found} lines REGEX "^[ \t]*#[ \t]*include[ \t]+\"smp/")
    foreach(line IN LISTS lines)
      string(REGEX REPLACE ".*\"(smp/[^\"]+)\".*" "\\1" used "${line}")
      list(APPEND open ${used})
    endforeach()
  endwhile()
  set(${variable} ${closed} PARENT_SCOPE)
endfunction()

smp_close_over(installed ${SMP_INSTALLED})
smp_close_over(headers ${SMP_ROOTS})
list(REMOVE_ITEM headers "" ${installed})
foreach(header IN LISTS headers)
  smp_find_header(found ${header})
  get_filename_component(folder ${header} DIRECTORY)
  file(INSTALL ${found} DESTINATION ${SMP_DESTINATION}/${folder} MESSAGE_NEVER)
endforeach()
