// SPDX-License-Identifier: Apache-2.0
// The options of an import on a command line: smp-translate's and
// smp-compile's.

#ifndef SMP_TOOLS_IMPORTFLAGS_H
#define SMP_TOOLS_IMPORTFLAGS_H

#include "smp/tools/ImportOptions.h"
#include "llvm/Support/CommandLine.h"

namespace smp {

/// Whether a tool's own --partitions is a number of them, if it was given.
Status checkPartitions(const llvm::cl::opt<int64_t> &partitions);

/// One of them, of static storage, is in a tool.
class ImportFlags {
public:
  explicit ImportFlags(llvm::cl::OptionCategory &category);

  /// Reads the files that the options name. `partitions` is the tool's own;
  /// `size` is that of dimensions with several to choose from, which without it
  /// are an error.
  StatusOr<OnnxOptions> read(int64_t partitions,
                             std::optional<int64_t> size = {}) const;
  /// The sizes to choose from; see readSizes().
  StatusOr<std::vector<int64_t>> sizes() const;
  /// The name of an option that was given; empty: none was.
  std::string given() const;
  /// Paths of the files that read() reads, among texts that are none.
  std::vector<std::string> files() const;
  bool hasPins() const { return pins.getNumOccurrences() > 0; }

private:
  llvm::cl::list<std::string> dims, batch, constants, trainable;
  llvm::cl::opt<std::string> pins, configuration, externalData;
};

} // namespace smp

#endif // SMP_TOOLS_IMPORTFLAGS_H
