# SPDX-License-Identifier: Apache-2.0
# Warnings, linker and sanitizers for every target of the project.

# A switch over an enum that lacks a case is an error: where enums of two
# libraries mirror each other, this keeps them alike.
add_compile_options(-Wall -Wextra -Wno-unused-parameter -Werror=switch)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_link_options(-fuse-ld=lld -Wl,--icf=safe) # Equal functions are one.
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-c99-designator>)
endif()
add_link_options(-Wl,--gc-sections)
add_compile_options(-ffunction-sections -fdata-sections)

if(SMP_SANITIZE)
  add_compile_options(-fsanitize=${SMP_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SMP_SANITIZE})
else()
  # A sanitizer's own symbols are in the executable, not in a library.
  add_link_options(-Wl,-z,defs)
endif()

find_program(SMP_CCACHE ccache)
if(SMP_CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${SMP_CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SMP_CCACHE})
endif()
