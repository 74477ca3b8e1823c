# SPDX-License-Identifier: Apache-2.0
# Kernel images for tests of the runtime, written in C and compiled like the
# ones that programs carry: no undefined symbol, no sanitizer.

# smp_add_kernel_image(<target> <source.c> <embed.cpp>): makes the library <target>,
# whose source embeds the files SMP_IMAGE and SMP_PTX: a test that uses it needs no
# file where it runs.
function(smp_add_kernel_image target source embed)
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
  add_library(${target} STATIC ${embed})
  target_compile_definitions(${target} PRIVATE SMP_IMAGE="${image}" SMP_PTX="${ptx}")
  target_include_directories(${target} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  set_source_files_properties(${embed} PROPERTIES OBJECT_DEPENDS "${image};${ptx}")
endfunction()
