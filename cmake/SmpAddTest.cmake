# SPDX-License-Identifier: Apache-2.0
# Unit tests: one executable per room, one ctest entry per executable.
find_package(GTest REQUIRED)

# The tests that a sanitizer build makes and runs: the label `sanitized`.
add_custom_target(sanitized-tests)

# smp_use_asan_options(<target>): AddressSanitizer's options for what links MLIR.
function(smp_use_asan_options target)
  if(SMP_SANITIZE MATCHES "address")
    target_sources(${target} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/AsanOptions.cpp)
  endif()
endfunction()

# smp_add_test(<name> SRCS <file>... [DEPS smp::x...] [PRIVATE <library>...]
#              [COMPILER] [BYTES] [THREADS])
# Makes the GoogleTest executable <name> with a main() and the ctest entry
# unit.<name>. SMP_TEST_SOURCE_DIR is tests/ as a string.
# COMPILER: links MLIR. BYTES: reads bytes from outside. THREADS: runs threads
# of ours. ASan and UBSan see BYTES and whatever has no MLIR, TSan sees THREADS.
function(smp_add_test name)
  cmake_parse_arguments(ARG "COMPILER;BYTES;THREADS" "" "SRCS;DEPS;PRIVATE" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} ${ARG_PRIVATE} GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE
    SMP_TEST_SOURCE_DIR="${CMAKE_SOURCE_DIR}/tests")
  if(ARG_COMPILER)
    smp_use_mlir(${name})
    smp_use_asan_options(${name})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME unit.${name} COMMAND ${name})
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT 300)
  if(SMP_SANITIZE MATCHES "thread")
    set(sanitized ${ARG_THREADS})
  elseif(ARG_BYTES OR NOT ARG_COMPILER)
    set(sanitized TRUE)
  else()
    set(sanitized FALSE)
  endif()
  if(sanitized)
    add_dependencies(sanitized-tests ${name})
    set_tests_properties(unit.${name} PROPERTIES LABELS sanitized)
  endif()
endfunction()
