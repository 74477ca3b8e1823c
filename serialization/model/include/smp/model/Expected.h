// SPDX-License-Identifier: Apache-2.0
// A value, or why there is none. A leaf has no codes of errors: who calls knows
// whether a wrong text is a wrong call or a damaged file.

#ifndef SMP_MODEL_EXPECTED_H
#define SMP_MODEL_EXPECTED_H

#include <optional>
#include <string>
#include <utility>

namespace smp {

/// Why there is no value: names the thing, the value, the bound and what to do.
struct Failure {
  std::string text;
};

template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : held(std::move(value)) {}
  Expected(Failure failure) : text(std::move(failure.text)) {}

  bool ok() const { return held.has_value(); }
  /// Empty when ok.
  const std::string &error() const { return text; }
  const T &operator*() const { return *held; }
  const T *operator->() const { return &*held; }
  /// The value, moved out; call once, only when ok.
  T take() { return std::move(*held); }

private:
  std::optional<T> held;
  std::string text;
};

} // namespace smp

#endif // SMP_MODEL_EXPECTED_H
