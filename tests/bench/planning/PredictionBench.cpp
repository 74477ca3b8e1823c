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

namespace {

/// A folder that is there as long as this.
struct Folder {
  Folder()
      : path(std::filesystem::temp_directory_path() /
             "smp-predictions-XXXXXX") {
    if (!mkdtemp(path.data()))
      path.clear();
  }
  ~Folder() {
    std::error_code ignored;
    if (!path.empty())
      std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder &) = delete;

  std::string path;
};

} // namespace

static void print(const std::string &network, const CaseFigures &figures) {
  std::printf(
      "%-8s %2u  %9.2f  %9.2f  %+5.1f%%  %8.1f %+5.0f%%  %9.2f  "
      "%13.1f%%  %8.0f%%\n",
      network.c_str(), figures.microbatches, figures.measured * 1e3,
      figures.predicted * 1e3, figures.error() * 100, figures.unmeasured * 1e3,
      (figures.unmeasured / figures.measured - 1) * 100, figures.bySocket * 1e3,
      figures.share * 100, figures.disturbed * 100);
  std::fflush(stdout);
}

static Status runAll(const std::vector<std::string> &networks,
                     const std::string &folder, const std::string &self) {
  std::printf("steps on two devices of one core each, ms; costs of the program "
              "before it was divided\n"
              "network   M   measured  predicted   error  without costs  by "
              "socket  measured kernels  disturbed\n");
  double sum = 0, most = 0;
  int count = 0;
  for (const std::string &network : networks) {
    SMP_ASSIGN_OR_RETURN(const std::vector<CaseFigures> all,
                         runCases(network, folder, self));
    for (const CaseFigures &figures : all) {
      print(network, figures);
      sum += std::abs(figures.error());
      most = std::max(most, std::abs(figures.error()));
      ++count;
    }
  }
  std::printf("mean error %.1f%%, at most %.1f%%\n", 100 * sum / count,
              100 * most);
  return Status();
}

static Status run(std::vector<std::string> words) {
  if (words.size() == 4 && words[0] == "rank")
    return runRank(words[1], words[2], uint32_t(std::atoi(words[3].c_str())));
  const Folder folder;
  if (folder.path.empty())
    return unavailable("no temporary folder can be made");
  if (words.empty())
    words.assign(std::begin(kNetworks), std::end(kNetworks));
  std::error_code ignored;
  return runAll(words, folder.path,
                std::filesystem::read_symlink("/proc/self/exe", ignored));
}

int main(int argc, char **argv) {
  const Status status = run({argv + 1, argv + argc});
  if (status.ok())
    return 0;
  std::fprintf(stderr, "PredictionBench: %s\n", status.message().c_str());
  return 1;
}
