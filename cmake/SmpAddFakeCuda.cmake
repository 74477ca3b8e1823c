# SPDX-License-Identifier: Apache-2.0
# Libraries of libcuda's names for tests of the CUDA driver.

# smp_add_fake_cuda(<name> SOURCE <file> [DEFINITIONS <macro>...]): makes
# fake-cuda-<name>.so in the binary folder.
function(smp_add_fake_cuda name)
  cmake_parse_arguments(ARG "" "SOURCE" "DEFINITIONS" ${ARGN})
  add_library(fake-cuda-${name} MODULE ${ARG_SOURCE})
  target_compile_definitions(fake-cuda-${name} PRIVATE ${ARG_DEFINITIONS})
  target_link_libraries(fake-cuda-${name} PRIVATE smp::model)
  if(SMP_SANITIZE) # As NVIDIA's, it knows nothing of sanitizers.
    target_compile_options(fake-cuda-${name} PRIVATE -fno-sanitize=all)
  endif()
  set_target_properties(fake-cuda-${name} PROPERTIES PREFIX ""
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# smp_use_fake_cuda(<test> <name>...): builds them before the test and defines
# SMP_FAKE_CUDA as the beginning of their paths.
function(smp_use_fake_cuda test)
  target_compile_definitions(${test} PRIVATE
    SMP_FAKE_CUDA="${CMAKE_CURRENT_BINARY_DIR}/fake-cuda-")
  foreach(name ${ARGN})
    add_dependencies(${test} fake-cuda-${name})
  endforeach()
endfunction()
