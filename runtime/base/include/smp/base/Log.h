// SPDX-License-Identifier: Apache-2.0
// The runtime's one way to say something that is not an error of a call.

#ifndef SMP_BASE_LOG_H
#define SMP_BASE_LOG_H

#include <functional>
#include <string_view>

namespace smp {

enum class LogLevel { Info = 0, Warning = 1 };

/// Where log lines go. May be called from any thread of a Session, one call at
/// a time per Session. Without a sink nothing is written.
using LogSink = std::function<void(LogLevel, std::string_view message)>;

} // namespace smp

#endif // SMP_BASE_LOG_H
