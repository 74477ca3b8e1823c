// SPDX-License-Identifier: Apache-2.0
#include "Watching.h"
#include <iostream>
#include <smp/capture/CaptureChoice.h>

namespace examples {

void showWhat(const smp::HookConfig &config,
              smp::compile::ModelOptions &options) {
  const auto choice = std::make_shared<smp::CaptureChoice>(
      valueOf(smp::CaptureChoice::of(config)));
  options.capture = [choice](std::string_view name, smp::TapRole role) {
    const auto isChosen = choice->has(name, role);
    return isChosen.ok() && *isChosen; // An error is the hook's too.
  };
}

void showWhatIsWatched(smp::compile::ModelOptions &options) {
  if (smp::hasHookConfig())
    showWhat(valueOf(smp::readHookConfig()), options);
}

std::optional<smp::Hook> watch(smp::Session &session, bool resumes) {
  smp::HookOptions options;
  options.resume = resumes;
  options.log = say;
  auto hook = valueOf(smp::Hook::fromEnvironment(options));
  if (hook)
    check(hook->attach(session));
  return hook;
}

void close(std::optional<smp::Hook> &hook) {
  if (hook)
    check(hook->close());
}

void say(smp::LogLevel, std::string_view line) {
  std::cerr << line << std::endl;
}

} // namespace examples
