// SPDX-License-Identifier: Apache-2.0
// ONNX's recorded test cases: a model, inputs, and the outputs they give.

#ifndef SMP_CONFORMANCE_SUITE_H
#define SMP_CONFORMANCE_SUITE_H

#include "smp/import/OnnxImport.h"
#include <filesystem>

namespace smp::conformance {

struct Case {
  std::string name;
  std::filesystem::path folder; ///< Holds model.onnx and test_data_set_0.
  std::filesystem::path model() const { return folder / "model.onnx"; }
};

/// The cases below a folder, by name.
std::vector<Case> findCases(const std::filesystem::path &suite);

/// The bytes of a case's model; nothing with the reason in `error`.
std::optional<std::string> readModel(const Case &test, std::string &error);

struct Data {
  std::vector<NamedTensor> inputs, outputs;
};
/// Reads the first data set of a case; nothing with the reason in `error`.
std::optional<Data> readData(const Case &test, std::string &error);

/// `tensor`, its u16 taken as bf16 where that is wanted: cases record bf16 so.
HostTensor retag(HostTensor tensor, DType wanted);

/// Why `actual` is not `expected`; empty when it is: same type, and
/// |a - e| <= 1e-7 + 1e-3 |e|, which is ONNX's own rule, for each element.
/// Floats of 16 bits may be two units in the last place apart: what is recorded
/// of several steps was rounded at each.
std::string compare(const HostTensor &expected, const HostTensor &actual);

/// Lines `name: reason` of a file; `#` starts a comment.
std::optional<std::map<std::string, std::string>>
readExclusions(const std::filesystem::path &path, std::string &error);

} // namespace smp::conformance

#endif // SMP_CONFORMANCE_SUITE_H
