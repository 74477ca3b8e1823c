# SPDX-License-Identifier: Apache-2.0
# What the wheel says of licences: those of all that is in libsmp, and of nanobind with
# its tables, whose licence is at the top of their header.
include(${CMAKE_CURRENT_LIST_DIR}/SmpNotices.cmake)
if(NOT SKBUILD_METADATA_DIR)
  message(FATAL_ERROR "the module is built into a wheel: python3 -m pip wheel, or make wheel")
endif()
set(licences ${SKBUILD_METADATA_DIR}/licenses)
smp_install_licences(${licences} python libsmp)

file(GLOB nanobind ${nanobind_DIR}/../../nanobind-*.dist-info/licenses/LICENSE)
list(LENGTH nanobind count)
if(NOT count EQUAL 1)
  message(FATAL_ERROR "not one licence of nanobind beside ${nanobind_DIR}, which is "
    "nanobind of PyPI: '${nanobind}'")
endif()
install(FILES ${nanobind} DESTINATION ${licences}/licenses RENAME nanobind COMPONENT python)
file(READ ${nanobind_DIR}/../ext/robin_map/include/tsl/robin_map.h table LIMIT 4096)
string(FIND "${table}" "*/" end)
string(SUBSTRING "${table}" 0 ${end} table)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/robin-map "${table}*/\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/robin-map DESTINATION ${licences}/licenses
  COMPONENT python)
