# SPDX-License-Identifier: Apache-2.0
# Unit tests: one executable per room, one ctest entry per executable.
find_package(GTest REQUIRED)

# The tests that a sanitizer build makes and runs: the label `sanitized`.
add_custom_target(sanitized-tests)

# smp_use_asan_options(<target>): AddressSanitizer's options for what links MLIR.
function(smp_use_asan_options target)
  if(SMP_SANITIZE MATCHES "address")
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/support/AsanOptions.cpp)
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
    SMP_TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}/tests")
  if(ARG_COMPILER)
    smp_use_mlir(${name})
    smp_use_asan_options(${name})
  endif()
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  add_test(NAME unit.${name} COMMAND ${name})
  # Sanitizers have made tests 9 to 16 times as long.
  set(timeout 300)
  if(SMP_SANITIZE)
    set(timeout 1800)
  endif()
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT ${timeout})
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

# Where the libraries of a later release are.
set(SMP_LATER_FOLDER ${PROJECT_BINARY_DIR}/tests/unit/later)

# smp_add_c_test(<name> LIBRARY <library> [LATER] [ARGS <argument>...] [FOLDER <folder>]
#                [FIXTURES <name>...])
# Makes <name>.c, in C99, and the ctest entry unit.<name>, which runs it with the
# arguments and the folder, which is not there when it starts. It sees nothing of us but
# a shared library and the headers in C. LATER: unit.<name>.later runs it once more, with
# the libraries of a later release (SmpLaterRelease) and <folder>.later.
function(smp_add_c_test name)
  cmake_parse_arguments(ARG "LATER" "LIBRARY;FOLDER" "ARGS;FIXTURES" ${ARGN})
  add_executable(${name} ${name}.c)
  target_include_directories(${name} PRIVATE
    ${PROJECT_SOURCE_DIR}/runtime/include ${PROJECT_SOURCE_DIR}/runtime/debugger/include)
  target_compile_options(${name} PRIVATE -std=c99 -pedantic -Wall -Wextra -Werror)
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARY})
  add_dependencies(sanitized-tests ${name})
  smp_add_c_run(unit.${name} COMMAND ${name} ${ARG_ARGS} FOLDER ${ARG_FOLDER}
    FIXTURES ${ARG_FIXTURES})
  if(ARG_LATER AND BUILD_SHARED_LIBS)
    if(ARG_FOLDER)
      string(APPEND ARG_FOLDER .later)
    endif()
    smp_add_c_run(unit.${name}.later FOLDER ${ARG_FOLDER} FIXTURES ${ARG_FIXTURES}
      COMMAND ${PROJECT_SOURCE_DIR}/tests/unit/later/run-with-libraries
        ${SMP_LATER_FOLDER} $<TARGET_FILE:${name}> ${ARG_ARGS})
  endif()
endfunction()

# A run of a C99 program, as smp_add_c_test says.
function(smp_add_c_run name)
  cmake_parse_arguments(ARG "" "FOLDER" "COMMAND;FIXTURES" ${ARGN})
  add_test(NAME ${name} COMMAND ${ARG_COMMAND} ${ARG_FOLDER})
  if(ARG_FOLDER)
    add_test(NAME ${name}.empty COMMAND ${CMAKE_COMMAND} -E rm -rf ${ARG_FOLDER})
    set_tests_properties(${name}.empty PROPERTIES FIXTURES_SETUP ${name}.empty)
    list(APPEND ARG_FIXTURES ${name}.empty)
  endif()
  set_tests_properties(${name} PROPERTIES FIXTURES_REQUIRED "${ARG_FIXTURES}" TIMEOUT 60
    LABELS sanitized)
endfunction()
