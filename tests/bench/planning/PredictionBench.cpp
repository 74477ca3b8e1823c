// SPDX-License-Identifier: Apache-2.0
// What plans say of steps on two devices of one core each, by costs that were
// measured of the program before it was divided, beside what steps take.
#include "Case.h"
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace smp;
using namespace smp::bench;

static constexpr const char *kNetworks[] = {"resnet50", "encoder", "char",
                                            "blocks", "resnet"};

static int fail(const std::string &what, const Status &status) {
  std::fprintf(stderr, "PredictionBench: %s: %s\n", what.c_str(),
               status.message().c_str());
  return 1;
}

/// The networks that are named, or all.
static int runAll(const std::vector<std::string> &wanted,
                  const std::string &self) {
  const std::string folder =
      (std::filesystem::temp_directory_path() / "smp-predictions-XXXXXX");
  std::string made = folder;
  if (!mkdtemp(made.data()))
    return fail(folder, unavailable("cannot be made"));
  std::printf("steps on two devices of one core each, ms; costs of the program "
              "before it was divided\n"
              "network   M   measured  predicted   error  without costs  by "
              "socket  measured kernels\n");
  double sum = 0, most = 0;
  int count = 0;
  for (const std::string &network : wanted)
    for (const uint32_t microbatches : {8u, 32u}) {
      StatusOr<CaseFigures> figures =
          runCase(network, microbatches, made, self);
      if (!figures.ok())
        return fail(network, figures.status());
      std::printf("%-8s %2u  %9.2f  %9.2f  %+5.1f%%  %8.1f %+5.0f%%  %9.2f  "
                  "%13.1f%%\n",
                  network.c_str(), microbatches, figures->measured * 1e3,
                  figures->predicted * 1e3, figures->error() * 100,
                  figures->unmeasured * 1e3,
                  (figures->unmeasured / figures->measured - 1) * 100,
                  figures->bySocket * 1e3, figures->share * 100);
      std::fflush(stdout);
      sum += std::abs(figures->error());
      most = std::max(most, std::abs(figures->error()));
      ++count;
    }
  std::printf("mean error %.1f%%, at most %.1f%%\n", 100 * sum / count,
              100 * most);
  std::error_code ignored;
  std::filesystem::remove_all(made, ignored);
  return 0;
}

int main(int argc, char **argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 4 && words[0] == "rank") {
    const Status status =
        runRank(words[1], words[2], uint32_t(std::atoi(words[3].c_str())));
    return status.ok() ? 0 : fail("rank 1", status);
  }
  if (words.empty())
    words.assign(std::begin(kNetworks), std::end(kNetworks));
  std::error_code ignored;
  return runAll(words,
                std::filesystem::read_symlink("/proc/self/exe", ignored));
}
