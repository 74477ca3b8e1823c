// SPDX-License-Identifier: Apache-2.0
// The way through a graph that becomes one of another format.

#ifndef SMP_TOOLS_EXPORTER_GRAPHEXPORT_H
#define SMP_TOOLS_EXPORTER_GRAPHEXPORT_H

#include "Call.h"
#include "smp/tools/ExportedModel.h"

namespace smp::exporter {

/// Appends the model's inputs, outputs and what outputs follow from. An error
/// names every op that the table does not have or refuses, and `format`.
Status exportGraph(const ExportedModel &model, const Table &table,
                   const std::string &format, Nodes &nodes);

} // namespace smp::exporter

#endif // SMP_TOOLS_EXPORTER_GRAPHEXPORT_H
