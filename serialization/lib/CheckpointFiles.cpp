// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointFiles.h"
#include <algorithm>
#include <cstdio>

namespace smp {

std::string shardSuffix(std::string_view suffix, size_t shard, size_t count) {
  if (count == 1)
    return std::string(suffix);
  char number[32];
  std::snprintf(number, sizeof(number), "-%05zu-of-%05zu", shard + 1, count);
  const size_t dot = suffix.rfind('.');
  return std::string(suffix.substr(0, dot)) + number +
         std::string(suffix.substr(dot));
}

/// "-00001-of-00002.safetensors", of any numbers.
static bool isShardEnd(std::string_view text) {
  for (const std::string_view before : {"-", "-of-"}) {
    if (!text.starts_with(before))
      return false;
    text.remove_prefix(before.size());
    const size_t digits =
        std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits < 5)
      return false;
    text.remove_prefix(digits);
  }
  return text == ".safetensors";
}

bool isDataOf(std::string_view file, std::string_view name) {
  if (!file.starts_with(name))
    return false;
  file.remove_prefix(name.size());
  if (file.starts_with(kAgain))
    file.remove_prefix(kAgain.size());
  return file == kModelSuffix || file == kStateSuffix || file == kIndexSuffix ||
         ((file.starts_with(".model") || file.starts_with(".state")) &&
          isShardEnd(file.substr(6)));
}

} // namespace smp
