// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"

namespace smp::capi {

smp_error *toError(Status status) {
  return status.ok() ? nullptr : new smp_error{std::move(status)};
}

smp_error *nullError(const char *function, const char *what) {
  return toError(nullStatus(function, what));
}

Status nullStatus(const char *function, const char *what) {
  return invalidArgument(std::string(function) + ": " + what + " is NULL");
}

std::string text(const char *string) { return string ? string : ""; }

LogSink logTo(smp_log log, void *user) {
  if (!log)
    return nullptr;
  return [log, user](LogLevel level, std::string_view message) {
    log(user, level == LogLevel::Warning, message.data(), message.size());
  };
}

} // namespace smp::capi

static_assert(SMP_INVALID_ARGUMENT == int(smp::StatusCode::InvalidArgument) &&
              SMP_DEADLINE_EXCEEDED == int(smp::StatusCode::DeadlineExceeded) &&
              SMP_INTERNAL == int(smp::StatusCode::Internal));

extern "C" {

uint32_t smp_version(void) {
  return SMP_VERSION_MAJOR * 1000000 + SMP_VERSION_MINOR * 1000 +
         SMP_VERSION_PATCH;
}

const char *smp_version_string(void) {
  return smp::versionString().data(); // Of a literal.
}

smp_code smp_error_code(const smp_error *error) {
  return error ? smp_code(error->status.code()) : smp_code(0);
}

const char *smp_error_message(const smp_error *error) {
  return error ? error->status.message().c_str() : "";
}

void smp_error_destroy(smp_error *error) { delete error; }
}
