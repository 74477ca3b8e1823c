// SPDX-License-Identifier: Apache-2.0
// Texts of layouts, and of the meshes in them.
#include "smp/model/Layout.h"
#include <cstdlib>

using namespace smp;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const Expected<Layout> layout = Layout::fromString(text);
  if (layout.ok() == layout.error().empty() &&
      (!layout.ok() || *Layout::fromString(toString(*layout)) == *layout))
    return 0; // What was read is written as it is read again.
  std::abort();
}
