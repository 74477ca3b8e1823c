// SPDX-License-Identifier: Apache-2.0
// Rules by the C API.
#include "WatchedHandles.h"
#include "smp/rules/BuiltInRules.h"

using namespace smp;
using namespace smp::test;

namespace {

constexpr char kZero[] = "AllZero,tensor_regex=^y$";
constexpr char kMet[] = "AllZero is met at step 1 of TRAIN by 'y': all of its "
                        "elements are 0";

class RuleWatchesInC : public WatchedHandles {
protected:
  ~RuleWatchesInC() override { smp_rule_watch_destroy(watch); }

  std::string add(const char *rule, smp_rule_action action = nullptr,
                  void *user = nullptr) {
    return textOf(smp_rule_watch_add(watch, rule, action, user));
  }
  void attach() {
    ASSERT_EQ(textOf(smp_rule_watch_attach(watch, session)), "ok");
  }

  smp_rule_watch *watch = smp_rule_watch_create(nullptr, nullptr);
};

TEST_F(RuleWatchesInC, AreReported) {
  ASSERT_EQ(add(kZero), "ok");
  ASSERT_EQ(add("AllZero,tensor_regex=^loss$"), "ok");
  attach();
  EXPECT_EQ(step("train", 1), "ok"); // y is 3.
  EXPECT_EQ(step("train", -0.5f), "ok");
  EXPECT_EQ(step("eval", 1), "ok");
  EXPECT_EQ(step("train", 1), "ok");
  size_t count = 0;
  const smp_rule_report *const *reports = smp_rule_watch_report(watch, &count);
  ASSERT_EQ(count, 2u);
  EXPECT_STREQ(reports[0]->rule, "AllZero");
  EXPECT_EQ(reports[0]->evaluated, 3u);
  EXPECT_EQ(reports[0]->met, 1u);
  EXPECT_STREQ(reports[0]->first->message, kMet);
  EXPECT_STREQ(reports[0]->first->tensor, "y");
  EXPECT_EQ(reports[1]->met, 1u);
  EXPECT_STREQ(reports[1]->first->tensor, "loss");
  ASSERT_EQ(warnings.size(), 2u); // By the session's log.
  EXPECT_EQ(warnings[0], kMet);
  EXPECT_EQ(reports[2], nullptr);
}

TEST_F(RuleWatchesInC, AreLoggedWhereTheyAreToldTo) {
  std::vector<std::string> said;
  smp_rule_watch_destroy(watch);
  watch = smp_rule_watch_create(note, &said);
  ASSERT_EQ(add(kZero), "ok");
  attach();
  EXPECT_EQ(step("train", 1), "ok");
  EXPECT_EQ(step("train", -0.5f), "ok");
  EXPECT_EQ(said, std::vector<std::string>{kMet});
  EXPECT_EQ(warnings, std::vector<std::string>());
  smp_rule_watch_destroy(watch);
  watch = smp_rule_watch_create(nullptr, nullptr);
  ASSERT_EQ(add(kZero), "ok");
  const smp_rule_report *const *reports = smp_rule_watch_report(watch, nullptr);
  EXPECT_EQ(reports[0]->met, 0u);
  EXPECT_EQ(reports[0]->first, nullptr);
  EXPECT_EQ(reports[1], nullptr);
}

/// Counts in a string; ends the run at the second call.
int noteFinding(void *user, const smp_finding *finding) {
  auto &calls = *static_cast<std::vector<std::string> *>(user);
  calls.push_back(std::string(finding->rule) + " " + finding->tensor + " " +
                  finding->mode + " " + std::to_string(finding->mode_step) +
                  " " + std::to_string(finding->global_step) + " " +
                  finding->message);
  return calls.size() == 2;
}

TEST_F(RuleWatchesInC, CallActionsThatMayEndTheRun) {
  std::vector<std::string> calls;
  ASSERT_EQ(add(kZero, noteFinding, &calls), "ok");
  ASSERT_EQ(add("AllZero,tensor_regex=^loss$", noteFinding, &calls), "ok");
  attach();
  EXPECT_EQ(step("train", 1), "ok");
  const std::string error = step("train", -0.5f);
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0], "AllZero y train 1 1 " + std::string(kMet));
  EXPECT_NE(error.find("failed precondition"), std::string::npos) << error;
  EXPECT_NE(error.find("by 'loss'"), std::string::npos) << error;
  EXPECT_EQ(step("train", -0.5f), "ok"); // Who goes on, may.
  EXPECT_EQ(calls.size(), 2u);
}

TEST_F(RuleWatchesInC, StopTheRun) {
  ASSERT_EQ(add(kZero, smp_stop_run), "ok");
  attach();
  const std::string error = step("train", -0.5f);
  EXPECT_NE(error.find("AllZero is met at step 0"), std::string::npos) << error;
}

TEST_F(RuleWatchesInC, Defaults) {
  EXPECT_EQ(textOf(smp_rule_watch_add_to_collection(watch, "losses", "loss")),
            "ok");
  EXPECT_EQ(textOf(smp_rule_watch_add_defaults(watch, nullptr, nullptr)), "ok");
  attach();
  EXPECT_EQ(step("train", 1), "ok");
  size_t count = 0;
  const smp_rule_report *const *reports = smp_rule_watch_report(watch, &count);
  ASSERT_EQ(count, defaultRules().size());
  for (size_t i = 0; i < count; ++i)
    EXPECT_EQ(reports[i]->rule, defaultRules()[i].name);
}

TEST_F(RuleWatchesInC, WrongRules) {
  EXPECT_EQ(add("NoSuchRule")
                .find("invalid argument: there is no rule "
                      "'NoSuchRule'; there are StalledTraining,"),
            0u);
  EXPECT_EQ(add("AllZero,nothing=1"),
            "invalid argument: AllZero has no parameter 'nothing'; it has "
            "collection_names, tensor_regex");
  EXPECT_EQ(add("ExplodingTensor,only_nan=often"),
            "invalid argument: the parameter 'only_nan' of ExplodingTensor is "
            "'often'; it must be true or false");
  EXPECT_EQ(add("").find("invalid argument: "), 0u);
  EXPECT_EQ(smp_rule_watch_report(watch, nullptr)[0], nullptr);
  EXPECT_EQ(textOf(smp_rule_watch_add_to_collection(watch, "losses", "none")),
            "ok");
  EXPECT_EQ(textOf(smp_rule_watch_attach(watch, session)),
            "invalid argument: the program neither gives nor shows 'none', "
            "which is to be in 'losses'; compile it with --capture or "
            "--capture-all");
  smp_rule_watch_destroy(watch);
  watch = smp_rule_watch_create(nullptr, nullptr);
  attach();
  EXPECT_EQ(add(kZero),
            "failed precondition: these rules watch a Session already; every "
            "Session needs a RuleWatch of its own");
}

TEST_F(RuleWatchesInC, Null) {
  const auto isNull = [](smp_error *error, const std::string &end) {
    EXPECT_EQ(textOf(error), "invalid argument: " + end + " is NULL");
  };
  isNull(smp_rule_watch_add(nullptr, kZero, nullptr, nullptr),
         "smp_rule_watch_add: watch");
  isNull(smp_rule_watch_add(watch, nullptr, nullptr, nullptr),
         "smp_rule_watch_add: rule");
  isNull(smp_rule_watch_add_defaults(nullptr, nullptr, nullptr),
         "smp_rule_watch_add_defaults: watch");
  isNull(smp_rule_watch_add_to_collection(watch, "losses", nullptr),
         "smp_rule_watch_add_to_collection: tensor");
  isNull(smp_rule_watch_attach(nullptr, session),
         "smp_rule_watch_attach: watch");
  isNull(smp_rule_watch_attach(watch, nullptr),
         "smp_rule_watch_attach: session");
  EXPECT_EQ(smp_rule_watch_report(nullptr, nullptr), nullptr);
  smp_rule_watch_destroy(nullptr);
}

} // namespace
