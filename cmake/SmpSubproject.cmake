# SPDX-License-Identifier: Apache-2.0
# smp in the tree of another project: smp::runtime, smp::debugger and smp::compile, as
# find_package(Smp) would give them, are this tree's own libraries, and nothing is built
# that nobody asks for.
set_property(DIRECTORY PROPERTY EXCLUDE_FROM_ALL ON)

if(SMP_BUILD_COMPILER)
  target_link_libraries(smp_compile INTERFACE smp::runtime)
  target_include_directories(smp_ir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
endif()
