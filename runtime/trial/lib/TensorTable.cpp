// SPDX-License-Identifier: Apache-2.0
#include "TensorTable.h"
#include <algorithm>

namespace smp {

static constexpr std::string_view kReductions = "smdebug/reductions/",
                                  kAbsolute = "abs_";

StoredReduction StoredReduction::parse(std::string_view text) {
  const bool isAbsolute = text.starts_with(kAbsolute);
  if (isAbsolute)
    text.remove_prefix(kAbsolute.size());
  if (text == "l1_norm" || text == "l2_norm")
    text = text.substr(0, 2);
  return {std::string(text), isAbsolute};
}

TensorTable::TensorTable(std::shared_ptr<const EventIndex::Tensors> listed)
    : tensors(std::move(listed)) {
  for (const Record &record : tensors->records)
    add(record);
  for (const EventIndex::SavedShape &shape : tensors->shapes)
    entry(shape.name).shape = &shape;
}

TensorTable::Entry &TensorTable::entry(std::string_view name) {
  const auto [found, isNew] = byName.try_emplace(name, all.size());
  if (isNew)
    all.push_back({name});
  return all[found->second];
}

/// "smdebug/reductions/abs_mean/a/b" is a reduction of "a/b".
void TensorTable::add(const Record &record) {
  const std::string_view name = record.name;
  const size_t slash = name.find('/', kReductions.size());
  if (!name.starts_with(kReductions) || slash == name.npos ||
      slash + 1 == name.size()) {
    entry(name).value = &record;
    return;
  }
  auto &reductions = entry(name.substr(slash + 1)).reductions;
  const StoredReduction reduction = StoredReduction::parse(
      name.substr(kReductions.size(), slash - kReductions.size()));
  const auto known = std::ranges::find(
      reductions, reduction, [](const auto &one) { return one.first; });
  if (known == reductions.end())
    reductions.emplace_back(reduction, &record);
  else
    known->second = &record;
}

const TensorTable::Record *
TensorTable::Entry::find(const StoredReduction &reduction) const {
  for (const auto &[known, record] : reductions)
    if (known == reduction)
      return record;
  return nullptr;
}

const TensorTable::Entry *TensorTable::find(std::string_view name) const {
  const auto found = byName.find(name);
  return found == byName.end() ? nullptr : &all[found->second];
}

} // namespace smp
