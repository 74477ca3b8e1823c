// SPDX-License-Identifier: Apache-2.0
// Changes a PTX text by lines and words, so that what is made is often PTX too.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace {

using Random = std::minstd_rand;
using Pieces = std::vector<std::string_view>;

/// Lines, or runs of characters that are alike; joined they are the text.
Pieces cut(std::string_view text, bool byLines) {
  const auto isWord = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '%' || c == '_';
  };
  Pieces pieces;
  for (size_t start = 0, at = 1; start < text.size(); ++at) {
    const bool ends = at == text.size() ||
                      (byLines ? text[at - 1] == '\n'
                               : !isWord(text[at]) || !isWord(text[at - 1]));
    if (!ends)
      continue;
    pieces.push_back(text.substr(start, at - start));
    start = at;
  }
  return pieces;
}

void change(Pieces &pieces, Random &random) {
  static constexpr std::string_view kNew[] = {
      "0",          "-1",      "4294967296", "0x7fffffffffffffff",
      "1000000",    "%tid.x",  "%r1",        "%rd1",
      "%p1",        "{",       "}",          "|",
      "_",          ".u64",    ".b8",        ".s32",
      ".v2",        ".shared", ".global",    ".param",
      ".local",     ".func",   "call",       ".extern",
      ".align 4096"};
  const size_t to = random() % pieces.size();
  switch (random() % 5) {
  case 0:
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(to));
    break;
  case 1:
    std::swap(pieces[to], pieces[random() % pieces.size()]);
    break;
  case 2:
    pieces[to] = kNew[random() % std::size(kNew)];
    break;
  case 3:
    pieces[to] = pieces[random() % pieces.size()];
    break;
  default: {
    const std::string_view copied = pieces[random() % pieces.size()];
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(to), copied);
  }
  }
}

std::string join(const Pieces &pieces) {
  std::string text;
  for (const std::string_view piece : pieces)
    text += piece;
  return text;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  Random random(seed);
  if (size == 0 || random() % 4 == 0)
    return LLVMFuzzerMutate(data, size, most);
  const std::string text(reinterpret_cast<const char *>(data), size);
  Pieces pieces = cut(text, random() % 2);
  for (unsigned times = 1 + random() % 3; times > 0 && !pieces.empty(); --times)
    change(pieces, random);
  const std::string made = join(pieces);
  const size_t bytes = std::min(made.size(), most);
  std::copy_n(made.data(), bytes, data);
  return bytes;
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t aSize,
                                            const uint8_t *b, size_t bSize,
                                            uint8_t *out, size_t most,
                                            unsigned seed) {
  Random random(seed);
  const std::string texts[] = {{reinterpret_cast<const char *>(a), aSize},
                               {reinterpret_cast<const char *>(b), bSize}};
  Pieces of = cut(texts[0], true);
  const Pieces from = cut(texts[1], true);
  if (!from.empty())
    for (int lines = 0; lines < 4; ++lines)
      of.insert(of.begin() +
                    static_cast<std::ptrdiff_t>(random() % (of.size() + 1)),
                from[random() % from.size()]);
  const std::string made = join(of);
  const size_t bytes = std::min(made.size(), most);
  std::copy_n(made.data(), bytes, out);
  return bytes;
}
