// SPDX-License-Identifier: Apache-2.0
// What an index file lists, by tensor.

#ifndef SMP_TRIAL_TENSORTABLE_H
#define SMP_TRIAL_TENSORTABLE_H

#include "smp/serialization/EventIndex.h"
#include "smp/trial/TrialTypes.h"
#include <unordered_map>

namespace smp {

class TensorTable {
public:
  using Record = EventIndex::Record;
  /// What was saved of a tensor; records are null where there is none.
  struct Entry {
    std::string_view name;
    const Record *value = nullptr;
    const EventIndex::SavedShape *shape = nullptr;
    std::vector<std::pair<StoredReduction, const Record *>> reductions = {};

    const Record *find(const StoredReduction &reduction) const;
  };

  /// Of a name that is listed twice, the last record counts.
  explicit TensorTable(std::shared_ptr<const EventIndex::Tensors> tensors);
  TensorTable(const TensorTable &) = delete;

  /// In the order in which they were saved.
  const std::vector<Entry> &entries() const { return all; }
  const Entry *find(std::string_view name) const;

private:
  Entry &entry(std::string_view name);
  void add(const Record &record);

  const std::shared_ptr<const EventIndex::Tensors> tensors;
  std::vector<Entry> all;
  std::unordered_map<std::string_view, size_t> byName;
};

} // namespace smp

#endif // SMP_TRIAL_TENSORTABLE_H
