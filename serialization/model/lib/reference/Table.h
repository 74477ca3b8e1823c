// SPDX-License-Identifier: Apache-2.0
// Which function evaluates which op.

#ifndef SMP_LIB_REFERENCE_TABLE_H
#define SMP_LIB_REFERENCE_TABLE_H

#include "Call.h"

namespace smp::reference {

/// What an op does with operands that are one element.
enum class Splats {
  WrittenOut,  ///< It is given all elements.
  Kept,        ///< Its result holds elements of operand 0 alone: Call::splat.
  Elementwise, ///< Result i follows from element i of each operand.
};

struct Entry {
  std::string_view mnemonic;
  size_t operands; ///< How many it takes, or kVariadic: one or more.
  void (*evaluate)(Call &call);
  size_t results = 1;
  Splats splats = Splats::WrittenOut;
};
inline constexpr size_t kVariadic = ~size_t(0);

// One list per family of ops.
std::span<const Entry> unaryOps();
std::span<const Entry> binaryOps();
std::span<const Entry> convertOps();
std::span<const Entry> shapeOps();
std::span<const Entry> contractionOps();
std::span<const Entry> packedOps();
std::span<const Entry> windowOps();
std::span<const Entry> reductionOps();
std::span<const Entry> gatherOps();
std::span<const Entry> scatterOps();
std::span<const Entry> activationOps();
std::span<const Entry> normOps();
std::span<const Entry> statisticsOps();

/// The entry of a mnemonic, or null.
const Entry *findEntry(std::string_view mnemonic);

} // namespace smp::reference

#endif // SMP_LIB_REFERENCE_TABLE_H
