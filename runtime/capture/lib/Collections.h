// SPDX-License-Identifier: Apache-2.0
// The collections of a hook, and which tensors are in them.

#ifndef SMP_CAPTURE_COLLECTIONS_H
#define SMP_CAPTURE_COLLECTIONS_H

#include "smp/capture/HookConfig.h"
#include "smp/regex/Regex.h"
#include <deque>
#include <set>

namespace smp {

/// A collection of which nothing is left to say.
struct Collection {
  std::string name;
  std::vector<std::string> includeRegex;
  std::set<std::string, std::less<>> tensorNames;
  std::array<StepSelection, kNumModes> steps; ///< By the mode's number minus 1.
  ReductionConfig reductions;
  bool saveHistogram = true;
  bool isSaved = false;
  std::vector<Regex> regexes; ///< Of includeRegex.

  bool isSavedAt(Mode mode, uint64_t modeStep) const;
  StatusOr<bool> has(std::string_view tensor) const;
};

/// All collections that smp has a meaning for, and those of the configuration.
class Collections {
public:
  /// Fails as checkHookConfig() says.
  static StatusOr<Collections> of(const HookConfig &config);

  /// From now on the tensor is in the collection, which is there.
  void add(std::string_view tensor, std::string_view collection);
  /// Those that are saved and have the tensor, whose name they list from now
  /// on. They stay where they are.
  StatusOr<std::vector<const Collection *>> with(std::string_view tensor);
  /// Those of the names that are saved and have no tensor.
  std::vector<std::string>
  savedWithout(std::initializer_list<std::string_view> names) const;
  /// Fails for a collection of the configuration that can have no tensor.
  Status checkFilled() const;
  /// The text of the collections file of a folder that so many workers write.
  std::string json(uint32_t workers = 1) const;

private:
  Status include(std::string_view name,
                 const std::vector<std::string> &patterns);
  Collection *find(std::string_view name);
  std::deque<Collection> collections;
};

} // namespace smp

#endif // SMP_CAPTURE_COLLECTIONS_H
