// SPDX-License-Identifier: Apache-2.0
#include "smp/import/Pins.h"
#include <nlohmann/json.hpp>

namespace smp {

/// A file of pins is one object; nothing in it nests deeper.
static constexpr int kMaxDepth = 2;

std::optional<std::vector<Pin>> parsePins(std::string_view json,
                                          std::string &error) {
  bool isDeep = false;
  auto limitDepth = [&](int depth, nlohmann::ordered_json::parse_event_t,
                        nlohmann::ordered_json &) {
    isDeep |= depth > kMaxDepth;
    return !isDeep;
  };
  auto parsed =
      nlohmann::ordered_json::parse(json.begin(), json.end(), limitDepth,
                                    /*allow_exceptions=*/false);
  if (!parsed.is_object() || isDeep) {
    error = "is no JSON object like {\"encoder/*\": 0, \"decoder/*\": 1}";
    return std::nullopt;
  }
  std::vector<Pin> pins;
  for (const auto &[pattern, value] : parsed.items()) {
    if (!value.is_number_integer() || value.get<int64_t>() < 0) {
      error = "pin \"" + pattern +
              "\" must be the number of a partition: 0, 1, ...";
      return std::nullopt;
    }
    pins.push_back({pattern, value.get<int64_t>()});
  }
  return pins;
}

} // namespace smp
