# SPDX-License-Identifier: Apache-2.0
# Kernels in C, compiled to PTX by Clang as the CUDA target is: no toolkit, no headers.

# smp_add_ptx(<target> <source.c>): makes <target>.ptx in the binary folder; its path
# is the property SMP_PTX of <target>.
function(smp_add_ptx target source)
  set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${target}.ptx)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  add_custom_command(OUTPUT ${ptx}
    COMMAND ${CMAKE_C_COMPILER} --target=nvptx64-nvidia-cuda -march=sm_80
      -Xclang -target-feature -Xclang +ptx80 -O2 -ffp-contract=off -std=gnu2x
      -nogpulib -Wall -Werror -S ${source} -o ${ptx}
    DEPENDS ${source} VERBATIM)
  add_custom_target(${target} DEPENDS ${ptx})
  set_target_properties(${target} PROPERTIES SMP_PTX ${ptx})
endfunction()

# smp_use_ptx(<executable> <target> <MACRO>): builds the text before the executable
# and defines MACRO as its path.
function(smp_use_ptx executable target macro)
  get_target_property(ptx ${target} SMP_PTX)
  add_dependencies(${executable} ${target})
  target_compile_definitions(${executable} PRIVATE ${macro}="${ptx}")
endfunction()
