# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` adds to the tools: the headers that any layer may use.
install(DIRECTORY runtime/base/include/ serialization/model/include/
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT Runtime
  FILES_MATCHING PATTERN "*.h")
