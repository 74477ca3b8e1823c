// SPDX-License-Identifier: Apache-2.0
// What ops become in ONNX, by their families.

#ifndef SMP_TOOLS_EXPORTER_ONNXTABLES_H
#define SMP_TOOLS_EXPORTER_ONNXTABLES_H

#include "Common.h"
#include "NodeOf.h"

namespace smp::onnx {

using exporter::Attributes;
using exporter::Call;
using exporter::Names;
using exporter::Nodes;
using exporter::same;
using exporter::Table;
using exporter::widened;

/// F32 for BF16, which many ops of the operator set do not have. Others stay.
DType withoutBf16(DType type);

void addElementwise(Table &table);
void addShape(Table &table);
void addContraction(Table &table);
void addWindow(Table &table);
void addReduction(Table &table);
void addComposite(Table &table);
void addIndexing(Table &table);

} // namespace smp::onnx

#endif // SMP_TOOLS_EXPORTER_ONNXTABLES_H
