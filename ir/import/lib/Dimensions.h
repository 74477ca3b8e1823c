// SPDX-License-Identifier: Apache-2.0
// The sizes of a model's inputs, and which of their dimensions are the batch.

#ifndef SMP_IMPORT_LIB_DIMENSIONS_H
#define SMP_IMPORT_LIB_DIMENSIONS_H

#include "smp/import/OnnxImport.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <onnx/onnx_pb.h>

namespace smp::frontend {

/// A dimension of an input of the model.
struct InputDim {
  std::string input;
  int64_t axis = 0, rank = 0;
  /// What the model calls it. Dimensions of one symbol are of one size, but
  /// for names that exporters give to what has none.
  std::string symbol;
  /// Nothing: the model leaves it open, and nobody has bound it.
  std::optional<int64_t> size;
  bool isFixed = false; ///< By the model.
  bool isBatch = false;
  size_t open = 0; ///< Unless it is fixed: its OpenSize.

  /// "x[0]".
  std::string place() const;
  bool isAnonymous() const;
  bool saysBatch() const;
  /// What it has in common with other dimensions; empty: nothing.
  llvm::StringRef commonName() const;
};

/// A size that the model leaves open: of all dimensions of one symbol, or of
/// one that has none.
struct OpenSize {
  std::string name;         ///< The symbol, or the place.
  std::vector<size_t> dims; ///< By their number.
  std::string source;       ///< What has bound it: "--dim n=3".
};

/// Each item once, in order: "a, b".
std::string joinOnce(std::vector<std::string> items);

class Dimensions {
public:
  /// Reads the inputs of a graph but those whose default holds, and what the
  /// options say of them. False, with the reason, when that does not fit the
  /// model.
  bool prepare(const onnx::GraphProto &graph, const OnnxOptions &options,
               std::string &error);

  /// The dimensions of an input, in order; empty when it has none or its shape
  /// is not known.
  llvm::ArrayRef<InputDim> of(llvm::StringRef input) const;
  /// Nothing when the input has no batch axis.
  std::optional<int64_t> batchAxis(llvm::StringRef input) const;
  bool hasBatch() const;
  /// Whether the model leaves the size of every batch axis open.
  bool isBatchOpen() const;
  /// The dimension that the model calls as it calls the batch of its inputs.
  std::optional<int64_t>
  axisCalledBatch(const onnx::TensorShapeProto &shape) const;

  /// Says how to bind what is not bound, in words that follow the model's name;
  /// empty when all is.
  std::string describeUnbound() const;

  /// The same with `factor` times as many rows.
  Dimensions withRows(int64_t factor) const;

private:
  void read(const onnx::GraphProto &graph, const OnnxOptions &options);
  void groupOpen();
  bool bind(const OnnxOptions &options, std::string &error);
  bool bindByName(const std::string &name, int64_t size, std::string &error);
  bool bindValues(const OnnxOptions &options, std::string &error);
  bool give(const InputDim &dim, int64_t size, const std::string &source,
            std::string &error);
  std::string describe(const OpenSize &open) const;
  bool declareBatch(const std::vector<BatchAxis> &axes, std::string &error);
  void guessBatch(const OnnxOptions &options);
  InputDim *find(llvm::StringRef input, int64_t axis);
  void keepBatchSymbols();

  std::vector<InputDim> dims;      ///< In the order of inputs and axes.
  llvm::StringMap<size_t> firstOf; ///< By input, its first in `dims`.
  std::vector<OpenSize> opens;     ///< In the order of their first.
  llvm::StringSet<> batchSymbols;  ///< What batch axes have in common.
};

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_DIMENSIONS_H
