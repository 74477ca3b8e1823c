// SPDX-License-Identifier: Apache-2.0
// What becomes of the text of an index file, or of a collections file: an error
// that says what is wrong, or the same that it gives after another file, whose
// lists of tensors are known.
#include "smp/serialization/EventIndex.h"
#include "smp/serialization/EventCollections.h"
#include <cstdlib>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

static void checkIndex(const std::string &text) {
  EventIndexReader reader;
  const auto first = reader.read(text);
  const auto second = reader.read(text);
  require(first.ok() == second.ok());
  if (!first.ok()) {
    require(!first.status().message().empty() &&
            first.status().message() == second.status().message());
    return;
  }
  require(first->mode == second->mode && first->modeStep == second->modeStep &&
          first->eventsFile == second->eventsFile &&
          first->tensors->records.size() == second->tensors->records.size() &&
          first->tensors->shapes.size() == second->tensors->shapes.size());
  require(first->tensors->records.empty() || !first->eventsFile.empty());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(reinterpret_cast<const char *>(data), size);
  checkIndex(text);
  const auto collections = parseEventCollections(text);
  require(collections.ok() ? collections->numWorkers > 0
                           : !collections.status().message().empty());
  return 0;
}
