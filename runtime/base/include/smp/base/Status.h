// SPDX-License-Identifier: Apache-2.0
// Errors as values: what went wrong and what the caller can do about it.

#ifndef SMP_BASE_STATUS_H
#define SMP_BASE_STATUS_H

#include "smp/base/Export.h"
#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace smp {

/// What the caller can do about an error.
enum class StatusCode {
  Ok = 0,
  InvalidArgument = 1,    ///< This call can never succeed; fix the caller.
  ResourceExhausted = 2,  ///< Out of memory or slots; may succeed later.
  FailedPrecondition = 3, ///< Wrong state; fix the state, then call again.
  DataLoss = 4,           ///< The bytes are not what was written.
  DeadlineExceeded = 5,   ///< No progress within the deadline.
  Cancelled = 6,          ///< Someone asked for a stop.
  Unavailable = 7,        ///< Something outside smp failed: a file, a peer.
  Internal = 8,           ///< A bug in smp.
};

/// "invalid argument" and so on: the code in words.
SMP_API const char *toString(StatusCode code);

/// The outcome of a call: ok, or a code and a message that names the thing, the
/// value, the bound and what to do. An ok status costs a null pointer.
class [[nodiscard]] SMP_API Status {
public:
  Status() = default;
  Status(StatusCode code, std::string message)
      : error(std::make_unique<Error>(Error{code, std::move(message)})) {
    assert(code != StatusCode::Ok && "an ok status has no message");
  }
  Status(Status &&) = default;
  Status &operator=(Status &&) = default;
  Status(const Status &other)
      : error(other.error ? std::make_unique<Error>(*other.error) : nullptr) {}
  Status &operator=(const Status &other) {
    error = other.error ? std::make_unique<Error>(*other.error) : nullptr;
    return *this;
  }

  bool ok() const { return !error; }
  StatusCode code() const { return error ? error->code : StatusCode::Ok; }
  /// Empty when ok.
  const std::string &message() const;
  /// The same error told from one level further out: "where: message".
  Status in(const std::string &where) const;

private:
  struct Error {
    StatusCode code;
    std::string message;
  };
  std::unique_ptr<Error> error;
};

SMP_API Status invalidArgument(std::string message);
SMP_API Status failedPrecondition(std::string message);
SMP_API Status resourceExhausted(std::string message);
SMP_API Status dataLoss(std::string message);
SMP_API Status unavailable(std::string message);
SMP_API Status internalError(std::string message);

/// A value, or the status that says why there is none.
template <typename T>
class [[nodiscard]] StatusOr {
public:
  StatusOr(T value) : held(std::move(value)) {}
  StatusOr(Status status) : error(std::move(status)) {
    assert(!error.ok() && "a StatusOr without a value needs an error");
  }

  bool ok() const { return held.has_value(); }
  const Status &status() const { return error; }
  T &operator*() { return *held; }
  const T &operator*() const { return *held; }
  T *operator->() { return &*held; }
  const T *operator->() const { return &*held; }
  /// The value, moved out; call once, only when ok.
  T take() { return std::move(*held); }
  /// The same value, or the same error told from one level further out.
  StatusOr in(const std::string &where) && {
    return ok() ? std::move(*this) : StatusOr(error.in(where));
  }

private:
  std::optional<T> held;
  Status error;
};

/// Returns from the calling function when `expression` is not ok.
#define SMP_RETURN_IF_ERROR(expression)                                        \
  do {                                                                         \
    if (::smp::Status smpStatus = (expression); !smpStatus.ok())               \
      return smpStatus;                                                        \
  } while (false)

/// Gives `target` the value of an expression of type StatusOr; when that is an
/// error, returns it from the calling function. `target` declares a variable or
/// is one:
///   SMP_ASSIGN_OR_RETURN(Config config, readConfig(path).in("options"));
///   SMP_ASSIGN_OR_RETURN(devices[i], openDevice(name, options));
/// A type with a comma in it is `auto`. These are several statements: an `if`
/// or a loop around them has braces, without which it does not compile.
#define SMP_ASSIGN_OR_RETURN(target, ...)                                      \
  SMP_ASSIGN_OR_RETURN_AS(SMP_NAME_ON_LINE(smpResult, __LINE__), target,       \
                          (__VA_ARGS__))

// What the macro above is made of.
#define SMP_ASSIGN_OR_RETURN_AS(result, target, expression)                    \
  auto result = expression;                                                    \
  if (!result.ok())                                                            \
    return result.status();                                                    \
  target = result.take()
#define SMP_NAME_ON_LINE(name, line) SMP_JOIN_NAMES(name, line)
#define SMP_JOIN_NAMES(a, b) a##b

} // namespace smp

#endif // SMP_BASE_STATUS_H
