// SPDX-License-Identifier: Apache-2.0
// JSON as it is read: one event after the other, without a tree.

#ifndef SMP_SERIALIZATION_LIB_JSONEVENTS_H
#define SMP_SERIALIZATION_LIB_JSONEVENTS_H

#include <nlohmann/json.hpp>
#include <string_view>

namespace smp {

/// Tells `events` what the text has; false when one of them does not go on, or
/// the text is no JSON.
bool parseJson(std::string_view text, nlohmann::json::json_sax_t &events);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_JSONEVENTS_H
