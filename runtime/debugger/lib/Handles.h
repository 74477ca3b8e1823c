// SPDX-License-Identifier: Apache-2.0
// What the handles of smp/debugger.h hold.

#ifndef SMP_DEBUGGER_HANDLES_H
#define SMP_DEBUGGER_HANDLES_H

#include "smp/capture/Hook.h"
#include "smp/debugger.h"
#include "smp/rules/RuleWatch.h"
#include "smp/runtime/CApi.h"
#include "smp/trial/Trial.h"

struct smp_hook_config {
  /// What is said first counts.
  void refuse(smp::Status why);
  /// Ok when a hook can have it.
  smp::Status check() const;

  smp::HookConfig config;
  smp::Status problem;
};

struct smp_hook_options {
  smp::HookOptions options;
};

struct smp_hook {
  smp::Hook hook;
  // What callers got pointers to.
  std::string summary;
  smp_step_counts counts = {};
  smp::capi::Listed<smp_captured_value> values;
};

struct smp_rule_watch {
  smp::RuleWatch watch;
  // What callers got pointers into: reports, findings and their messages.
  std::vector<smp::RuleReport> reports;
  std::vector<std::string> messages;
  std::vector<smp_finding> findings;
  smp::capi::Listed<smp_rule_report> views;
};

struct smp_trial {
  smp::Trial trial;
  // What callers got pointers to.
  std::vector<std::string> names;
  std::vector<const char *> nameViews;
  std::vector<smp_series_point> points;
};

namespace smp::capi {

/// Fails for what is no mode.
StatusOr<Mode> modeOf(const char *function, const char *word);
/// Of a mode; valid for ever.
const char *wordOf(Mode mode);

} // namespace smp::capi

#endif // SMP_DEBUGGER_HANDLES_H
