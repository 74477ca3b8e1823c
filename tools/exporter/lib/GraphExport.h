// SPDX-License-Identifier: Apache-2.0
// The way through a graph that becomes one of another format.

#ifndef SMP_TOOLS_EXPORTER_GRAPHEXPORT_H
#define SMP_TOOLS_EXPORTER_GRAPHEXPORT_H

#include "Call.h"
#include "smp/tools/ExportedModel.h"

namespace smp::exporter {

struct Format {
  std::string name; ///< As in "without counterpart in ONNX".
  const Table &table;
  size_t mostDimensions; ///< That a tensor may have.
};

/// Appends the model's inputs, outputs and what outputs follow from. An error
/// names every op that the format does not have.
Status exportGraph(const ExportedModel &model, const Format &format,
                   Nodes &nodes);

} // namespace smp::exporter

#endif // SMP_TOOLS_EXPORTER_GRAPHEXPORT_H
