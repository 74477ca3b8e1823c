// SPDX-License-Identifier: Apache-2.0
// A graph as a SavedModel has it, but for the bytes of its variables.

#ifndef SMP_TOOLS_EXPORTER_TOSAVEDMODEL_H
#define SMP_TOOLS_EXPORTER_TOSAVEDMODEL_H

#include "Nodes.h"
#include "SavedModel.pb.h"
#include "smp/tools/ExportedModel.h"

namespace smp::tensorflow {

/// A variable that the graph reads.
struct Weight {
  std::string key;           ///< In the bundle: the variable's name.
  std::string handle, value; ///< The nodes that name and read it.
  TensorType type;
  std::span<const std::byte> bytes;
};

/// Fills an empty message.
StatusOr<std::vector<Weight>> toSavedModel(const ExportedModel &model,
                                           proto::tensorflow::SavedModel &to);

/// Appends what loads the variables from the files of a bundle and saves them
/// there, and says so. There is at least one.
void addSaver(const std::vector<Weight> &weights, exporter::Nodes &names,
              proto::tensorflow::MetaGraph &to);

} // namespace smp::tensorflow

#endif // SMP_TOOLS_EXPORTER_TOSAVEDMODEL_H
