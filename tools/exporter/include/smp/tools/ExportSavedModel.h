// SPDX-License-Identifier: Apache-2.0
// Models to TensorFlow's SavedModel.

#ifndef SMP_TOOLS_EXPORTSAVEDMODEL_H
#define SMP_TOOLS_EXPORTSAVEDMODEL_H

#include "smp/tools/ExportedModel.h"

namespace smp {

/// Writes the model as the folder `path`: saved_model.pb with the tag "serve"
/// and the signature "serving_default", whose names are the model's, and its
/// weights as variables/. The folder appears complete or not at all; one that
/// is there and not empty is not replaced, those above it are made where they
/// are missing. An error names every op that TensorFlow has no counterpart for.
Status writeSavedModel(const ExportedModel &model, const std::string &path);

/// What saved_model.pb is.
StatusOr<std::string> serializeSavedModel(const ExportedModel &model);

} // namespace smp

#endif // SMP_TOOLS_EXPORTSAVEDMODEL_H
