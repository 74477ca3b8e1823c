// SPDX-License-Identifier: Apache-2.0
// What an application does with a model, in this process.

#ifndef SMP_CONFORMANCE_COMPILEDBACKEND_H
#define SMP_CONFORMANCE_COMPILEDBACKEND_H

#include "Backend.h"
#include "CompileHere.h"

namespace smp::conformance {

struct ModelSource {
  llvm::StringRef bytes;
  std::string name, folder; ///< For messages, and of external data.
};

/// The program for this machine's level; nothing, with the first error.
std::optional<test::ProgramBytes>
compileModel(ModelSource model, const OnnxOptions &options, std::string &error);

/// One step of the program's first entry.
Status runProgram(std::span<const std::byte> bytes,
                  const std::vector<NamedTensor> &inputs,
                  std::vector<HostTensor> &outputs);

} // namespace smp::conformance

#endif // SMP_CONFORMANCE_COMPILEDBACKEND_H
