# SPDX-License-Identifier: Apache-2.0
# Finds MLIR/LLVM/LLD 22. Nothing here touches the runtime's compile lines: the
# include directories and flags are set per compiler target by smp_use_mlir().

set(SMP_LLVM_MAJOR 22)
set(instead "install what utils/install-deps --list names (of Debian: \
libmlir-${SMP_LLVM_MAJOR}-dev, mlir-${SMP_LLVM_MAJOR}-tools, liblld-${SMP_LLVM_MAJOR}-dev), or set \
MLIR_DIR to lib/cmake/mlir of an LLVM ${SMP_LLVM_MAJOR}; or build the runtime alone, with \
-DSMP_BUILD_COMPILER=OFF")
foreach(package MLIR LLD)
  string(TOLOWER ${package} folder)
  find_package(${package} QUIET CONFIG
    HINTS ${MLIR_DIR}/../${folder} /usr/lib/llvm-${SMP_LLVM_MAJOR}/lib/cmake/${folder})
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "smp's compiler is made of ${package}, which was not found: ${instead}")
  endif()
endforeach()
if(NOT LLVM_VERSION_MAJOR EQUAL SMP_LLVM_MAJOR)
  message(FATAL_ERROR "smp's compiler is made of LLVM ${SMP_LLVM_MAJOR}, and that in \
${LLVM_DIR} is ${LLVM_PACKAGE_VERSION}: ${instead}")
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

# smp_add_pass_library(<name> LAYER <layer> PASSES <Name> [DEPS smp::x...])
# A library with the passes that the one Passes.td below its include/ declares:
# register<Name>Passes() makes them known.
function(smp_add_pass_library name)
  cmake_parse_arguments(ARG "" "PASSES" "" ${ARGN})
  file(GLOB_RECURSE declared RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} include/Passes.td)
  string(REPLACE ".td" ".h.inc" generated ${declared})
  set(LLVM_TARGET_DEFINITIONS ${declared})
  mlir_tablegen(${generated} -gen-pass-decls -name ${ARG_PASSES} -I ${MLIR_INCLUDE_DIRS})
  add_public_tablegen_target(${ARG_PASSES}PassesIncGen)
  smp_add_library(${name} ${ARG_UNPARSED_ARGUMENTS} GENERATED ${ARG_PASSES}PassesIncGen)
  target_include_directories(smp_${name} PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include>)
endfunction()
