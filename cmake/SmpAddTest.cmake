# SPDX-License-Identifier: Apache-2.0
# Unit tests: one executable per room, one ctest entry per executable.
find_package(GTest REQUIRED)

# smp_add_test(<name> SRCS <file>... [DEPS smp::x...] [PRIVATE <library>...] [COMPILER])
# Makes the GoogleTest executable <name> with a main() and the ctest entry
# unit.<name>. COMPILER: links MLIR. SMP_TEST_SOURCE_DIR is tests/ as a string.
function(smp_add_test name)
  cmake_parse_arguments(ARG "COMPILER" "" "SRCS;DEPS;PRIVATE" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} ${ARG_PRIVATE} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    SMP_TEST_SOURCE_DIR="${CMAKE_SOURCE_DIR}/tests")
  if(ARG_COMPILER)
    smp_use_mlir(${name})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME unit.${name} COMMAND ${name})
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT 300)
endfunction()
