// SPDX-License-Identifier: Apache-2.0
// Hooks of trainings: what the environment asks for (SMDEBUG_CONFIG_FILE_PATH).

#ifndef SMP_EXAMPLES_COMMON_WATCHING_H
#define SMP_EXAMPLES_COMMON_WATCHING_H

#include "TrainingLoop.h"
#include <smp/capture/Hook.h>
#include <smp/runtime/Session.h>

namespace examples {

/// The model's values are compiled so that a hook of the configuration sees
/// those that it saves.
void showWhat(const smp::HookConfig &config,
              smp::compile::ModelOptions &options);

/// The same for the hook that the environment asks for, where it does.
void showWhatIsWatched(smp::compile::ModelOptions &options);

/// That hook, attached to the Session; none where the environment asks for
/// none. `resumes`: it goes on in the folder of the run before.
std::optional<smp::Hook> watch(smp::Session &session, bool resumes);

/// Waits until all is written, where there is a hook.
void close(std::optional<smp::Hook> &hook);

/// Prints what a hook has to say.
void say(smp::LogLevel level, std::string_view line);

} // namespace examples

#endif // SMP_EXAMPLES_COMMON_WATCHING_H
