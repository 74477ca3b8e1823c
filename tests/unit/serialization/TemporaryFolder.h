// SPDX-License-Identifier: Apache-2.0
// A folder that is gone after the test.

#ifndef SMP_TESTS_UNIT_SERIALIZATION_TEMPORARYFOLDER_H
#define SMP_TESTS_UNIT_SERIALIZATION_TEMPORARYFOLDER_H

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace smp {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "smp-test-XXXXXX").string();
    root = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(root); }
  TemporaryFolder(const TemporaryFolder &) = delete;

  std::string path() const { return root.string(); }
  std::string file(const std::string &name) const {
    return (root / name).string();
  }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(file(name), std::ios::binary) << text;
  }
  std::string read(const std::string &name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void remove(const std::string &name) const {
    std::filesystem::remove(file(name));
  }
  /// Sorted.
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto &entry : std::filesystem::directory_iterator(root))
      result.push_back(entry.path().filename().string());
    std::sort(result.begin(), result.end());
    return result;
  }

private:
  std::filesystem::path root;
};

} // namespace smp

#endif // SMP_TESTS_UNIT_SERIALIZATION_TEMPORARYFOLDER_H
