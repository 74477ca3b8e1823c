// SPDX-License-Identifier: Apache-2.0
// smp-run as a person calls it.
#include "TemporaryFolder.h"
#include "TestPrograms.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/tools/Npy.h"
#include <csignal>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace smp;
using namespace smp::test;

namespace {

struct SmpRun : testing::Test {
  TemporaryFolder folder;
  std::string out, err;

  int run(const std::string &arguments) {
    const std::string command = "cd '" + folder.path() + "'; '" SMP_RUN "' " +
                                arguments + " >out 2>err </dev/null";
    const int status = std::system(command.c_str());
    out = folder.read("out");
    err = folder.read("err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  int runInterrupted();
  void write(ProgramMaker &maker) {
    ASSERT_TRUE(writeProgram(maker.program, folder.file("p.smp")).ok());
  }
  void writeInput(std::vector<int64_t> shape) {
    const TestTensor x(shape);
    ASSERT_TRUE(writeNpy({DType::F32, x.shape},
                         std::as_bytes(std::span(x.values)),
                         folder.file("x.npy"))
                    .ok());
  }
  std::vector<float> readOutput(const std::string &name = "y.npy") {
    auto tensor = readNpy(folder.file(name));
    EXPECT_TRUE(tensor.ok()) << tensor.status().message();
    if (!tensor.ok())
      return {};
    const auto values = tensor->as<float>();
    return {values.begin(), values.end()};
  }
};

TEST_F(SmpRun, InputsFromFilesOutputsToFiles) {
  write(*makeChain(2));
  writeInput({6, 8});
  EXPECT_EQ(run("p.smp --input x=x.npy --output y=y.npy --devices cpu:0,cpu:1 "
                "--microbatches 3"),
            0)
      << err;
  EXPECT_EQ(out, "");
  EXPECT_EQ(err, "");
  const std::vector<float> y = readOutput();
  ASSERT_EQ(y.size(), 48u);
  EXPECT_EQ(y[47], chainOf(47, 2));
}

TEST_F(SmpRun, SaysWhatCameOutWhenAskedForNothing) {
  write(*makeChain(1));
  EXPECT_EQ(run("p.smp --random 7"), 0) << err;
  EXPECT_EQ(out, "y: f32[2x8]\n");
}

TEST_F(SmpRun, StatsAreOneJsonObject) {
  write(*makeChain(2));
  EXPECT_EQ(run("p.smp --random 7 --microbatches 4 --repeat 5 --stats json "
                "--level v2"),
            0)
      << err;
  const auto stats = nlohmann::json::parse(out, nullptr, false);
  ASSERT_TRUE(stats.is_object()) << out;
  EXPECT_EQ(stats["entry"], "predict");
  EXPECT_EQ(stats["steps"], 5);
  EXPECT_EQ(stats["microbatches"], 4);
  for (const char *key : {"median", "min", "p90"})
    EXPECT_GT(stats["latency_ms"][key].get<double>(), 0) << key;
  EXPECT_LE(stats["latency_ms"]["min"], stats["latency_ms"]["median"]);
  EXPECT_LE(stats["latency_ms"]["median"], stats["latency_ms"]["p90"]);
  EXPECT_GT(stats["load_ms"].get<double>(), 0);
  EXPECT_TRUE(stats["pack_ms"].is_number());
  EXPECT_EQ(stats["peak_bytes"].size(), 2u);
  EXPECT_EQ(stats["peak_bytes"]["cpu:0"], 128);
  EXPECT_EQ(stats["kinds"]["cpu:1"], "x86-64-v2");
  ASSERT_EQ(stats["stages"].size(), 2u);
  EXPECT_EQ(stats["stages"][1]["name"], "stage1");
  EXPECT_GT(stats["stages"][1]["measured_ms"].get<double>(), 0);
  EXPECT_EQ(stats["stages"][1]["predicted_ms"], 0);
}

TEST_F(SmpRun, ATraceHasARowPerPartition) {
  write(*makeChain(2));
  EXPECT_EQ(run("p.smp --random 1 --microbatches 3 --trace t.json"), 0) << err;
  const auto trace =
      nlohmann::json::parse(folder.read("t.json"), nullptr, false);
  ASSERT_TRUE(trace.is_object());
  size_t rows = 0, stages = 0, kernels = 0;
  for (const auto &event : trace["traceEvents"]) {
    rows += event["ph"] == "M";
    if (event["ph"] != "X")
      continue;
    stages += event["cat"] == "stage";
    kernels += event["cat"] == "kernel" && event["name"] == "twice_plus_one16";
    EXPECT_GE(event["ts"].get<double>(), 0);
    EXPECT_GE(event["dur"].get<double>(), 0);
  }
  EXPECT_EQ(rows, 2u);
  EXPECT_EQ(stages, 6u);
  EXPECT_EQ(kernels, 6u);
}

TEST_F(SmpRun, WrongCallsGiveOneMessage) {
  write(*makeChain(2));
  writeInput({5, 8});
  const std::pair<const char *, const char *> cases[] = {
      {"nowhere.smp", "smp-run: cannot read 'nowhere.smp': No such file"},
      {"p.smp", "needs input 'x', a f32[2x8]"},
      {"p.smp --input x=nowhere.npy", "nowhere.npy"},
      {"p.smp --input z=x.npy", "has no input 'z'; its inputs are: 'x'"},
      {"p.smp --input x=x.npy --output z=z.npy",
       "has no output 'z'; its outputs are: 'y'"},
      {"p.smp --input x=x.npy", "input 'x' is 5x8; it must be ?x8 with ? a "
                                "multiple of the microbatch's 2"},
      {"p.smp --random 1 --entry eval",
       "the program has no entry 'eval'; it has 'predict'"},
      {"p.smp --random 1 --devices cpu:0",
       "program has 2 partitions but 1 device was given: cpu:0"},
      {"p.smp --random 1 --output y=/nowhere/y.npy", "/nowhere/y.npy"},
      {"p.smp --random 1 --level v9", "there is no CPU level 'v9'"}};
  for (const auto &[arguments, message] : cases) {
    EXPECT_EQ(run(arguments), 1) << arguments;
    EXPECT_NE(err.find(message), std::string::npos) << arguments << "\n" << err;
    EXPECT_EQ(err.find("smp-run: "), 0u) << err;
    EXPECT_EQ(err.find('\n'), err.size() - 1) << err;
    EXPECT_EQ(out, "");
  }
  for (const char *arguments :
       {"", "p.smp --nonsense", "p.smp --input x", "p.smp --stats xml",
        "p.smp --repeat 0", "p.smp --rank 1",
        "p.smp --random 1 --reference --stats json"})
    EXPECT_EQ(run(arguments), 1) << arguments;
}

TEST_F(SmpRun, TwoProcessesGiveTheSameFile) {
  write(*makeChain(2));
  writeInput({12, 8});
  ASSERT_EQ(run("p.smp --input x=x.npy --output y=one.npy"), 0) << err;
  const std::string ranks = "p.smp --input x=x.npy --devices 0/cpu:0,1/cpu:0 "
                            "--ranks 2 --address unix:socket ";
  EXPECT_EQ(run(ranks + "--rank 1 --output y=two.npy & '" SMP_RUN "' " + ranks +
                "--rank 0 --output y=three.npy && wait $!"),
            0)
      << err;
  EXPECT_EQ(readOutput("one.npy").size(), 96u);
  EXPECT_TRUE(folder.read("one.npy") == folder.read("two.npy"));
  EXPECT_TRUE(folder.read("one.npy") == folder.read("three.npy"));
}

/// The exit status of many steps of the program, interrupted in one of them.
int SmpRun::runInterrupted() {
  const pid_t child = fork();
  EXPECT_GE(child, 0);
  if (child == 0) {
    execl(SMP_RUN, SMP_RUN, folder.file("p.smp").c_str(), "--random", "1",
          "--repeat", "1000000000", "--deadline", "0", nullptr);
    _exit(99);
  }
  // Until the handler is there the signal would just end it: look for that.
  const std::string status = "/proc/" + std::to_string(child) + "/status";
  auto isWatching = [&] {
    std::FILE *file = std::fopen(status.c_str(), "r");
    char line[256];
    unsigned long long caught = 0;
    while (file && std::fgets(line, sizeof(line), file))
      std::sscanf(line, "SigCgt: %llx", &caught);
    if (file)
      std::fclose(file);
    return (caught >> (SIGINT - 1) & 1) != 0;
  };
  while (!isWatching())
    std::this_thread::yield();
  kill(child, SIGINT);
  int result = 0;
  EXPECT_EQ(waitpid(child, &result, 0), child);
  EXPECT_TRUE(WIFEXITED(result)) << result;
  return WEXITSTATUS(result);
}

TEST_F(SmpRun, AnInterruptEndsItAfterTheStep) {
  write(*makeChain(1));
  EXPECT_EQ(runInterrupted(), 130);
}

/// The same where steps change variables, on several partitions.
TEST_F(SmpRun, AnInterruptEndsTrainingAfterTheStep) {
  auto maker = makeChain(2);
  const uint32_t w = maker->splat("w", 0);
  maker->stage(1, 0, 0,
               {maker->launch("twice_plus_one16", {variable(w), variable(w)})});
  maker->program.stages.back().unit = Unit::Update;
  describeLaunches(maker->program);
  Entry &entry = maker->entry();
  entry.mode = Mode::Train;
  entry.microbatches = 2;
  entry.schedule = "simple";
  ScheduleOptions schedule;
  schedule.microbatches = 2;
  entry.actions =
      simpleSchedule(pipelineShape(maker->program, entry), schedule).actions;
  write(*maker);
  EXPECT_EQ(runInterrupted(), 130);
  EXPECT_EQ(run("p.smp --random 1"), 0) << err;
}

} // namespace
