# SPDX-License-Identifier: Apache-2.0
# Kernel images for tests of the runtime, written in C and compiled like the
# ones that programs carry: no undefined symbol, no sanitizer.

# smp_add_kernel_image(<target> <source.c>): makes <target>.so and <target>.ptx in
# the binary folder; their paths are the properties SMP_IMAGE and SMP_PTX of <target>.
function(smp_add_kernel_image target source)
  set(image ${CMAKE_CURRENT_BINARY_DIR}/${target}.so)
  set(ptx ${CMAKE_CURRENT_BINARY_DIR}/${target}.ptx)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  set(abi ${PROJECT_SOURCE_DIR}/serialization/model/include)
  list(APPEND headers ${abi}/smp/model/KernelAbi.h ${abi}/smp/model/CudaKernelAbi.h)
  set(compile ${CMAKE_C_COMPILER} -O2 -std=gnu99 -Wall -Werror -ffreestanding
    -ffp-contract=off -I${abi})
  add_custom_command(OUTPUT ${image}
    COMMAND ${compile} -fPIC -fno-stack-protector -nostdlib -shared -Wl,-z,defs
      ${source} -o ${image}
    DEPENDS ${source} ${headers} VERBATIM)
  add_custom_command(OUTPUT ${ptx}
    COMMAND ${compile} --target=nvptx64-nvidia-cuda -Xclang -target-cpu -Xclang sm_80
      --cuda-feature=+ptx80 -S ${source} -o ${ptx}
    DEPENDS ${source} ${headers} VERBATIM)
  add_custom_target(${target} DEPENDS ${image} ${ptx})
  set_target_properties(${target} PROPERTIES SMP_IMAGE ${image} SMP_PTX ${ptx})
endfunction()

# smp_use_kernel_image(<test> <target> <MACRO>): builds the images before the
# test and defines MACRO and MACRO_PTX as their paths.
function(smp_use_kernel_image test target macro)
  get_target_property(image ${target} SMP_IMAGE)
  get_target_property(ptx ${target} SMP_PTX)
  add_dependencies(${test} ${target})
  target_compile_definitions(${test} PRIVATE ${macro}="${image}" ${macro}_PTX="${ptx}")
endfunction()
