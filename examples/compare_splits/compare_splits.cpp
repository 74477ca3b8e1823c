// SPDX-License-Identifier: Apache-2.0
// Two real networks, each compiled for one device, split over two devices by
// annotation, and split by the partitioner; all three must agree to the last
// bit.

#include "Interrupt.h"
#include "Networks.h"
#include "Report.h"
#include "smp/model/Philox.h"
#include <cstdio>
#include <cstring>

using namespace smp;
using namespace demo;
using examples::interrupted;

constexpr char kUsage[] = "usage: compare_splits FOLDER [--spoil]\n"
                          "Leaves the programs in FOLDER. --spoil changes a "
                          "weight of split networks, "
                          "to see the\ncomparison fail.\n";

static HostTensor images() {
  HostTensor batch =
      HostTensor::zeros({DType::F32, {kMicrobatches, 3, 224, 224}});
  fillNormal(batch.bytes, DType::F32, 0, 1, /*seed=*/1);
  return batch;
}

static HostTensor sentences() {
  HostTensor batch = HostTensor::zeros({DType::I64, {kMicrobatches, 128}});
  uint64_t word = 1;
  for (int64_t &token : batch.as<int64_t>()) {
    word = word * 6364136223846793005 + 1442695040888963407;
    token = int64_t((word >> 33) % uint64_t(kWords));
  }
  return batch;
}

/// Whether all splits of a network agree.
static StatusOr<bool> compareSplits(const Network &network,
                                    const Options &options) {
  using passes::PartitionMode;
  const std::vector<Split> splits{
      {"one device", "whole", 1, PartitionMode::IgnoreAnnotations},
      {"by annotation", "annotated", 2, PartitionMode::Manual},
      {"automatic", "automatic", 2, PartitionMode::IgnoreAnnotations}};
  std::vector<Outcome> outcomes;
  double compileSeconds = 0;
  for (const Split &split : splits) {
    const std::string where = std::string(network.title) + ", " + split.title;
    SMP_ASSIGN_OR_RETURN(Outcome outcome,
                         runSplit(network, split, options).in(where));
    if (interrupted())
      return true;
    if (outcomes.empty())
      printHeads(network, outcome);
    printStages(split, outcome);
    compileSeconds += outcome.compileSeconds;
    outcomes.push_back(std::move(outcome));
  }
  bool same = printComparison(splits, outcomes);
  std::printf("  compiled three times, for levels v2, v3 and v4, in %.1f s\n",
              compileSeconds);
  return same;
}

static StatusOr<bool> run(const Options &options) {
  const Network networks[] = {
      {"ResNet-18", "resnet18", "image", buildResidualNetwork, images()},
      {"Transformer encoder", "encoder", "tokens", buildEncoder, sentences()}};
  std::printf(
      "Two networks, each on one device (a core), split over two by "
      "annotation, and split\nby the partitioner. All must agree to the "
      "last bit. The cost model predicts, for a\ncore; the measured time "
      "of a stage is the mean of all its runs.\n");
  std::fflush(stdout);
  bool same = true;
  for (const Network &network : networks) {
    StatusOr<bool> equal = compareSplits(network, options);
    if (!equal.ok() || interrupted())
      return equal;
    same &= *equal;
  }
  return same;
}

int main(int argc, char **argv) {
  Options options;
  options.spoils = argc == 3 && std::strcmp(argv[2], "--spoil") == 0;
  if (argc == 2 && std::strcmp(argv[1], "--help") == 0)
    return std::fputs(kUsage, stdout) < 0;
  if (argc < 2 || argv[1][0] == '-' || argc > 2 + options.spoils) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  options.folder = argv[1];
  examples::watchInterrupts();
  StatusOr<bool> same = run(options);
  if (!same.ok()) {
    std::fprintf(stderr, "compare_splits: %s\n",
                 same.status().message().c_str());
    return 1;
  }
  if (interrupted())
    return examples::kInterruptedStatus;
  if (!*same)
    std::fprintf(stderr,
                 "compare_splits: a split network gave other numbers than the "
                 "whole one\n");
  return *same ? 0 : 1;
}
