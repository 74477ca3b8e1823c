# SPDX-License-Identifier: Apache-2.0
# Debian packages, one for each component, made by `make packages` (cpack).
set(SMP_ABI ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_COMPONENTS_ALL "")
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGE_VENDOR smp)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
# As other makers of packages, it asks the environment who is responsible for them.
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "smp <root@localhost>")
if(DEFINED ENV{DEBEMAIL})
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
configure_file(cmake/copyright.in copyright @ONLY)

# smp_add_package(<component> <package> SECTION <section> TEXT <lines>
#                 [DEPENDS <package>...] [LIBRARIES])
# LIBRARIES: its programs and libraries need those of other packages, which are found.
macro(smp_add_package component package)
  cmake_parse_arguments(ARG "LIBRARIES" "SECTION;TEXT" "DEPENDS" ${ARGN})
  string(TOUPPER ${component} upper)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  list(JOIN ARG_DEPENDS ", " CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${ARG_SECTION})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SHLIBDEPS ${ARG_LIBRARIES})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION ${ARG_TEXT})
  install(FILES ${PROJECT_BINARY_DIR}/copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

set(runtime libsmp${SMP_ABI})
set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_GENERATE_SHLIBS ON)
smp_add_package(Runtime ${runtime} SECTION libs LIBRARIES
  TEXT "What applications that run programs of smp load: libsmp, libsmp-debugger, and the
emulator of a GPU.")
smp_add_package(Development libsmp-dev SECTION libdevel
  TEXT "What applications that run programs of smp are built with: headers, find_package(Smp),
pkg-config smp and smp-debugger, examples."
  DEPENDS "${runtime} ${same}")
if(SMP_BUILD_TOOLS OR SMP_BUILD_TESTS)
  smp_add_package(Tools smp-tools SECTION devel LIBRARIES
    TEXT "What compiles models of ONNX to programs of smp, places them on devices, runs and
shows them, and looks after checkpoints and records of trainings."
    DEPENDS "${runtime} ${same}")
endif()
if(SMP_BUILD_COMPILER)
  set(llvm "(>= 1:${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR})")
  set(llvmDevelopment "")
  foreach(package libmlir liblld llvm)
    list(APPEND llvmDevelopment "${package}-${LLVM_VERSION_MAJOR}-dev ${llvm}")
  endforeach()
  smp_add_package(Compiler libsmp-compiler-dev SECTION libdevel
    TEXT "What applications that make and compile models themselves are built with:
find_package(Smp COMPONENTS Compiler), headers and archives."
    DEPENDS "libsmp-dev ${same}" ${llvmDevelopment} libonnx-dev libprotobuf-dev)
endif()
include(CPack)
