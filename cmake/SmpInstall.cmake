# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs, in four components: Runtime (libsmp, the headers
# of its API, find_package(Smp), pkg-config smp), Debugger (libsmp-debugger over it:
# find_package(Smp COMPONENTS Debugger)), Compiler (the compiler as libraries:
# find_package(Smp COMPONENTS Compiler)) and Tools.
include(CMakePackageConfigHelpers)
set(SMP_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Smp)

# smp_install_headers(<component> <target>...): the public headers of the targets
# and every header of ours that those include, found when it is installed.
function(smp_install_headers component)
  set(folders "")
  foreach(target IN LISTS ARGN SMP_INSTALL_SEARCH)
    get_target_property(source ${target} SOURCE_DIR)
    get_target_property(binary ${target} BINARY_DIR)
    list(APPEND folders ${source}/include ${binary}/include)
    if(target IN_LIST ARGN)
      list(APPEND roots ${source}/include)
    endif()
  endforeach()
  install(CODE "set(SMP_ROOTS \"${roots}\")\nset(SMP_FOLDERS \"${folders}\")
set(SMP_DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")"
    COMPONENT ${component})
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/SmpInstallHeaders.cmake COMPONENT ${component})
endfunction()

get_property(SMP_INSTALL_SEARCH GLOBAL PROPERTY SMP_LIBRARIES)

# smp_install_product(<target> <component>): the library, and what find_package reads.
function(smp_install_product target component)
  install(TARGETS ${target} EXPORT Smp${component}Targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT Smp${component}Targets NAMESPACE smp:: DESTINATION ${SMP_PACKAGE_DIR}
    COMPONENT ${component})
endfunction()

smp_install_product(smp Runtime)
smp_install_product(smp-debugger Debugger)
install(TARGETS smp-cuda-emulator
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT Runtime)
smp_install_headers(Runtime smp_runtime smp_checkpoint)
smp_install_headers(Debugger smp_capture smp_trial smp_rules smp_debugger_capi)

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
  smp_install_headers(Compiler ${libraries} smp_base smp_serialization)
endif()

configure_package_config_file(cmake/SmpConfig.cmake.in SmpConfig.cmake
  INSTALL_DESTINATION ${SMP_PACKAGE_DIR})
write_basic_package_version_file(SmpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# What an application needs beside -lsmp: what an archive leaves open, or where the
# library is, unless the loader looks there.
file(RELATIVE_PATH SMP_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
set(SMP_PC_LIBS "")
if(NOT BUILD_SHARED_LIBS)
  set(SMP_PC_LIBS " -lstdc++ -lm -lpthread -ldl")
elseif(NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(SMP_PC_LIBS " -Wl,-rpath,\${libdir}")
endif()
configure_file(cmake/smp.pc.in smp.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/SmpConfig.cmake ${PROJECT_BINARY_DIR}/SmpConfigVersion.cmake
  DESTINATION ${SMP_PACKAGE_DIR} COMPONENT Runtime)
install(FILES ${PROJECT_BINARY_DIR}/smp.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT Runtime)
