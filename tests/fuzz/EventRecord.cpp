// SPDX-License-Identifier: Apache-2.0
// What becomes of the bytes of a record: an error that says what is wrong, or a
// record that is the same when it was written and read again.
#include "smp/serialization/EventRecord.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // In memory of their own, so that a byte too far is seen.
  const std::vector<uint8_t> file(data, data + size);
  const auto read = decodeEventRecord(std::as_bytes(std::span(file)));
  if (!read.ok()) {
    require(!read.status().message().empty());
    return 0;
  }
  std::vector<std::byte> written;
  if (!appendEventRecord(*read, written).ok()) {
    require(storedEventType(read->type.dtype) != read->type.dtype);
    return 0;
  }
  const auto again = decodeEventRecord(written);
  require(again.ok() && again->name == read->name &&
          again->step == read->step && again->mode == read->mode &&
          again->modeStep == read->modeStep && again->type == read->type &&
          again->texts == read->texts &&
          std::ranges::equal(again->bytes, read->bytes) &&
          std::memcmp(&again->wallTime, &read->wallTime, 8) == 0);
  return 0;
}
