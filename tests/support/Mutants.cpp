// SPDX-License-Identifier: Apache-2.0
#include "Mutants.h"
#include "ModelMutator.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace smp {

namespace fs = std::filesystem;

static const char *const kFolders[] = {SMP_TEST_SOURCE_DIR "/conformance/cases",
                                       "/usr/share/libonnx-testdata/data/node"};
static constexpr unsigned kSecondsPerMutant = 60;

Mutants::Mutants(uint32_t seed) : seed(seed) {
  std::fprintf(stderr, "SMP_TEST_SEED=%u\n", seed);
  for (const char *folder : kFolders)
    readCases(folder);
  std::sort(cases.begin(), cases.end(),
            [](const Case &a, const Case &b) { return a.name < b.name; });
  // Not std::shuffle, which is another one in every library.
  std::mt19937 random(seed);
  for (size_t i = cases.size(); i > 1; --i)
    std::swap(cases[i - 1], cases[random() % i]);
}

void Mutants::readCases(const char *folder) {
  std::error_code missing;
  for (const auto &entry : fs::directory_iterator(folder, missing)) {
    std::ifstream file(entry.path() / "model.onnx", std::ios::binary);
    Case &recorded = cases.emplace_back();
    recorded.name = entry.path().filename().string();
    if (!recorded.model.ParseFromIstream(&file))
      cases.pop_back();
  }
}

Mutants::~Mutants() {
  alarm(0);
  std::fprintf(stderr, "\n");
}

std::string Mutants::next() {
  const Case &recorded = cases.at(number % cases.size());
  std::fprintf(stderr, "\rmutant %u of %s   ", number, recorded.name.c_str());
  alarm(kSecondsPerMutant);
  onnx::ModelProto model = recorded.model;
  ModelMutator(seed + number++).mutate(model);
  return model.SerializeAsString();
}

} // namespace smp
