// SPDX-License-Identifier: Apache-2.0
// What becomes of the text of a checkpoint's manifest: an error that says what
// is wrong, or a manifest that is the same when it was written and read again.
#include "smp/serialization/CheckpointManifest.h"
#include <cstdlib>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

/// Version 1 has no pieces.
static bool hasPieces(const CheckpointManifest &manifest) {
  for (const CheckpointManifest::File &file : manifest.files)
    if (file.digest.pieces.empty() && file.digest.size > 0)
      return false;
  return true;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // In memory of its own, so that a byte too far is seen.
  const std::string text(reinterpret_cast<const char *>(data), size);
  const auto manifest = parseCheckpointManifest(text);
  const auto part = parseCheckpointManifestPart(text);
  if (!part.ok())
    require(!part.status().message().empty());
  if (!manifest.ok()) {
    require(!manifest.status().message().empty());
    return 0;
  }
  require(part.ok() && *part == *manifest);
  if (!hasPieces(*manifest))
    return 0;
  const auto again =
      parseCheckpointManifest(formatCheckpointManifest(*manifest));
  require(again.ok() && *again == *manifest);
  return 0;
}
