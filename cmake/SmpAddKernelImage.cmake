# SPDX-License-Identifier: Apache-2.0
# Kernel images for tests of the runtime, written in C and compiled like the
# ones that programs carry: no undefined symbol, no sanitizer.

# smp_add_kernel_image(<target> <source.c>): makes <target>.so in the binary
# folder; its path is the property SMP_IMAGE of <target>.
function(smp_add_kernel_image target source)
  set(image ${CMAKE_CURRENT_BINARY_DIR}/${target}.so)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  set(abi ${CMAKE_SOURCE_DIR}/serialization/model/include)
  add_custom_command(OUTPUT ${image}
    COMMAND ${CMAKE_C_COMPILER} -O2 -std=gnu99 -Wall -Werror -fPIC -ffreestanding
      -fno-stack-protector -nostdlib -shared -Wl,-z,defs -I${abi} ${source} -o ${image}
    DEPENDS ${source} ${abi}/smp/model/KernelAbi.h VERBATIM)
  add_custom_target(${target} DEPENDS ${image})
  set_target_properties(${target} PROPERTIES SMP_IMAGE ${image})
endfunction()

# smp_use_kernel_image(<test> <target> <MACRO>): builds the image before the
# test and defines MACRO as its path.
function(smp_use_kernel_image test target macro)
  get_target_property(image ${target} SMP_IMAGE)
  add_dependencies(${test} ${target})
  target_compile_definitions(${test} PRIVATE ${macro}="${image}")
endfunction()
