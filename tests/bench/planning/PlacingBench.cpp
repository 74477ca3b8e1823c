// SPDX-License-Identifier: Apache-2.0
// How long a plan for two devices takes, from a model to what is printed of the
// plan, without and with --plan=auto; and what the latter says of memory,
// beside the program's own.
#include "Networks.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/compile/Compile.h"
#include "smp/import/ModelParts.h"
#include "smp/serialization/PartitionLayout.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <regex>

using namespace smp;
using namespace smp::bench;

static constexpr const char *kNetworks[] = {"resnet50", "encoder", "char",
                                            "blocks", "resnet"};
static constexpr int64_t kMicrobatches = 8;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Keeps what is written, and how long after it was made the last of it came.
class TimedText : public llvm::raw_ostream {
public:
  TimedText() : raw_ostream(/*unbuffered=*/true) {}

  std::string text;
  double seconds = 0;

private:
  void write_impl(const char *bytes, size_t count) override {
    text.append(bytes, count);
    seconds = secondsSince(start);
  }
  uint64_t current_pos() const override { return text.size(); }

  Clock::time_point start = Clock::now();
};

/// What was placed, and what the program needs.
struct Placed {
  std::string plan;
  double seconds = 0;   ///< Until the plan was there.
  double mebibytes = 0; ///< Of the device that needs most.
};

} // namespace

static StatusOr<Placed> place(const std::string &network, bool plansAll) {
  SMP_ASSIGN_OR_RETURN(Model model, buildNetwork(network, kMicrobatches));
  ModelParts &parts = model.parts();
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  parts.context->appendDialectRegistry(registry);
  compile::CompileOptions options;
  options.placement.partitions = 2;
  options.plansAll = plansAll;
  options.exporting.levels = {"v3"};
  TimedText plan;
  options.plan = &plan;
  auto exported = compile::compile(*parts.module, parts.weights, options);
  if (failed(exported))
    return internalError("'" + network + "' cannot be compiled");
  Placed placed{plan.text, plan.seconds};
  for (const PartitionMemory &memory : memoryOf(exported->program))
    placed.mebibytes =
        std::max(placed.mebibytes, double(memory.total()) / (1 << 20));
  return placed;
}

/// Of the row that is taken.
static StatusOr<double> mebibytesSaid(const std::string &plan) {
  const std::regex row("([\\d.]+) (KiB|MiB) +\\d+  taken\n");
  std::smatch cells;
  if (!std::regex_search(plan, cells, row))
    return internalError("no row of the plan is taken:\n" + plan);
  return std::stod(cells[1]) / (cells[2] == "KiB" ? 1024 : 1);
}

static Status run(const std::vector<std::string> &networks) {
  std::printf("network   place, s  --plan=auto, s  said, MiB  program, MiB   "
              "error\n");
  for (const std::string &network : networks) {
    SMP_ASSIGN_OR_RETURN(const Placed alone, place(network, false));
    SMP_ASSIGN_OR_RETURN(const Placed planned, place(network, true));
    SMP_ASSIGN_OR_RETURN(const double said, mebibytesSaid(planned.plan));
    std::printf("%-8s  %8.2f  %14.2f  %9.1f  %12.1f  %+5.2f%%\n",
                network.c_str(), alone.seconds, planned.seconds, said,
                planned.mebibytes, 100 * (said / planned.mebibytes - 1));
    std::fflush(stdout);
  }
  return Status();
}

int main(int argc, char **argv) {
  std::vector<std::string> networks(argv + 1, argv + argc);
  if (networks.empty())
    networks.assign(std::begin(kNetworks), std::end(kNetworks));
  const Status status = run(networks);
  if (status.ok())
    return 0;
  std::fprintf(stderr, "PlacingBench: %s\n", status.message().c_str());
  return 1;
}
