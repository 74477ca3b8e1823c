// SPDX-License-Identifier: Apache-2.0
// What a program is compiled to show to hooks of a configuration. Since 0.1.

#ifndef SMP_CAPTURE_CAPTURECHOICE_H
#define SMP_CAPTURE_CAPTURECHOICE_H

#include "smp/capture/HookConfig.h"
#include "smp/model/Tap.h"
#include <memory>

namespace smp {

/// The collection that a value which a program shows is in by what it is:
/// "inputs", "gradients", "optimizer_variables", "layers", or, of parameters,
/// "biases" where the regex of that finds the name and else "weights". Empty of
/// a value's gradient: it is in none by itself.
SMP_API StatusOr<std::string_view> collectionOf(std::string_view name,
                                                TapRole role);

/// The end of a message that a program does not show something.
inline constexpr const char *kHowToShow =
    "; compile it with --capture or --capture-all";

/// Chooses the values that are in some collection that a hook saves, at any
/// step. Of one thread at a time.
class SMP_API CaptureChoice {
public:
  /// Fails as checkHookConfig() says.
  static StatusOr<CaptureChoice> of(const HookConfig &config);
  CaptureChoice(CaptureChoice &&) noexcept;
  CaptureChoice &operator=(CaptureChoice &&) noexcept;
  ~CaptureChoice();

  /// InvalidArgument: a collection that has no meaning of its own has neither a
  /// regex nor a tensor, so that nothing is chosen for it. Its name may be
  /// misspelt; or a hook gets its tensors later.
  Status checkFilled() const;

  /// Whether a value of that name, which is that to its entry, is chosen.
  /// ResourceExhausted: a regex takes too long.
  StatusOr<bool> has(std::string_view name, TapRole role);

private:
  struct State;
  explicit CaptureChoice(std::unique_ptr<State> state);
  std::unique_ptr<State> state; // Not null, but in what was moved from.
};

} // namespace smp

#endif // SMP_CAPTURE_CAPTURECHOICE_H
