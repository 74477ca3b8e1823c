// SPDX-License-Identifier: Apache-2.0
// Gives a fuzz target its seeds, where there is no libFuzzer: `Replay<name>
// LIST`, where LIST is a file of paths with commas between, as for
// -seed_inputs=@LIST.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int argc, char **argv) {
  std::ifstream list(argc == 2 ? argv[1] : "");
  int count = 0;
  for (std::string path; std::getline(list, path, ','); ++count) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "cannot read the seed %s\n", path.c_str());
      return 1;
    }
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    // Said first, in case that it is the last that is said.
    std::fprintf(stderr, "%s\n", path.c_str());
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(bytes.data()),
                           bytes.size());
  }
  std::fprintf(stderr, "%d seeds\n", count);
  return count > 0 ? 0 : 1;
}
