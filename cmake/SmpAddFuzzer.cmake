# SPDX-License-Identifier: Apache-2.0
# What reads bytes from outside, for libFuzzer and without it.

# smp_add_fuzzer(<name> [SEEDS <glob>...] ALLOCATION <MiB>
#                [DEPS smp::x...] [PRIVATE <library>...] [INCLUDES <folder>...] [COMPILER])
# <name>.cpp defines LLVMFuzzerTestOneInput, and <name>Mutator.cpp, where there is one,
# how libFuzzer changes inputs. The seeds are the files of tests/fuzz/seeds/<name> and SEEDS. Where libFuzzer's counters
# are compiled in (the preset fuzz, utils/fuzz) this makes Fuzz<name>, to which one
# allocation of more than ALLOCATION, or two minutes for an input, are findings;
# elsewhere Replay<name>, whose ctest entry fuzz.<name> reads every seed once.
function(smp_add_fuzzer name)
  cmake_parse_arguments(ARG "COMPILER" "ALLOCATION" "SEEDS;DEPS;PRIVATE;INCLUDES" ${ARGN})
  file(GLOB seeds CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/seeds/${name}/* ${ARG_SEEDS})
  list(JOIN seeds "," seeds)
  set(list ${PROJECT_BINARY_DIR}/tests/${name}.seeds)
  file(WRITE ${list} "${seeds}")
  if(SMP_SANITIZE MATCHES "fuzzer")
    set(target Fuzz${name})
    add_executable(${target} EXCLUDE_FROM_ALL ${name}.cpp)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}Mutator.cpp)
      target_sources(${target} PRIVATE ${name}Mutator.cpp Mutation.cpp)
    endif()
    target_link_options(${target} PRIVATE -fsanitize=fuzzer)
    file(WRITE ${PROJECT_BINARY_DIR}/tests/${name}.options
      "-max_len=65536 -timeout=120 -rss_limit_mb=3000 -malloc_limit_mb=${ARG_ALLOCATION}")
  else()
    set(target Replay${name})
    add_executable(${target} ${name}.cpp Replay.cpp)
    add_test(NAME fuzz.${name} COMMAND ${target} ${list})
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 300)
    if(NOT SMP_SANITIZE MATCHES "thread")
      add_dependencies(sanitized-tests ${target})
      set_tests_properties(fuzz.${name} PROPERTIES LABELS sanitized)
    endif()
  endif()
  target_include_directories(${target} PRIVATE ${ARG_INCLUDES})
  target_link_libraries(${target} PRIVATE ${ARG_DEPS} ${ARG_PRIVATE})
  if(ARG_COMPILER)
    smp_use_mlir(${target})
    smp_use_asan_options(${target})
  endif()
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()
