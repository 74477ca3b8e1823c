# SPDX-License-Identifier: Apache-2.0
# smp in the tree of another project: the targets that find_package(Smp) would give, made
# of the libraries of this tree (archives), and nothing built that nobody asks for.
set_property(DIRECTORY PROPERTY EXCLUDE_FROM_ALL ON)

add_library(smp_debugger INTERFACE)
add_library(smp::debugger ALIAS smp_debugger)
target_link_libraries(smp_debugger INTERFACE
  smp::capture smp::trial smp::rules smp::debugger_capi smp::runtime)

if(SMP_BUILD_COMPILER)
  target_link_libraries(smp_compile INTERFACE smp::runtime)
  target_include_directories(smp_ir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
endif()
