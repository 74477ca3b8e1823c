// SPDX-License-Identifier: Apache-2.0
// The bytes of variables, beside the module that declares them.

#ifndef SMP_IR_WEIGHTSTORE_H
#define SMP_IR_WEIGHTSTORE_H

#include "smp/model/Shape.h"
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace smp::ir {

/// One tensor's bytes, row-major, little-endian; bool is one byte per element.
struct Weight {
  TensorType type;
  std::span<const std::byte> bytes; ///< type.bytes() long.
  /// Keeps `bytes` alive: a buffer, a file mapping, or null when borrowed from
  /// somebody who outlives the store.
  std::shared_ptr<const void> owner;
};

/// Maps the names of variables with a `#smp.stored` initializer to their bytes.
/// Reading and writing files is the callers' matter: this class does no IO.
/// Iterates in name order, so that what is written from it is deterministic.
class WeightStore {
public:
  using Map = std::map<std::string, Weight, std::less<>>;

  /// False when the name is taken or the bytes do not fit the type.
  [[nodiscard]] bool add(std::string name, Weight weight);
  /// The weight, or null.
  const Weight *find(std::string_view name) const;
  /// Replaces or adds; for passes that rewrite a variable. Same checks as add.
  [[nodiscard]] bool set(std::string name, Weight weight);

  /// Takes weights from the other store, which keeps them too, in place of
  /// equal ones of the same name: so that models with the same weights have
  /// them once.
  void share(const WeightStore &other);

  Map::const_iterator begin() const { return weights.begin(); }
  Map::const_iterator end() const { return weights.end(); }
  size_t size() const { return weights.size(); }
  /// Bytes of all weights together.
  int64_t totalBytes() const;

private:
  Map weights;
};

/// A weight that owns a copy of `bytes`.
Weight makeOwnedWeight(TensorType type, std::span<const std::byte> bytes);

} // namespace smp::ir

#endif // SMP_IR_WEIGHTSTORE_H
