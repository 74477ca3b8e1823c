// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"
#include "smp/rules/BuiltInRules.h"

using namespace smp;
using smp::capi::logTo;
using smp::capi::sessionOf;
using smp::capi::toError;
using smp::capi::wordOf;

/// Refers to both.
static smp_finding viewOf(const Finding &finding, const std::string &message) {
  return {finding.rule.c_str(),      finding.tensor.c_str(),
          wordOf(finding.step.mode), finding.step.modeStep,
          finding.step.globalStep,   message.c_str()};
}

/// Null for none.
static RuleAction actionOf(smp_rule_action action, void *user) {
  if (!action)
    return nullptr;
  return [action, user](const Finding &finding) {
    const std::string message = finding.message();
    const smp_finding view = viewOf(finding, message);
    return action(user, &view) ? failedPrecondition(message) : Status();
  };
}

static Status add(RuleWatch &watch, const StatusOr<RuleChoice> &choice,
                  const RuleAction &action) {
  if (!choice.ok())
    return choice.status();
  SMP_ASSIGN_OR_RETURN(auto rule, makeRule(*choice));
  return watch.add(std::move(rule), {.action = action});
}

extern "C" {

int smp_stop_run(void *, const smp_finding *) { return 1; }

smp_rule_watch *smp_rule_watch_create(smp_log log, void *user) {
  return new smp_rule_watch{RuleWatch(logTo(log, user)), {}, {}, {}, {}};
}
void smp_rule_watch_destroy(smp_rule_watch *watch) { delete watch; }

smp_error *smp_rule_watch_add(smp_rule_watch *watch, const char *rule,
                              smp_rule_action action, void *user) {
  SMP_RETURN_IF_NULL(watch);
  SMP_RETURN_IF_NULL(rule);
  return toError(
      add(watch->watch, RuleChoice::parse(rule), actionOf(action, user)));
}

smp_error *smp_rule_watch_add_defaults(smp_rule_watch *watch,
                                       smp_rule_action action, void *user) {
  SMP_RETURN_IF_NULL(watch);
  for (const RuleChoice &choice : defaultRules())
    if (Status status = add(watch->watch, choice, actionOf(action, user));
        !status.ok())
      return toError(std::move(status));
  return nullptr;
}

smp_error *smp_rule_watch_add_to_collection(smp_rule_watch *watch,
                                            const char *collection,
                                            const char *tensor) {
  SMP_RETURN_IF_NULL(watch);
  SMP_RETURN_IF_NULL(collection);
  SMP_RETURN_IF_NULL(tensor);
  return toError(watch->watch.addToCollection(collection, tensor));
}

smp_error *smp_rule_watch_attach(smp_rule_watch *watch, smp_session *session) {
  SMP_RETURN_IF_NULL(watch);
  SMP_RETURN_IF_NULL(session);
  return toError(watch->watch.attach(sessionOf(*session)));
}

const smp_rule_report *const *smp_rule_watch_report(smp_rule_watch *watch,
                                                    size_t *out_count) {
  if (!watch)
    return capi::Listed<smp_rule_report>::none(out_count);
  std::vector<RuleReport> &all = watch->reports;
  std::vector<smp_rule_report> &views = watch->views.items;
  all = watch->watch.report();
  watch->messages.assign(all.size(), {});
  watch->findings.assign(all.size(), {});
  views.clear();
  for (size_t i = 0; i < all.size(); ++i) {
    views.push_back(
        {all[i].rule.c_str(), all[i].evaluated, all[i].met, nullptr});
    if (!all[i].first)
      continue;
    watch->messages[i] = all[i].first->message();
    watch->findings[i] = viewOf(*all[i].first, watch->messages[i]);
    views[i].first = &watch->findings[i];
  }
  return watch->views.give(out_count);
}
}
