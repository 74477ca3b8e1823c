# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs, in four components, each a Debian package too
# (SmpPackages): Runtime, the shared libraries that applications need to run; Development,
# what they are built with: headers, archives, find_package(Smp), pkg-config; Compiler,
# the compiler as libraries, over that; Tools, with their manual.
include(CMakePackageConfigHelpers)
set(SMP_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Smp)
set(SMP_DOC_DIR ${CMAKE_INSTALL_DATADIR}/doc/smp)
set(SMP_API smp_runtime smp_checkpoint smp_capture smp_trial smp_rules smp_debugger_capi)

# smp_install_headers(<component> [<target>...] [OVER <target>...]): the public headers
# of the targets and every header of ours that those include, found when it is
# installed. OVER: of which a component below this one has them.
function(smp_install_headers component)
  cmake_parse_arguments(ARG "" "" "OVER" ${ARGN})
  get_property(libraries GLOBAL PROPERTY SMP_LIBRARIES)
  foreach(target IN LISTS libraries)
    get_target_property(source ${target} SOURCE_DIR)
    get_target_property(binary ${target} BINARY_DIR)
    list(APPEND folders ${source}/include ${binary}/include)
    if(target IN_LIST ARG_UNPARSED_ARGUMENTS)
      list(APPEND roots ${source}/include)
    elseif(target IN_LIST ARG_OVER)
      list(APPEND installed ${source}/include)
    endif()
  endforeach()
  install(CODE "set(SMP_ROOTS \"${roots}\")\nset(SMP_INSTALLED \"${installed}\")
set(SMP_FOLDERS \"${folders}\")
set(SMP_DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")"
    COMPONENT ${component})
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/SmpInstallHeaders.cmake COMPONENT ${component})
endfunction()

# smp_install_product(<target> <name> <description> [REQUIRES <name>]): the library, and
# what find_package and pkg-config read of it.
function(smp_install_product target name description)
  cmake_parse_arguments(ARG "" "REQUIRES" "" ${ARGN})
  install(TARGETS ${target} EXPORT Smp${name}Targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime
      NAMELINK_COMPONENT Development
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT Smp${name}Targets NAMESPACE smp:: DESTINATION ${SMP_PACKAGE_DIR}
    COMPONENT Development)
  # What an application needs beside the library: what an archive leaves open, or where
  # the library is, unless the loader looks there.
  set(libraries "")
  if(NOT BUILD_SHARED_LIBS)
    list(JOIN SMP_ARCHIVE_NEEDS " -l" libraries)
    string(PREPEND libraries " -l")
  elseif(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
    set(libraries " -Wl,-rpath,\${libdir}")
  endif()
  file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  configure_file(cmake/smp.pc.in ${target}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${target}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT Development)
endfunction()

smp_install_product(smp Runtime "the runtime")
smp_install_product(smp-debugger Debugger "hooks, rules and trials" REQUIRES smp)
install(TARGETS smp-cuda-emulator
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime)
smp_install_headers(Development ${SMP_API})

if(SMP_BUILD_COMPILER)
  get_property(libraries GLOBAL PROPERTY SMP_COMPILER_LIBRARIES)
  # Who compiles a model runs it: an application links smp::compile and nothing else.
  target_link_libraries(smp_compile INTERFACE $<INSTALL_INTERFACE:smp>)
  install(TARGETS ${libraries} smp_base smp_model smp_planning smp_serialization
    EXPORT SmpCompilerTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Compiler
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT SmpCompilerTargets NAMESPACE smp:: DESTINATION ${SMP_PACKAGE_DIR}
    COMPONENT Compiler)
  smp_install_headers(Compiler ${libraries} smp_base smp_serialization OVER ${SMP_API})
endif()

configure_package_config_file(cmake/SmpConfig.cmake.in SmpConfig.cmake
  INSTALL_DESTINATION ${SMP_PACKAGE_DIR})
write_basic_package_version_file(SmpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SmpConfig.cmake ${PROJECT_BINARY_DIR}/SmpConfigVersion.cmake
  DESTINATION ${SMP_PACKAGE_DIR} COMPONENT Development)

install(DIRECTORY examples/file_type DESTINATION ${SMP_DOC_DIR}/examples
  COMPONENT Development PATTERN "run*" EXCLUDE)
if(SMP_BUILD_COMPILER)
  install(DIRECTORY examples/char_lm examples/common examples/compare_splits examples/conv_net
    DESTINATION ${SMP_DOC_DIR}/examples COMPONENT Compiler PATTERN "run*" EXCLUDE)
endif()

include(SmpNotices)
set(parts libsmp libsmp-debugger)
if(SMP_BUILD_TOOLS OR SMP_BUILD_TESTS)
  list(APPEND parts tools)
endif()
if(SMP_BUILD_COMPILER)
  list(APPEND parts compiler)
endif()
smp_install_licences(${SMP_DOC_DIR} Runtime ${parts})
include(SmpManual)
include(SmpPackages)
