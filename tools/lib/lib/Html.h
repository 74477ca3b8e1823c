// SPDX-License-Identifier: Apache-2.0
// The pieces of the page that inspectHtml() puts together.

#ifndef SMP_TOOLS_LIB_HTML_H
#define SMP_TOOLS_LIB_HTML_H

#include "smp/serialization/Program.h"
#include <string_view>

namespace smp {

/// Text as HTML and XML want it; control characters become spaces.
std::string escapeHtml(std::string_view text);

/// The fill of a partition's boxes; Placement::kAll has one too.
std::string colourOf(int32_t partition);

/// An SVG rectangle with a text that appears when the mouse is over it.
/// `attributes` are further ones, such as a style.
std::string svgBox(int64_t x, int64_t y, int64_t width, int64_t height,
                   const std::string &fill, const std::string &hover,
                   const std::string &attributes = "");
/// SVG text of a class of the page's style sheet.
std::string svgText(int64_t x, int64_t y, std::string_view text,
                    const char *cssClass);
std::string svgBegin(int64_t width, int64_t height);

/// The ops of an entry: a column per stage, coloured by partition, outlined by
/// who decided the placement.
std::string drawGraph(const Program &program, const Entry &entry);

/// When each stage is expected to run, for a few microbatches.
std::string drawTimeline(const Program &program, const Entry &entry);

/// A bar per partition with what its memory is for.
std::string drawMemory(const Program &program);

} // namespace smp

#endif // SMP_TOOLS_LIB_HTML_H
