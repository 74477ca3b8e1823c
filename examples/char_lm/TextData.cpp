// SPDX-License-Identifier: Apache-2.0
#include "TextData.h"
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace fs = std::filesystem;

namespace char_lm {

static std::string readAll(const std::set<fs::path> &files) {
  std::string all;
  for (const fs::path &file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::stringstream content;
    if (!stream || !(content << stream.rdbuf()))
      throw std::runtime_error("cannot read '" + file.string() + "'");
    all += content.str();
  }
  return all;
}

Text::Text(const std::string &path) {
  constexpr char kLicences[] = "/usr/share/common-licenses";
  std::set<fs::path> files;
  if (!path.empty())
    files.insert(path);
  else if (fs::is_directory(kLicences))
    for (const auto &entry : fs::directory_iterator(kLicences))
      if (entry.is_regular_file() && !entry.is_symlink())
        files.insert(entry.path());
  const std::string all = readAll(files);
  constexpr size_t kLeast = 10000;
  if (all.size() < kLeast)
    throw std::runtime_error("the text has " + std::to_string(all.size()) +
                             " characters; give one of " +
                             std::to_string(kLeast) + " at least with --text");
  const std::set<char> distinct(all.begin(), all.end());
  characters.assign(distinct.begin(), distinct.end());
  for (char c : all)
    tokens.push_back(int64_t(characters.find(c)));
}

void Batch::add(const std::vector<int64_t> &text, size_t start) {
  const auto from = text.begin() + std::ptrdiff_t(start);
  tokens.insert(tokens.end(), from, from + shape[1]);
  targets.insert(targets.end(), from + 1, from + 1 + shape[1]);
  ++shape[0];
}

std::vector<smp::InputTensor> Batch::inputs() const {
  return {{"tokens", {smp::DType::I64, shape, tokens.data()}},
          {"targets", {smp::DType::I64, shape, targets.data()}}};
}

uint64_t randomOf(uint64_t step, uint64_t index) {
  uint64_t x = (step << 20 | index) * 0x9e3779b97f4a7c15u + 1;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

} // namespace char_lm
