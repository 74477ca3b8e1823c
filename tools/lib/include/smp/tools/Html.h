// SPDX-License-Identifier: Apache-2.0
// Pieces of pages and pictures.

#ifndef SMP_TOOLS_HTML_H
#define SMP_TOOLS_HTML_H

#include <cstdint>
#include <string>
#include <string_view>

namespace smp {

/// Text as HTML and XML want it; control characters become spaces.
std::string escapeHtml(std::string_view text);

std::string svgBegin(int64_t width, int64_t height);

} // namespace smp

#endif // SMP_TOOLS_HTML_H
