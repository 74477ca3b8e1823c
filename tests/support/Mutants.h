// SPDX-License-Identifier: Apache-2.0
// Recorded models with changes: thousands of models that are nearly right.

#ifndef SMP_TESTS_SUPPORT_MUTANTS_H
#define SMP_TESTS_SUPPORT_MUTANTS_H

#include <cstdint>
#include <onnx/onnx_pb.h>

namespace smp {

/// The models of tests/conformance, those of libonnx-testdata among them, in
/// the order of a shuffle, each changed.
class Mutants {
public:
  /// Prints the seed. The same seed gives the same mutants.
  explicit Mutants(uint32_t seed);

  /// The bytes of the next mutant, once its number and the case that it was are
  /// printed. The process ends unless the next one is asked for in time: a
  /// mutant takes no longer than that.
  std::string next();
  /// What follows may take its time.
  ~Mutants();

private:
  struct Case {
    std::string name;
    onnx::ModelProto model;
  };
  void readCases(const char *folder);

  std::vector<Case> cases;
  uint32_t seed, number = 0;
};

} // namespace smp

#endif // SMP_TESTS_SUPPORT_MUTANTS_H
