// SPDX-License-Identifier: Apache-2.0
// smp-run as a person calls it.
#include "TemporaryFolder.h"
#include "TestPrograms.h"
#include "smp/serialization/CostsFile.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/tools/Npy.h"
#include <csignal>
#include <filesystem>
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
  /// Two ranks at once, each with what it is given beside; their statuses, and
  /// what they say in err0 and err1.
  std::pair<int, int> runTwo(const std::string &rank0, const std::string &rank1,
                             const std::string &address = "unix:socket");
  std::string err0, err1;
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
  EXPECT_EQ(stats["jit_ms"], 0); // The code of CPUs is made before.
  EXPECT_TRUE(stats["pack_ms"].is_number());
  EXPECT_EQ(stats["peak_bytes"].size(), 2u);
  EXPECT_EQ(stats["peak_bytes"]["cpu:0"], 128);
  EXPECT_EQ(stats["kinds"]["cpu:1"], "x86-64-v2");
  ASSERT_EQ(stats["stages"].size(), 2u);
  EXPECT_EQ(stats["stages"][1]["name"], "stage1");
  EXPECT_GT(stats["stages"][1]["measured_ms"].get<double>(), 0);
  EXPECT_EQ(stats["stages"][1]["predicted_ms"], 0);
}

TEST_F(SmpRun, StatsHaveWhatAnEmulatedGpuCounts) {
  write(*makeChain(1));
  EXPECT_EQ(run("p.smp --random 7 --devices cuda-emulator:0 --stats json"), 0)
      << err;
  const auto stats = nlohmann::json::parse(out, nullptr, false);
  ASSERT_EQ(stats["kernels"].size(), 1u) << out;
  const auto &kernel = stats["kernels"][0];
  EXPECT_EQ(kernel["name"], "twice_plus_one16");
  EXPECT_EQ(kernel["partition"], 0);
  EXPECT_EQ(kernel["launches"], 1);
  EXPECT_EQ(kernel["buffer_bytes"], 128);
  EXPECT_EQ(kernel["sectors_read"], 16);
  EXPECT_EQ(kernel["sectors_written"], 16);
  EXPECT_EQ(kernel["bank_conflicts"], 0);
  EXPECT_GT(kernel["thread_instructions"], 0);
  EXPECT_EQ(run("p.smp --random 7 --devices cuda-emulator:0 --stats text"), 0);
  EXPECT_NE(out.find("kernel twice_plus_one16 on partition 0: 1 launches, "
                     "0.001 MB moved of 0.000 in its buffers, "),
            std::string::npos)
      << out;
  EXPECT_EQ(run("p.smp --random 7 --stats json"), 0);
  EXPECT_TRUE(nlohmann::json::parse(out)["kernels"].empty());
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

TEST_F(SmpRun, AProfileIsAFileOfCosts) {
  auto maker = makeChain(2);
  maker->program.kernels[0].signature = 0xabc;
  maker->program.kernels[0].flops = 32;
  maker->program.kernels[0].bytes = 128;
  write(*maker);
  // Both partitions on each of two pairs of devices.
  EXPECT_EQ(run("p.smp --random 7 --microbatches 4 --repeat 3 --level v2 "
                "--profile c.json --devices null:0,null:1,null:2,null:3"),
            0)
      << err;
  EXPECT_EQ(out, "");
  StatusOr<Costs> costs = readCosts(folder.file("c.json"));
  ASSERT_TRUE(costs.ok()) << costs.status().message();
  ASSERT_EQ(costs->devices.size(), 1u);
  const DeviceCosts &device = costs->devices[0];
  EXPECT_EQ(device.kind, "x86-64-v2");
  EXPECT_EQ(device.cores, 1u);
  ASSERT_EQ(device.kernels.size(), 1u);
  const KernelCost kernel = device.kernels[0];
  EXPECT_EQ(kernel.signature, 0xabcu);
  EXPECT_EQ(kernel.name, "twice_plus_one16");
  EXPECT_EQ(kernel.runs, 2u * 2 * 3 * 4);
  EXPECT_GT(kernel.seconds, 0);
  EXPECT_EQ(kernel.flops, 32);
  EXPECT_EQ(kernel.bytes, 128);
  ASSERT_EQ(costs->links.size(), 1u);
  EXPECT_EQ(costs->links[0].from, "x86-64-v2");
  // What is measured of another kernel is added.
  maker->program.kernels[0].signature = 0xdef;
  write(*maker);
  EXPECT_EQ(run("p.smp --random 7 --repeat 2 --level v2 --profile c.json "
                "--devices null:0,null:1"),
            0)
      << err;
  costs = readCosts(folder.file("c.json"));
  ASSERT_TRUE(costs.ok()) << costs.status().message();
  ASSERT_EQ(costs->devices[0].kernels.size(), 2u);
  EXPECT_EQ(costs->devices[0].kernels[0].seconds, kernel.seconds);
  EXPECT_EQ(costs->devices[0].kernels[1].runs, 2u * 2);
}

TEST_F(SmpRun, WhatCannotBeProfiledIsRefused) {
  auto maker = makeChain(2);
  write(*maker);
  const std::string start = "p.smp --random 1 --profile c.json ";
  EXPECT_EQ(run(start), 1);
  EXPECT_EQ(err, "smp-run: the program does not say what its kernels are, as "
                 "programs do since format 1.9: compile it again, to measure "
                 "what they take\n");
  maker->program.kernels[0].signature = 0xabc;
  write(*maker);
  EXPECT_EQ(run(start + "--devices cpu:0=0,cpu:1=0,cpu:2=0"), 1);
  EXPECT_NE(err.find("the program has 2 partitions, and 3 devices were given"),
            std::string::npos)
      << err;
  EXPECT_EQ(run(start + "--devices cpu:0,cpu:1,cpu:2,cpu:3"), 1);
  EXPECT_NE(err.find("device 'cpu:0' does not say its cores"),
            std::string::npos)
      << err;
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"err", "out", "p.smp"}));
  folder.write("c.json", "{}");
  EXPECT_EQ(run(start + "--devices null:0,null:1"), 1);
  EXPECT_EQ(err, "smp-run: 'c.json' is no file of costs: format is missing; "
                 "version is missing; make one with smp-run --profile\n");
  EXPECT_EQ(folder.read("c.json"), "{}");
  for (const char *other : {"--stats json", "--trace t.json", "--reference",
                            "--ranks 2 --rank 0 --address unix:socket"})
    EXPECT_EQ(run(start + other), 1) << other;
}

TEST_F(SmpRun, WrongCallsGiveOneMessage) {
  write(*makeChain(2));
  writeInput({5, 8});
  const std::vector<double> wide(16);
  ASSERT_TRUE(writeNpy({DType::F64, {2, 8}}, std::as_bytes(std::span(wide)),
                       folder.file("wide.npy"))
                  .ok());
  const auto newer = makeChain(2);
  for (Kernel &kernel : newer->program.kernels)
    kernel.variants[0].level = "v4";
  ASSERT_TRUE(writeProgram(newer->program, folder.file("v4.smp")).ok());
  const auto old = makeChain(2); // Before kernels said what they write.
  for (Kernel &kernel : old->program.kernels)
    kernel.numOutputs = 0;
  ASSERT_TRUE(writeProgram(old->program, folder.file("old.smp")).ok());
  const auto two = makeChain(2);
  two->input("z");
  ASSERT_TRUE(writeProgram(two->program, folder.file("two.smp")).ok());
  const std::pair<const char *, const char *> cases[] = {
      {"nowhere.smp", "smp-run: cannot read 'nowhere.smp': No such file"},
      {"p.smp", "needs input 'x', a f32[2x8]; --input NAME=FILE gives one, "
                "--random SEED fills those that have no file"},
      {"p.smp --input x=wide.npy",
       "'wide.npy' is f64[2x8], and input 'x' must be f32; in NumPy "
       "x.astype('float32') makes it so"},
      {"p.smp --input x=nowhere.npy", "nowhere.npy"},
      {"p.smp --input z=x.npy", "has no input 'z'; its inputs are: 'x'"},
      {"p.smp --input x=x.npy --output z=z.npy",
       "has no output 'z'; its outputs are: 'y'"},
      {"p.smp --input x=x.npy", "input 'x' is 5x8; it must be ?x8 with ? a "
                                "multiple of the microbatch's 2"},
      {"p.smp --random 1 --entry eval",
       "the program has no entry 'eval'; it has 'predict'"},
      {"p.smp --random 1 --devices cpu:0",
       "--devices names 1 device, cpu:0, and the program has 2 partitions; "
       "name one device for each"},
      {"p.smp --random 1 --devices cpu:0,cpu:1,null:0",
       "--devices names 3 devices, cpu:0,cpu:1,null:0, and the program has 2 "
       "partitions; name one device for each, or compile the model for them "
       "with smp-compile --partitions 3"},
      {"v4.smp --random 1 --level v1",
       "or compile the program for this one; or leave out --level v1\n"},
      {"old.smp --random 1 --level v2 --check-numerics",
       "; compile the program again\n"},
      {"two.smp --input x=x.npy", "it must be ?x8 with ? a multiple of the "
                                  "microbatch's 2\n"},
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
        "p.smp --repeat 0", "p.smp --rank 1", "p.smp --no-secret",
        "p.smp --secret-file p.smp",
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

std::pair<int, int> SmpRun::runTwo(const std::string &rank0,
                                   const std::string &rank1,
                                   const std::string &address) {
  auto command = [&](int rank, const std::string &rest) {
    const std::string number = std::to_string(rank);
    return "{ '" SMP_RUN "' --random 1 --ranks 2 --address " + address +
           " --rank " + number + " " + rest + " >out" + number + " 2>err" +
           number + " </dev/null; echo $? >status" + number + "; }";
  };
  const std::string both = "cd '" + folder.path() + "'; " + command(1, rank1) +
                           " & " + command(0, rank0) + "; wait";
  EXPECT_EQ(std::system(both.c_str()), 0);
  err0 = folder.read("err0");
  err1 = folder.read("err1");
  return {std::atoi(folder.read("status0").c_str()),
          std::atoi(folder.read("status1").c_str())};
}

const std::pair<int, int> kBothWell{0, 0}, kBothFailed{1, 1};

TEST_F(SmpRun, TwoRanksEndWellEveryTime) {
  write(*makeChain(2));
  for (int i = 0; i < 20; ++i)
    ASSERT_EQ(runTwo("p.smp --microbatches 4 --devices 0/null:0,1/null:0",
                     "p.smp --microbatches 4 --devices 0/null:0,1/null:0"),
              kBothWell)
        << err0 << err1;
}

TEST_F(SmpRun, AnotherProgramIsNamedByBothRanks) {
  auto other = makeChain(2);
  other->splat("w", 1);
  ASSERT_TRUE(writeProgram(other->program, folder.file("other.smp")).ok());
  write(*makeChain(2));
  EXPECT_EQ(runTwo("p.smp", "other.smp"), kBothFailed);
  EXPECT_EQ(err0.find("smp-run: rank 1 runs another program: its fingerprint "),
            0u)
      << err0;
  EXPECT_NE(err0.find(" (p.smp); give every rank the same file\n"),
            std::string::npos)
      << err0;
  EXPECT_NE(err1.find("rank 0 runs another program: its fingerprint "),
            std::string::npos)
      << err1;
  EXPECT_NE(err1.find(" (other.smp); give every rank the same file\n"),
            std::string::npos)
      << err1;
}

TEST_F(SmpRun, WhatOneRankLacksTheOtherIsTold) {
  write(*makeChain(2));
  EXPECT_EQ(runTwo("p.smp --input x=nowhere.npy", "p.smp"), kBothFailed);
  EXPECT_NE(err1.find("rank 0: cannot read 'nowhere.npy'"), std::string::npos)
      << err1;
}

TEST_F(SmpRun, SecretsComeFromAFileOrTheEnvironment) {
  write(*makeChain(2));
  folder.write("secret", "what only the ranks know\n");
  folder.write("other", "what nobody ought to know\n");
  folder.write("empty", "\n");
  EXPECT_EQ(runTwo("p.smp --secret-file secret", "p.smp --secret-file secret"),
            kBothWell)
      << err0 << err1;
  ASSERT_EQ(setenv("SMP_RANK_SECRET", "what only the ranks know", 1), 0);
  EXPECT_EQ(runTwo("p.smp", "p.smp --secret-file secret"), kBothWell)
      << err0 << err1;
  EXPECT_EQ(runTwo("p.smp --deadline 3", "p.smp --secret-file other"),
            kBothFailed);
  EXPECT_NE(err0.find("for rank 1; turned away process "), std::string::npos)
      << err0;
  EXPECT_NE(err1.find("rank 1 does not know the secret of rank 0"),
            std::string::npos)
      << err1;
  ASSERT_EQ(setenv("SMP_RANK_SECRET", "", 1), 0);
  const std::string one = "p.smp --random 1 --ranks 2 --rank 0 --deadline 1 "
                          "--address unix:socket ";
  EXPECT_EQ(run(one), 1);
  EXPECT_EQ(err, "smp-run: SMP_RANK_SECRET is empty; give it the secret, or "
                 "unset it\n");
  ASSERT_EQ(unsetenv("SMP_RANK_SECRET"), 0);
  EXPECT_EQ(run(one + "--secret-file empty"), 1);
  EXPECT_EQ(err, "smp-run: there is no secret in 'empty'\n");
  EXPECT_EQ(run(one + "--secret-file nowhere"), 1);
  EXPECT_EQ(err,
            "smp-run: cannot read the secret in 'nowhere': No such file or "
            "directory\n");
}

TEST_F(SmpRun, NoOutputReplacesWhatElseIsNamed) {
  write(*makeChain(1));
  writeInput({2, 8});
  folder.write("secret", "sixteen bytes or more");
  std::filesystem::create_symlink("p.smp", folder.file("link"));
  const std::string program = folder.read("p.smp"), x = folder.read("x.npy");
  const std::pair<const char *, const char *> cases[] = {
      {"--output y=p.smp", "--output y would replace 'p.smp', which is read"},
      {"--output y=link", "--output y would replace 'p.smp', which is read"},
      {"--trace ./p.smp", "--trace would replace 'p.smp', which is read"},
      {"--profile p.smp", "--profile would replace 'p.smp', which is read"},
      {"--output y=x.npy", "--output y would replace 'x.npy', which is read"},
      {"--trace secret --ranks 1 --rank 0 --address unix:s --secret-file "
       "secret",
       "--trace would replace 'secret', which is read"},
      {"--output y=y.npy --output y=./y.npy",
       "--output y would replace 'y.npy', which --output y writes"},
      {"--output y=t --trace t",
       "--trace would replace 't', which --output y writes"}};
  for (const auto &[arguments, message] : cases) {
    EXPECT_EQ(run("p.smp --input x=x.npy " + std::string(arguments)), 1);
    EXPECT_EQ(err,
              "smp-run: " + std::string(message) + "; name another file\n");
    EXPECT_EQ(folder.read("p.smp"), program) << arguments;
    EXPECT_EQ(folder.read("x.npy"), x) << arguments;
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("y.npy")));
  EXPECT_EQ(run("p.smp --input x=x.npy --output y=/dev/null --trace /dev/null"),
            0)
      << err;
}

TEST_F(SmpRun, ArgumentsThatAreWrongAreNamed) {
  write(*makeChain(1));
  const std::string whole = "is not a whole number from 0 to "
                            "18446744073709551615";
  const std::pair<const char *, std::string> cases[] = {
      {"p.smp --random -1", "--random: '-1' " + whole},
      {"p.smp --random 18446744073709551616",
       "--random: '18446744073709551616' " + whole},
      {"p.smp --random 1 --memory-limit -1", "--memory-limit: '-1' " + whole},
      {"--bogus", "--bogus"},
      {"", "program is required"}};
  for (const auto &[arguments, message] : cases) {
    EXPECT_EQ(run(arguments), 1) << arguments;
    EXPECT_NE(err.find(message), std::string::npos) << err;
  }
  EXPECT_EQ(run("p.smp --random 18446744073709551615"), 0) << err;
}

TEST_F(SmpRun, AnOutputThatIsFullIsAnError) {
  write(*makeChain(1));
  const std::string tool = "'" SMP_RUN "' ", p = folder.file("p.smp");
  for (const std::string &arguments :
       {std::string("--help"), std::string("--version"), p + " --random 1",
        p + " --random 1 --stats json"}) {
    const std::string err = folder.file("err");
    EXPECT_NE(std::system((tool + arguments + " >/dev/full 2>" + err).c_str()),
              0)
        << arguments;
    EXPECT_EQ(folder.read("err"), "smp-run: cannot write the standard output: "
                                  "No space left on device\n");
  }
}

TEST_F(SmpRun, WhereRanksMayNotMeet) {
  write(*makeChain(2));
  folder.write("file", "precious");
  const std::string start =
      "p.smp --random 1 --ranks 2 --rank 0 --deadline 0.1 --address ";
  const std::pair<const char *, const char *> cases[] = {
      {"unix:file", "'file' is a regular file and no socket"},
      {"tcp:127.0.0.1:0", "port '0'; it must be a number from 1 to 65535"},
      {"tcp:127.0.0.1:99999", "port '99999'; it must be a number from 1 to"},
      {"tcp:0.0.0.0:29999", "--secret-file FILE or SMP_RANK_SECRET; or "
                            "--no-secret"}};
  for (const auto &[address, message] : cases) {
    EXPECT_EQ(run(start + address), 1) << address;
    EXPECT_NE(err.find(message), std::string::npos) << err;
  }
  EXPECT_EQ(folder.read("file"), "precious");
}

TEST_F(SmpRun, ADeadlineOutOfRangeIsRefusedBeforeRanksMeet) {
  write(*makeChain(2));
  for (const char *deadline : {"-1", "nan", "inf"}) {
    EXPECT_EQ(run("p.smp --random 1 --ranks 2 --rank 0 --address unix:socket "
                  "--deadline " +
                  std::string(deadline)),
              1);
    EXPECT_EQ(err, std::string("smp-run: --deadline is ") + deadline +
                       "; it must be from 0 (never) to 1e+09\n");
  }
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
