// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_TOOLS_SMP_CHECKPOINT_REPORTJSON_H
#define SMP_TOOLS_SMP_CHECKPOINT_REPORTJSON_H

#include <nlohmann/json.hpp>

namespace smp {

/// Members stay in their order.
using Json = nlohmann::ordered_json;

/// Indented, with an end of line; what is no UTF-8 is replaced.
std::string toText(const Json &json);

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_REPORTJSON_H
