// SPDX-License-Identifier: Apache-2.0
// Names from files in messages.

#ifndef SMP_BASE_QUOTE_H
#define SMP_BASE_QUOTE_H

#include <string>
#include <string_view>

namespace smp {

/// A name from a file, safe to print: quoted, short, without control
/// characters.
std::string quote(std::string_view name);

} // namespace smp

#endif // SMP_BASE_QUOTE_H
