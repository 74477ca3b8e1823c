// SPDX-License-Identifier: Apache-2.0
// A model that is ready to be compiled.

#ifndef SMP_IMPORT_MODEL_H
#define SMP_IMPORT_MODEL_H

#include <memory>
#include <string>

namespace smp {

struct ModelParts;

/// What GraphBuilder::finish() gives: a checked module, its context and its
/// weights. compile::compileModel (smp/compile/CompileModel.h) makes a program
/// of it; who works on the IR includes smp/import/ModelParts.h.
class Model {
public:
  explicit Model(std::unique_ptr<ModelParts> parts);
  Model(Model &&) noexcept;
  Model &operator=(Model &&) noexcept;
  ~Model();

  /// The module in the form of .mlir files.
  std::string text() const;
  ModelParts &parts() { return *contents; }

private:
  std::unique_ptr<ModelParts> contents;
};

} // namespace smp

#endif // SMP_IMPORT_MODEL_H
