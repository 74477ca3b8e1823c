// SPDX-License-Identifier: Apache-2.0
// smp-trial as a person calls it.
#include "TemporaryFolder.h"
#include "WrittenTrial.h"
#include <cstdio>
#include <gtest/gtest.h>
#include <sys/wait.h>

using namespace smp;
using smp::test::WrittenTrial;

namespace {
struct SmpTrial : testing::Test {
  TemporaryFolder folder;
  std::string out, err;

  /// Runs the tool in the folder and returns its exit code.
  int run(const std::string &arguments) {
    const std::string command = "cd '" + folder.path() +
                                "' && '" SMP_TRIAL "' " + arguments +
                                " >out 2>err </dev/null";
    const int status = std::system(command.c_str());
    out = folder.read("out");
    err = folder.read("err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  /// Three steps of two tensors; `odd` is the last element of the last step.
  WrittenTrial write(const std::string &name, float odd = 6) {
    const WrittenTrial trial(folder.file(name));
    for (uint64_t step = 0; step < 3; ++step)
      trial.add(step, Mode::Train, step,
                {{"loss", {float(step) / 2}},
                 {"weight", {4, 5, step == 2 ? odd : 6}}});
    return trial;
  }
};
} // namespace

TEST_F(SmpTrial, Lists) {
  write("a").end();
  EXPECT_EQ(run("list a"), 0) << err;
  EXPECT_EQ(out, "The run has ended.\nworkers: worker_0\n"
                 "steps of TRAIN, 3: 0 to 2\nsteps of GLOBAL, 3: 0 to 2\n"
                 "collections: losses\n"
                 "tensor  steps\nloss    3: 0 to 2\nweight  3: 0 to 2\n");
  EXPECT_EQ(run("list a --json --collection losses"), 0) << err;
  EXPECT_NE(out.find("\"name\": \"loss\""), out.npos);
  EXPECT_EQ(out.find("\"name\": \"weight\""), out.npos);
}

TEST_F(SmpTrial, ShowsNumbers) {
  write("a").end();
  EXPECT_EQ(run("show a loss"), 0) << err;
  EXPECT_EQ(out, "0\t0\n1\t0.5\n2\t1\n");
  EXPECT_EQ(run("show a weight --reduction abs_max --mode TRAIN --json"), 0)
      << err;
  EXPECT_EQ(out.substr(0, out.find('\n')),
            R"({"step":0,"global_step":0,"value":6.0})");
  // What is over is followed to its end.
  EXPECT_EQ(run("show a loss --follow"), 0) << err;
  EXPECT_EQ(out, "0\t0\n1\t0.5\n2\t1\n");
}

TEST_F(SmpTrial, FollowsARunThatIsWritten) {
  const WrittenTrial trial = write("a");
  const std::string command =
      "'" SMP_TRIAL "' show '" + trial.path() + "' loss --follow";
  FILE *pipe = popen(command.c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char line[64];
  for (int i = 0; i < 3; ++i)
    ASSERT_NE(std::fgets(line, sizeof(line), pipe), nullptr);
  EXPECT_STREQ(line, "2\t1\n");
  trial.add(3, Mode::Train, 3, {{"loss", {7}}});
  ASSERT_NE(std::fgets(line, sizeof(line), pipe), nullptr);
  EXPECT_STREQ(line, "3\t7\n");
  trial.end();
  EXPECT_EQ(std::fgets(line, sizeof(line), pipe), nullptr);
  EXPECT_EQ(pclose(pipe), 0);
}

TEST_F(SmpTrial, TellsWhereTrialsPart) {
  write("a");
  write("b");
  const WrittenTrial other = write("c", 7);
  EXPECT_EQ(run("diff a b"), 0) << err;
  EXPECT_EQ(out, "equal: 3 steps, 6 tensors\n");
  EXPECT_EQ(run("diff a c"), 1) << err;
  EXPECT_EQ(out, "step 2 (TRAIN 2), weight of worker_0: value: element 2 is 6 "
                 "and 7\n");
  EXPECT_EQ(run("diff a c --regex loss"), 0) << err;
  other.add(3, Mode::Train, 3, {{"loss", {1}}});
  EXPECT_EQ(run("diff a c --regex loss --json"), 1) << err;
  EXPECT_NE(out.find("only the second has this step"), out.npos);
  EXPECT_EQ(run("diff a nope"), 2);
}

TEST_F(SmpTrial, SaysWhatItHasOfATensor) {
  const WrittenTrial trial(folder.file("a"));
  trial.add(0, Mode::Train, 0,
            {{"smdebug/reductions/mean/grad", {0.5f}},
             {"smdebug/reductions/abs_max/grad", {2}}});
  trial.end();
  EXPECT_EQ(run("show a grad --reduction mean"), 0) << err;
  EXPECT_EQ(out, "0\t0.5\n");
  EXPECT_EQ(run("show a grad"), 1);
  EXPECT_EQ(err, "smp-trial: no step has the value of 'grad'; ask for "
                 "--reduction mean or abs_max\n");
  EXPECT_EQ(run("show a grad --reduction std"), 1);
  EXPECT_EQ(err, "smp-trial: no step has the reduction 'std' of 'grad'; ask "
                 "for --reduction mean or abs_max\n");
}

TEST_F(SmpTrial, DrawsNumbers) {
  write("a").end();
  folder.write("p.svg", "before");
  EXPECT_EQ(run("plot a loss -o p.svg --mode TRAIN"), 0) << err;
  EXPECT_EQ(out + err, "");
  const std::string svg = folder.read("p.svg");
  EXPECT_EQ(svg.find("<svg xmlns="), 0u);
  EXPECT_NE(svg.find(">step of TRAIN</text>"), svg.npos);
  EXPECT_NE(svg.find("points=\"90.0,400.0 465.0,220.0 840.0,40.0\""), svg.npos)
      << svg;
  EXPECT_EQ(run("plot a loss weight --reduction mean -o two.svg"), 0) << err;
  const std::string two = folder.read("two.svg");
  EXPECT_NE(two.find(">weight</text>"), two.npos);
  EXPECT_NE(two.find(">mean</text>"), two.npos);
}

TEST_F(SmpTrial, DrawsNothingOfWhatIsWrong) {
  write("a").end();
  const std::pair<std::string, std::string> cases[] = {
      {"plot a loss nope -o p.svg",
       "tensor 'nope' was not saved in 'a', which has 2 others"},
      {"plot a loss loss -o p.svg",
       "the tensor 'loss' is given twice; leave one of them out"},
      {"plot a loss --reduction mode -o p.svg", "no reduction 'mode'"},
      {"plot a weight -o p.svg", "no number: ask for a reduction of it"},
      {"plot a loss --mode EVAL -o p.svg", "no step has the value of 'loss'"},
      {"plot a loss --mode NOPE -o p.svg", "NOPE"},
      {"plot a loss", "--output is required"},
      {"plot nope loss -o p.svg", "'nope' is no folder that can be read"},
      {"plot a loss -o none/p.svg", "none/p.svg"},
  };
  for (const auto &[arguments, message] : cases) {
    EXPECT_EQ(run(arguments), 1) << arguments;
    EXPECT_NE(err.find(message), err.npos) << arguments << ": " << err;
    EXPECT_FALSE(std::filesystem::exists(folder.file("p.svg"))) << arguments;
  }
}

TEST_F(SmpTrial, ChecksRules) {
  const WrittenTrial trial = write("a");
  trial.add(3, Mode::Train, 3, {{"loss", {1}}, {"weight", {0, 0, 0}}});
  trial.add(4, Mode::Train, 4, {{"loss", {1}}, {"weight", {0, 0, 0}}});
  trial.end();
  EXPECT_EQ(run("check a"), 0) << err;
  EXPECT_EQ(out, "no rule is met: 15 rules, 5 steps\n");
  EXPECT_EQ(run("check a --rule AllZero,tensor_regex=weight,x "
                "--rule AllZero,collection_names=weights,losses"),
            1)
      << err;
  EXPECT_EQ(out, "AllZero is met at step 0 of TRAIN by 'loss': all of its "
                 "elements are 0\n");
  EXPECT_EQ(run("check a --rule AllZero,tensor_regex=weight"), 1) << err;
  EXPECT_EQ(out, "AllZero is met at step 3 of TRAIN by 'weight': all of its "
                 "elements are 0; at 2 steps in all\n");
  EXPECT_EQ(run("check a --json --rule AllZero,tensor_regex=weight"), 1) << err;
  EXPECT_NE(out.find(R"("findings": [
    {
      "rule": "AllZero",
      "tensor": "weight",
      "global_step": 3,
      "mode": "TRAIN",
      "mode_step": 3,
      "what": "all of its elements are 0",
      "steps": 2
    }
  ])"),
            out.npos)
      << out;
}

TEST_F(SmpTrial, RefusesRulesThatThereAreNot) {
  write("a");
  EXPECT_EQ(run("check a --rule allzero"), 2);
  EXPECT_EQ(err.substr(0, 57),
            "smp-trial: there is no rule 'allzero'; there are StalledT");
  EXPECT_EQ(run("check a --rule AllZero,threshold=1"), 2);
  EXPECT_EQ(err, "smp-trial: AllZero has no parameter 'threshold'; it has "
                 "collection_names, tensor_regex\n");
  EXPECT_EQ(run("check nope"), 2);
}

TEST_F(SmpTrial, SaysWhatIsWrong) {
  const WrittenTrial trial = write("a");
  EXPECT_EQ(run("list nope"), 1);
  EXPECT_EQ(err, "smp-trial: 'nope' is no folder that can be read: No such "
                 "file or directory\n");
  EXPECT_EQ(run("list ."), 1);
  EXPECT_EQ(err, "smp-trial: '.' has no collections/*/*_collections.json: it "
                 "is no trial\n");
  EXPECT_EQ(run("show a nope"), 1);
  EXPECT_EQ(err, "smp-trial: tensor 'nope' was not saved in 'a', which has 2 "
                 "others\n");
  EXPECT_EQ(run("show a weight"), 1);
  EXPECT_EQ(run("list a --mode train"), 1);
  std::filesystem::resize_file(trial.indexFile(1), 30);
  EXPECT_EQ(run("show a loss"), 0);
  EXPECT_EQ(out, "0\t0\n2\t1\n");
  EXPECT_EQ(err, "smp-trial: left out: index/000000000/"
                 "000000000001_worker_0.json: it is no JSON object\n");
}
