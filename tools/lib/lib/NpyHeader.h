// SPDX-License-Identifier: Apache-2.0
// The dictionary in a .npy file: a Python literal of three known keys.

#ifndef SMP_TOOLS_LIB_NPYHEADER_H
#define SMP_TOOLS_LIB_NPYHEADER_H

#include "smp/base/Status.h"
#include "smp/model/Shape.h"
#include <string_view>

namespace smp {

struct NpyHeader {
  std::string descriptor;
  bool fortranOrder = false;
  Shape shape;
};

StatusOr<NpyHeader> parseNpyHeader(std::string_view text);

} // namespace smp

#endif // SMP_TOOLS_LIB_NPYHEADER_H
