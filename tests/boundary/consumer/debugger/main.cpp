// SPDX-License-Identifier: Apache-2.0
// usage: application [PROGRAM]: makes hooks and rules, and has them watch the
// program, with what is installed.

#include "smp/capture/CaptureChoice.h"
#include "smp/capture/Hook.h"
#include "smp/rules/BuiltInRules.h"
#include "smp/rules/InvokeRule.h"
#include "smp/rules/RuleWatch.h"
#include "smp/runtime/Session.h"
#include <cstdio>

static int fail(const std::string &what) {
  std::fprintf(stderr, "consumer: %s\n", what.c_str());
  return 1;
}

static smp::Status watchOutput(const char *program) {
  SMP_ASSIGN_OR_RETURN(smp::Session session, smp::Session::open(program));
  smp::Hook hook, wrong;
  SMP_RETURN_IF_ERROR(
      hook.addToCollection("default", session.entries()[0].outputs[0].name));
  SMP_RETURN_IF_ERROR(hook.attach(session));
  SMP_RETURN_IF_ERROR(wrong.addToCollection("default", "nothing"));
  const smp::Status refused = wrong.attach(session);
  if (refused.message().find("'nothing'") == std::string::npos)
    return smp::internalError("what no entry has was not named");
  return smp::Status();
}

/// A rule of the application.
struct HasName : smp::Rule {
  std::string_view name() const override { return "HasName"; }
  smp::StatusOr<smp::RuleNeed> needs(const smp::RuleTensor &) override {
    return smp::RuleNeed::Presence;
  }
  smp::StatusOr<std::optional<smp::Finding>>
  evaluate(smp::RuleSource &source,
           std::span<const smp::RuleTensor *const> tensors) override {
    return std::optional(smp::Finding{.tensor = tensors.front()->name,
                                      .text = source.step().text()});
  }
};

static smp::Status watchRules(const char *program) {
  SMP_ASSIGN_OR_RETURN(smp::Session session, smp::Session::open(program));
  smp::RuleWatch watch;
  SMP_RETURN_IF_ERROR(watch.add(std::make_unique<HasName>()));
  for (const smp::RuleChoice &choice : smp::defaultRules()) {
    SMP_ASSIGN_OR_RETURN(auto rule, smp::makeRule(choice));
    SMP_RETURN_IF_ERROR(watch.add(std::move(rule), {.action = smp::stopRun()}));
  }
  SMP_RETURN_IF_ERROR(watch.attach(session));
  if (watch.report().size() != smp::defaultRules().size() + 1)
    return smp::internalError("rules are missing");
  return smp::Status();
}

static smp::Status openNoTrial() {
  const smp::Status status = smp::Trial::open("nothing").status();
  if (status.code() != smp::StatusCode::InvalidArgument)
    return smp::internalError("a trial that there is not was opened");
  return smp::Status();
}

static smp::Status chooseGradients() {
  SMP_ASSIGN_OR_RETURN(
      smp::CaptureChoice choice,
      smp::CaptureChoice::of({.collections = {{.name = "gradients"}}}));
  SMP_ASSIGN_OR_RETURN(const bool isChosen,
                       choice.has("gradient/w", smp::TapRole::Gradient));
  SMP_ASSIGN_OR_RETURN(const bool isOther,
                       choice.has("w", smp::TapRole::Parameter));
  if (!isChosen || isOther)
    return smp::internalError("not the gradients were chosen");
  return smp::Status();
}

int main(int argc, char **argv) {
  if (const smp::Status status = chooseGradients(); !status.ok())
    return fail(status.message());
  smp::Hook hook;
  if (!hook.registerLoss("loss").ok() || hook.mode() != smp::Mode::Global)
    return fail("a hook that saw no step");
  if (const smp::Status status = openNoTrial(); !status.ok())
    return fail(status.message());
  if (argc > 1)
    for (const auto watch : {watchOutput, watchRules})
      if (const smp::Status status = watch(argv[1]); !status.ok())
        return fail(status.message());
  std::printf("consumer: smp's debugger works\n");
  return 0;
}
