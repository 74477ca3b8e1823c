// SPDX-License-Identifier: Apache-2.0
#include "StoredTensors.h"
#include "Sources.h"
#include "smp/base/FileSystem.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/WeightsPath.h"
#include "smp/tools/TensorBundle.h"

namespace smp {

const char *wordOf(CheckpointFormat format) {
  return format == CheckpointFormat::Smp ? "smp" : "tensorflow";
}

StatusOr<CheckpointFormat> findFormat(const std::string &prefix) {
  SMP_RETURN_IF_ERROR(refusePickle(prefix));
  const std::string ours = prefix + std::string(kManifestSuffix),
                    theirs = bundleIndexPath(prefix);
  uint64_t ignored = 0;
  const bool isOurs = FileSystem::disk().size(ours, ignored) == 0,
             isTheirs = FileSystem::disk().size(theirs, ignored) == 0;
  if (isOurs && isTheirs)
    return invalidArgument("there are two checkpoints '" + prefix + "': '" +
                           ours + "' and '" + theirs + "'; move one away");
  if (!isOurs && !isTheirs)
    return invalidArgument("there is no checkpoint '" + prefix +
                           "': neither '" + ours + "' nor '" + theirs + "'");
  return isOurs ? CheckpointFormat::Smp : CheckpointFormat::TensorFlow;
}

StatusOr<std::unique_ptr<StoredTensors>>
StoredTensors::open(const std::string &prefix, BundleNames names) {
  SMP_ASSIGN_OR_RETURN(const CheckpointFormat format, findFormat(prefix));
  return format == CheckpointFormat::Smp ? openCheckpoint(prefix)
                                         : openBundle(prefix, names);
}

static Status hasType(const TensorEntry &tensor) {
  return internalError("'" + tensor.name + "' is of a type of smp's, " +
                       tensor.dtype);
}

StatusOr<std::vector<std::string>> StoredTensors::readTexts(size_t tensor) {
  return hasType(entries[tensor]);
}

StatusOr<std::span<const std::byte>> StoredTensors::readBits(size_t tensor) {
  return hasType(entries[tensor]);
}

} // namespace smp
