// SPDX-License-Identifier: Apache-2.0
#include "smp/model/TensorReduction.h"
#include <charconv>

namespace smp {
namespace {

using Kind = TensorReduction::Kind;

struct Name {
  Kind kind;
  std::string_view stored, configured;

  std::string_view in(ReductionWords words) const {
    return words == ReductionWords::Stored ? stored : configured;
  }
};

constexpr Name kNames[] = {
    {Kind::Min, "min", "min"},
    {Kind::Max, "max", "max"},
    {Kind::Mean, "mean", "mean"},
    {Kind::Std, "std", "std"},
    {Kind::Variance, "variance", "variance"},
    {Kind::Sum, "sum", "sum"},
    {Kind::Prod, "prod", "prod"},
    {Kind::Quantile, "median", "median"},
    {Kind::Nans, "nan_count", "nan_count"},
    {Kind::Infs, "inf_count", "inf_count"},
    {Kind::L1, "l1", "l1_norm"},
    {Kind::L2, "l2", "l2_norm"},
};

constexpr std::string_view kAbsolute = "abs_", kQuantile = "quantile_";

} // namespace

/// Of what follows "quantile_".
static std::optional<double> parseQuantile(std::string_view text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(number >= 0 && number <= 1))
    return std::nullopt;
  return number + 0.0; // Of -0 zero.
}

std::optional<TensorReduction> parseReduction(std::string_view name,
                                              ReductionWords words) {
  TensorReduction reduction;
  reduction.ofAbsolute = name.starts_with(kAbsolute);
  if (reduction.ofAbsolute)
    name.remove_prefix(kAbsolute.size());
  for (const Name &each : kNames)
    if (each.in(words) == name) {
      reduction.kind = each.kind;
      return reduction;
    }
  if (!name.starts_with(kQuantile))
    return std::nullopt;
  const auto quantile = parseQuantile(name.substr(kQuantile.size()));
  if (!quantile)
    return std::nullopt;
  reduction.kind = Kind::Quantile;
  reduction.quantile = *quantile;
  return reduction;
}

std::string toString(const TensorReduction &reduction, ReductionWords words) {
  std::string name(reduction.ofAbsolute ? kAbsolute : "");
  if (reduction.kind == Kind::Quantile && reduction.quantile != 0.5) {
    char digits[32];
    const auto end =
        std::to_chars(digits, digits + sizeof(digits), reduction.quantile).ptr;
    return name.append(kQuantile).append(digits, end);
  }
  for (const Name &each : kNames)
    if (each.kind == reduction.kind)
      name += each.in(words);
  return name;
}

std::string listReductions(ReductionWords words) {
  std::string list;
  for (const Name &each : kNames)
    list.append(each.in(words)).append(", ");
  return list.append(kQuantile)
      .append("0.05 and the like from 0 to 1, each also after ")
      .append(kAbsolute);
}

} // namespace smp
