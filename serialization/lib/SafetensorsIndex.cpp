// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/SafetensorsIndex.h"
#include "JsonTree.h"

namespace smp {

std::string
formatSafetensorsIndex(const std::map<std::string, std::string> &fileOfTensor,
                       uint64_t totalBytes) {
  std::string text = "{\n  \"metadata\": {\n    \"total_size\": ";
  text += std::to_string(totalBytes) + "\n  },\n  \"weight_map\": {";
  const char *separator = "";
  for (const auto &[tensor, file] : fileOfTensor) {
    text += separator;
    text += "\n    " + jsonLiteral(tensor) + ": " + jsonLiteral(file);
    separator = ",";
  }
  return text + "\n  }\n}\n";
}

} // namespace smp
