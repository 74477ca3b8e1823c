// SPDX-License-Identifier: Apache-2.0
#include "smp/model/DType.h"
#include "smp/model/TypeBounds.h"
#include <array>

namespace smp {

namespace {
struct Names {
  std::string_view own;
  std::string_view safetensors;
};
} // namespace

/// Indexed by the DType's number.
static constexpr Names kNames[kNumDTypes] = {
    {"f64", "F64"},   {"f32", "F32"}, {"bf16", "BF16"}, {"f16", "F16"},
    {"i64", "I64"},   {"i32", "I32"}, {"i16", "I16"},   {"i8", "I8"},
    {"u64", "U64"},   {"u32", "U32"}, {"u16", "U16"},   {"u8", "U8"},
    {"bool", "BOOL"},
};

using NumberName = std::array<char, sizeof("dtype 255")>;

/// Indexed by numbers that are no DType's, as by all others: whoever is given a
/// name keeps it.
static constexpr auto kNumberNames = [] {
  std::array<NumberName, 256> names = {};
  for (unsigned number = 0; number < names.size(); ++number) {
    auto *end = names[number].begin();
    for (const char letter : std::string_view("dtype "))
      *end++ = letter;
    for (unsigned unit = number < 10    ? 1
                         : number < 100 ? 10
                                        : 100;
         unit; unit /= 10)
      *end++ = char('0' + number / unit % 10);
  }
  return names;
}();

static std::optional<DType> parse(std::string_view name,
                                  std::string_view Names::*which) {
  for (uint8_t i = 0; i < kNumDTypes; ++i)
    if (kNames[i].*which == name)
      return static_cast<DType>(i);
  return std::nullopt;
}

std::string_view toString(DType type) {
  const auto number = static_cast<uint8_t>(type);
  return isDType(type) ? kNames[number].own : kNumberNames[number].data();
}

std::optional<DType> parseDType(std::string_view name) {
  return parse(name, &Names::own);
}

std::string_view toSafetensors(DType type) {
  return isDType(type) ? kNames[static_cast<uint8_t>(type)].safetensors : "";
}

std::optional<DType> parseSafetensorsDType(std::string_view name) {
  return parse(name, &Names::safetensors);
}

} // namespace smp
