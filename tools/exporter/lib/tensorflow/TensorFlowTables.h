// SPDX-License-Identifier: Apache-2.0
// What ops become in TensorFlow, by their families.

#ifndef SMP_TOOLS_EXPORTER_TENSORFLOWTABLES_H
#define SMP_TOOLS_EXPORTER_TENSORFLOWTABLES_H

#include "Common.h"
#include "NodeOf.h"

namespace smp::tensorflow {

using exporter::Attributes;
using exporter::Call;
using exporter::Names;
using exporter::Nodes;
using exporter::same;
using exporter::Table;
using exporter::Translate;

/// The op computed in f32 where it is one of floats of 16 bits, and rounded
/// once: TensorFlow rounds in between.
template <Translate kTranslate>
std::string inFloats(Call &call) {
  call.computeIn(exporter::withoutHalves(call.dtype()));
  return kTranslate(call);
}

/// As many as a list of indices is written with; beyond they would fill the
/// graph.
inline constexpr int64_t kMostIndices = int64_t(1) << 24;

/// An i64 of rank 0.
std::string scalarIndex(Call &call, int64_t value);
/// The values behind each other along an axis.
exporter::Node concatenated(Call &call, const Names &values, int64_t axis);

void addUnary(Table &table);
void addBinary(Table &table);
void addConvert(Table &table);
void addShape(Table &table);
void addProduct(Table &table);
void addConv(Table &table);
void addPool(Table &table);
void addReduction(Table &table);
void addComposite(Table &table);
void addGather(Table &table);
void addOrder(Table &table);

} // namespace smp::tensorflow

#endif // SMP_TOOLS_EXPORTER_TENSORFLOWTABLES_H
