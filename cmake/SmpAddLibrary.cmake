# SPDX-License-Identifier: Apache-2.0
# One function per kind of target; the layer rule lives in the table below.

# Which layers each layer may link. The one place the rule lives; the include
# scan (tests/boundary) reads it from here.
set(SMP_MAY_USE_base          "")
set(SMP_MAY_USE_model         "")
set(SMP_MAY_USE_serialization base model)
set(SMP_MAY_USE_regex         base)
set(SMP_MAY_USE_device        base model)
set(SMP_MAY_USE_drivers       base model device)
set(SMP_MAY_USE_exec          base model device serialization)
set(SMP_MAY_USE_checkpoint    base model device serialization exec)
set(SMP_MAY_USE_trial         base model serialization regex)
set(SMP_MAY_USE_runtime       base model device serialization exec drivers checkpoint)
set(SMP_MAY_USE_capture       base model device serialization regex exec runtime)
set(SMP_MAY_USE_rules         base model device regex exec trial runtime capture)
set(SMP_MAY_USE_debugger      base model exec trial runtime capture rules)
set(SMP_MAY_USE_python        base exec checkpoint runtime)
set(SMP_MAY_USE_emulator      "")
set(SMP_MAY_USE_emulator_cuda model emulator)
set(SMP_MAY_USE_ir            model)
set(SMP_MAY_USE_import        base model ir)
set(SMP_MAY_USE_passes        base model ir)
set(SMP_MAY_USE_fusion        ir)
set(SMP_MAY_USE_kernel_passes ir passes fusion)
set(SMP_MAY_USE_pipeline      model ir passes planning)
set(SMP_MAY_USE_training      model ir passes)
set(SMP_MAY_USE_planning      model)
set(SMP_MAY_USE_placement     base model ir passes fusion pipeline training planning)
set(SMP_MAY_USE_catalog       passes kernel_passes pipeline training placement)
set(SMP_MAY_USE_codegen       model ir)
set(SMP_MAY_USE_target        model ir)
set(SMP_MAY_USE_cpu           base model ir codegen target)
set(SMP_MAY_USE_cuda          base model ir codegen target)
set(SMP_MAY_USE_export        base model serialization ir passes target)
set(SMP_MAY_USE_compile       base model serialization ir import passes kernel_passes pipeline
  training planning placement catalog target cpu cuda export)
set(SMP_MAY_USE_tools         base model device drivers serialization exec checkpoint
  capture trial rules runtime ir import passes planning catalog target export compile)

# Those that are made of MLIR.
set(SMP_COMPILER_LAYERS ir import passes fusion kernel_passes pipeline training placement
  catalog codegen target cpu cuda export compile)

# smp_check_layer(<layer> <smp::dep>...): stops the configure on a forbidden edge.
function(smp_check_layer name layer)
  if(NOT DEFINED SMP_MAY_USE_${layer})
    message(FATAL_ERROR "${name}: unknown layer '${layer}'")
  endif()
  foreach(dep IN LISTS ARGN)
    get_target_property(real ${dep} ALIASED_TARGET)
    if(NOT real)
      set(real ${dep})
    endif()
    get_target_property(depLayer ${real} SMP_LAYER)
    if(NOT depLayer STREQUAL layer AND NOT depLayer IN_LIST SMP_MAY_USE_${layer})
      message(FATAL_ERROR "${name} (${layer}) may not use ${dep} (${depLayer})")
    endif()
  endforeach()
endfunction()

# smp_compile_small(<path>...): in a release, these files, and those in these folders,
# are compiled for size.
function(smp_compile_small)
  foreach(path IN LISTS ARGN)
    if(IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${path})
      file(GLOB_RECURSE files CONFIGURE_DEPENDS ${path}/*.cpp)
    elseif(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${path})
      set(files ${path})
    else()
      message(FATAL_ERROR "SMALL: there is no ${path} in ${CMAKE_CURRENT_SOURCE_DIR}")
    endif()
    set_property(SOURCE ${files} APPEND PROPERTY COMPILE_OPTIONS $<$<CONFIG:Release>:-Oz>)
  endforeach()
endfunction()

# smp_add_library(<name> LAYER <layer> [FOLDERS <folder>...] [SRCS <file>...]
#                 [SMALL <path>...] [THROWN_THROUGH <file>...] [DEPS smp::x...]
#                 [PRIVATE <library>...] [GENERATED <target>...] [COMPILER])
# Makes smp_<name> with the alias smp::<name>. Public headers are include/ of the
# calling folder, sources every .cpp below its lib/. SRCS: these alone, where a
# folder has two libraries. FOLDERS: those of lib/, lowest first; a file may include
# what is in its own and in those before it (the include scan). SMALL: the files, and
# the folders with all that is in them, that are worth more in few bytes than in speed,
# since what they do is done once, or is reading and writing. COMPILER: links MLIR,
# as the layers of the compiler always do. Everything else gets no exceptions, no RTTI;
# THROWN_THROUGH: but the files through which what an application throws passes on its
# way to callApplication(), whose locals would else not be destroyed.
# The global properties SMP_RUNTIME_TARGETS and SMP_COMPILER_TARGETS tell which
# targets are on which side of the program file.
function(smp_add_library name)
  cmake_parse_arguments(ARG "COMPILER" "LAYER"
    "FOLDERS;SRCS;SMALL;THROWN_THROUGH;DEPS;PRIVATE;GENERATED" ${ARGN})
  set(target smp_${name})
  if(NOT ARG_SRCS)
    file(GLOB_RECURSE ARG_SRCS CONFIGURE_DEPENDS lib/*.cpp)
  endif()
  add_library(${target} STATIC ${ARG_SRCS})
  add_library(smp::${name} ALIAS ${target})
  smp_compile_small(${ARG_SMALL})
  if(ARG_THROWN_THROUGH)
    set_property(SOURCE ${ARG_THROWN_THROUGH} APPEND PROPERTY COMPILE_OPTIONS -fexceptions)
  endif()
  set_target_properties(${target} PROPERTIES SMP_LAYER ${ARG_LAYER} EXPORT_NAME ${name})
  set_property(GLOBAL APPEND PROPERTY SMP_LIBRARIES ${target})
  smp_check_layer(${name} ${ARG_LAYER} ${ARG_DEPS})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/include)
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>)
  endif()
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${ARG_DEPS} PRIVATE ${ARG_PRIVATE})
  if(ARG_GENERATED)
    add_dependencies(${target} ${ARG_GENERATED})
  endif()
  if(ARG_COMPILER OR ARG_LAYER IN_LIST SMP_COMPILER_LAYERS)
    smp_use_mlir(${target})
    set_property(GLOBAL APPEND PROPERTY SMP_COMPILER_TARGETS ${target})
    if(NOT ARG_LAYER STREQUAL "tools")
      set_property(GLOBAL APPEND PROPERTY SMP_COMPILER_LIBRARIES ${target})
    endif()
  else()
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)
    set_property(GLOBAL APPEND PROPERTY SMP_RUNTIME_TARGETS ${target})
  endif()
endfunction()

# smp_add_tool(<name> SRCS <file>... [DEPS smp::x...] [PRIVATE <library>...] [COMPILER])
# Makes the executable <name> in bin/ and installs it. COMPILER: links MLIR, which
# it finds where it was built with.
function(smp_add_tool name)
  cmake_parse_arguments(ARG "COMPILER" "" "SRCS;DEPS;PRIVATE" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE ${ARG_DEPS} ${ARG_PRIVATE})
  if(ARG_COMPILER)
    smp_use_mlir(${name})
    set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH TRUE)
    set_property(GLOBAL APPEND PROPERTY SMP_COMPILER_TARGETS ${name})
  else()
    set_property(GLOBAL APPEND PROPERTY SMP_RUNTIME_TARGETS ${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY SMP_TOOLS ${name})
  install(TARGETS ${name} RUNTIME COMPONENT Tools)
endfunction()
