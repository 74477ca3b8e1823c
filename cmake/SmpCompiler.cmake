# SPDX-License-Identifier: Apache-2.0
# Finds MLIR/LLVM/LLD 22. Nothing here touches the runtime's compile lines: the
# include directories and flags are set per compiler target by smp_use_mlir().

set(SMP_LLVM_MAJOR 22)
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-${SMP_LLVM_MAJOR}/lib/cmake/mlir)
find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-${SMP_LLVM_MAJOR}/lib/cmake/lld)
if(NOT LLVM_VERSION_MAJOR EQUAL SMP_LLVM_MAJOR)
  message(FATAL_ERROR "smp needs LLVM ${SMP_LLVM_MAJOR}, found ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# smp_use_mlir(<target>): MLIR's headers, and libMLIR.so + libLLVM.so. Never mix
# in static MLIR archives: both would carry the same global state.
function(smp_use_mlir target)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
  target_link_libraries(${target} PUBLIC MLIR LLVM)
endfunction()

# smp_tablegen(<target> <file.td> <output> <generator flags>...): one generated file.
# Collect several into one target: smp_tablegen_target(<target>).
macro(smp_tablegen td output)
  set(LLVM_TARGET_DEFINITIONS ${td})
  mlir_tablegen(${output} ${ARGN})
endmacro()
