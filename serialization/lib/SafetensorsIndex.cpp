// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/SafetensorsIndex.h"
#include <nlohmann/json.hpp>

namespace smp {

std::string
formatSafetensorsIndex(const std::map<std::string, std::string> &fileOfTensor,
                       uint64_t totalBytes) {
  using Json = nlohmann::ordered_json;
  const Json index = {{"metadata", {{"total_size", totalBytes}}},
                      {"weight_map", fileOfTensor}};
  return index.dump(2, ' ', /*ensure_ascii=*/false,
                    Json::error_handler_t::replace) +
         "\n";
}

} // namespace smp
