// SPDX-License-Identifier: Apache-2.0
#include "Options.h"
#include "smp/tools/Arguments.h"
#include <CLI/CLI.hpp>

namespace smp {

using passes::Contiguity;
using passes::Objective;

namespace {

constexpr uint64_t kMostNodes = 1'000'000, kMostDevices = 1024;

/// Nodes, devices, width and seed.
SyntheticGraph syntheticOf(const std::vector<uint64_t> &numbers) {
  const uint64_t most[] = {kMostNodes, kMostDevices, numbers[0]};
  const char *names[] = {"nodes", "devices", "nodes in a layer"};
  for (size_t i = 0; i < std::size(most); ++i)
    if (numbers[i] == 0 || numbers[i] > most[i])
      throw CLI::ValidationError("--synth",
                                 std::to_string(numbers[i]) + " " + names[i] +
                                     "; there must be at least 1 and at most " +
                                     std::to_string(most[i]));
  return {uint32_t(numbers[0]), uint32_t(numbers[1]), uint32_t(numbers[2]),
          numbers[3]};
}

void addOptions(CLI::App &app, PartitionOptions &options) {
  auto *instance = app.add_option(
      "instance", options.instance,
      "The problem, as JSON: maxFPGAs, maxCPUs, maxSizePerFPGA, nodes (id, "
      "fpgaLatency, cpuLatency, size, supportedOnFpga, colorClass, "
      "isBackwardNode), edges (sourceId, destId, cost)");
  app.add_option_function<std::vector<uint64_t>>(
         "--synth",
         [&](const std::vector<uint64_t> &numbers) {
           options.synthetic = syntheticOf(numbers);
         },
         "Solve a drawn problem in place of a file's: so many nodes, on so "
         "many accelerators, in layers of so many, from a seed")
      ->type_name("NODES,DEVICES,WIDTH,SEED")
      ->delimiter(',')
      ->expected(4)
      ->excludes(instance);
  app.add_option("--pins", options.pins,
                 "Nodes whose device is decided: lines of an id and the number "
                 "of a device, accelerators first, then CPUs")
      ->type_name("FILE");
  app.add_option_function<std::string>(
         "--objective",
         [&](const std::string &text) {
           options.objective =
               text == "latency" ? Objective::Latency : Objective::Throughput;
         },
         "What is to be as low as possible: how long the busiest device needs "
         "for each of many microbatches (throughput, the default), or how long "
         "one request takes that is alone (latency)")
      ->check(CLI::IsMember({"throughput", "latency"}));
  app.add_option_function<std::string>(
         "--contiguous",
         [&](const std::string &text) {
           options.contiguity = text == "any"         ? Contiguity::Any
                                : text == "preferred" ? Contiguity::Preferred
                                                      : Contiguity::Required;
         },
         "Whether what a device sends may come back to it: any (the default), "
         "preferred (not, where that costs 2 % at most, or 25 % of training), "
         "or required (not)")
      ->check(CLI::IsMember({"any", "preferred", "required"}));
  auto *output =
      app.add_option("-o,--output", options.output,
                     "Write the placement and the proof of its bound")
          ->type_name("FILE");
  app.add_option("--verify", options.verified,
                 "Solve nothing: check a placement of this instance, and the "
                 "proof of its bound where it has one")
      ->type_name("FILE")
      ->excludes(output);
  app.add_option("--threads", options.threads,
                 "How many threads work (default: 2); the answer does not "
                 "depend on it")
      ->check(CLI::Range(1u, 1024u));
}

} // namespace

int PartitionOptions::parse(int argc, char **argv) {
  CLI::App app{
      "Places a graph on devices so that the busiest one is busy for as short "
      "as possible, or a request is done as soon as possible, and proves how "
      "short that can be. Prints one JSON object: "
      "the objective, a bound that no placement is below, the gap between them "
      "as a part of the objective, and the seconds it took."};
  addOptions(app, *this);
  app.footer("Examples:\n"
             "  smp-partition bert.json -o placement.json\n"
             "  smp-partition bert.json --pins pins.txt\n"
             "  smp-partition bert.json --objective latency\n"
             "  smp-partition bert.json --verify placement.json\n"
             "  smp-partition --synth 100000,64,8,1\n"
             "Exit code: 0, or 1 after one message on the standard error.");
  app.callback([this] {
    if (instance.empty() && !synthetic)
      throw CLI::RequiredError("instance or --synth");
  });
  return parseArguments(app, "smp-partition", argc, argv);
}

} // namespace smp
