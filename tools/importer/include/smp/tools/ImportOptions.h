// SPDX-License-Identifier: Apache-2.0
// The command line of an import, as smp-translate and smp-compile have it.

#ifndef SMP_TOOLS_IMPORTOPTIONS_H
#define SMP_TOOLS_IMPORTOPTIONS_H

#include "smp/base/Status.h"
#include "smp/import/OnnxImport.h"
#include <optional>

namespace smp {

/// The words of the command line, each as it was given.
struct ImportArguments {
  /// `name=size`, `input[axis]=size`, or `name=4,8` for a choice.
  std::vector<std::string> dims;
  /// The size of the dimensions that have a choice.
  std::optional<int64_t> size = {};
  std::vector<std::string> batch;     ///< `input[axis]`.
  std::vector<std::string> constants; ///< `name=file.npy`, `name=number`.
  std::vector<std::string> trainable; ///< Globs.
  std::string pins;                   ///< A JSON file; empty: none.
  std::string configuration;
  int64_t partitions = 0;
  std::string externalData; ///< A folder; empty: none.
};

/// The sizes that dimensions are given to choose from, as 1, 2 and 4 by
/// `--dim batch=1,2,4`: the same for all that have a choice. Empty: none has.
StatusOr<std::vector<int64_t>> readSizes(const std::vector<std::string> &dims);

/// Reads the files that the arguments name.
StatusOr<OnnxOptions> readImportArguments(const ImportArguments &arguments);

/// Imports a model; an error is returned, not printed.
StatusOr<ImportedModel> importModel(mlir::MLIRContext *context,
                                    const std::string &path,
                                    const OnnxOptions &options);

/// Writes the weights; the file appears complete or not at all. Writes nothing
/// when there are none.
Status writeWeights(const ir::WeightStore &weights, const std::string &path);

} // namespace smp

#endif // SMP_TOOLS_IMPORTOPTIONS_H
