// SPDX-License-Identifier: Apache-2.0
// Who runs what: pins of ops to partitions, and models that are distributed.

#ifndef SMP_IMPORT_PARTITION_H
#define SMP_IMPORT_PARTITION_H

#include "smp/base/Status.h"
#include "smp/import/Tensor.h"
#include "smp/model/Config.h"
#include <optional>
#include <source_location>
#include <vector>

namespace smp {

//===----------------------------------------------------------------------===//
// The configuration of this process
//===----------------------------------------------------------------------===//

/// Sets the configuration that scopes are checked against and that models are
/// compiled with unless told otherwise; replaces an earlier one. The
/// configuration as JSON text or as a file: init() of smp/compile/Init.h.
Status init(const Config &config);
/// What init() was told; nothing before.
std::optional<Config> initializedConfig();
/// Forgets what init() was told.
void finalize();

//===----------------------------------------------------------------------===//
// Pins
//===----------------------------------------------------------------------===//

/// As long as it lives, ops that GraphBuilders of this thread make are pinned
/// to a partition. Scopes end in the reverse order of their beginning.
class [[nodiscard]] PartitionScope {
public:
  PartitionScope(const PartitionScope &) = delete;
  PartitionScope &operator=(const PartitionScope &) = delete;
  ~PartitionScope();

  /// Why the scope was refused. The first op made inside gives the same error
  /// to its builder.
  const Status &status() const { return refusal; }

private:
  friend PartitionScope partition(int64_t, std::source_location);
  explicit PartitionScope(int64_t index, Status refusal);

  Status refusal;
  size_t depth; // Of scopes before this one.
};

/// Opens a scope. `index` is in 0..partitions-1: checked here when init() was
/// called, else when the model is compiled. Of nested scopes the innermost
/// wins.
///
///   auto scope = smp::partition(1);
///   y = g.add(x, 2.3); // placed in partition 1
PartitionScope
partition(int64_t index,
          std::source_location where = std::source_location::current());

//===----------------------------------------------------------------------===//
// Distributed models
//===----------------------------------------------------------------------===//

/// A model whose ops are divided over partitions. Derive from it and build the
/// model in call(). It is called in a step: in a function given to smp::step(),
/// or after GraphBuilder::beginEntry(); anywhere else that is an error of the
/// builder's. Ops outside of every model run on all partitions, unless a scope
/// pins them; a graph in which no model was called counts as wholly inside of
/// one.
class DistributedModel {
public:
  /// `name` is the scope of its variables and ops; empty: none.
  explicit DistributedModel(std::string name = "") : name(std::move(name)) {}
  virtual ~DistributedModel() = default;

  /// Builds the model into `builder`.
  std::vector<Tensor> operator()(GraphBuilder &builder,
                                 const std::vector<Tensor> &inputs);

protected:
  virtual std::vector<Tensor> call(GraphBuilder &builder,
                                   const std::vector<Tensor> &inputs) = 0;

private:
  std::string name;
};

} // namespace smp

#endif // SMP_IMPORT_PARTITION_H
