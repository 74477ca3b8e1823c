// SPDX-License-Identifier: Apache-2.0
// A program as a page to look at in a browser.

#ifndef SMP_TOOLS_PAGE_H
#define SMP_TOOLS_PAGE_H

#include "smp/tools/Inspect.h"

namespace smp {

/// One step of an entry as it was run.
struct MeasuredStep {
  struct Span {
    uint32_t stage = 0; ///< Into Entry::stages.
    uint32_t microbatch = 0;
    double start = 0, end = 0; ///< Seconds since the step began.
  };
  std::vector<Span> spans;
};

/// By entry: the last step in a trace that smp-run --trace has written of the
/// program; nothing for entries that did not run. An error where the text is no
/// trace, or has no stage of the program.
StatusOr<std::vector<MeasuredStep>> readTrace(const Program &program,
                                              std::string_view text);

/// A page that needs no other file and no network: the graph, in boxes that
/// open, with who decided where each op is, expected and measured timelines,
/// load and memory by partition, and tables. `title` is what it is about;
/// `measured` is by entry, or empty. Not for several threads at once. An error
/// where Graphviz cannot be used.
StatusOr<std::string> drawPage(const Program &program, const FileState &file,
                               const std::string &title,
                               const std::vector<MeasuredStep> &measured);

} // namespace smp

#endif // SMP_TOOLS_PAGE_H
