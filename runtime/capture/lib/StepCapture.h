// SPDX-License-Identifier: Apache-2.0
// What is saved of which tensors.

#ifndef SMP_CAPTURE_STEPCAPTURE_H
#define SMP_CAPTURE_STEPCAPTURE_H

#include "Collections.h"
#include "StepFiles.h"
#include "smp/exec/StepObserver.h"
#include <map>

namespace smp {

/// A tensor that collections choose by its name.
class CapturedTensor {
public:
  /// In those that are saved of `collections`, which outlive it.
  CapturedTensor(std::string name, std::vector<const Collection *> having);

  /// A value that the program shows: what statistics tell is taken from them.
  static CapturedTensor shown(std::string name,
                              std::vector<const Collection *> having);
  /// One that is saved whole at any step, whatever collections say.
  static CapturedTensor always(std::string name);

  const std::string &name() const { return ownName; }
  const std::vector<const Collection *> &collections() const { return having; }
  /// Whether something of it is saved at the step.
  bool isSavedAt(Mode mode, uint64_t modeStep) const;
  /// Adds what its collections save of it at the step that `files` are of, its
  /// mean where one of them, or `isMetric`, makes it a metric, and what
  /// TensorBoard shows of it.
  Status save(const StepValue &value, bool isMetric, StepFiles &files);
  /// The same of a value that the program shows, for what follows from its
  /// statistics: records, of so many elements in each microbatch.
  Status saveStatistics(const StepValue &value, uint64_t elements,
                        StepRecords &records);
  /// The same of one microbatch alone, under a name of its own.
  CapturedTensor &ofMicrobatch(uint32_t microbatch);

private:
  std::vector<const Collection *> savedAt(const EventStep &step) const;
  void show(const StepValue &value, std::span<const Collection *const> saved,
            TensorboardEvents &events) const;

  std::string ownName;
  std::vector<const Collection *> having;
  bool isAlways = false;
  bool isShown = false;
  RecordOfName whole;
  struct Number {
    TensorReduction reduction;
    RecordOfName record;
  };
  std::vector<Number> numbers;       ///< Of all that any of `having` saves.
  std::vector<CapturedTensor> apart; ///< By microbatch.
};

/// A tensor that the application gives, not a step.
struct GivenTensor {
  std::string name;
  bool isScalar = false; ///< Whether it is saved whole at any step.
};

/// What steps of a program have.
struct ProgramTensors {
  static ProgramTensors of(const std::vector<EntrySignature> &entries);
  /// Of outputs and taps; the entry is there.
  const std::set<std::string> &namesOf(std::string_view entry) const {
    return entries.find(entry)->second;
  }

  std::set<std::string> outputs;
  std::map<std::string, Tap> taps; ///< What it shows, by name.
  /// Those of which each microbatch has a value.
  std::set<std::string, std::less<>> perMicrobatch;
  /// The names of outputs and taps, by entry.
  std::map<std::string, std::set<std::string>, std::less<>> entries;
};

/// Chooses among a program's outputs, what it shows, and what is given beside
/// them, by the collections of a configuration.
class StepCapture {
public:
  /// Fails for a wrong configuration, and for names that readers would
  /// misread.
  static StatusOr<StepCapture> prepare(const HookConfig &config,
                                       const ProgramTensors &tensors,
                                       std::span<const GivenTensor> given);

  /// Collections have tensors also by the names of so many microbatches.
  void nameMicrobatches(const ProgramTensors &program, std::string_view entry,
                        uint32_t count);
  /// Whether something of a step is saved, of the tensors with these names.
  bool isSavedAt(const std::set<std::string> &names, Mode mode,
                 uint64_t modeStep) const;
  /// What the collections need to see of a step beside its outputs.
  StepView wants(Mode mode, uint64_t modeStep) const;
  /// Collections that are saved and that only what the program shows would
  /// fill, but it shows nothing of theirs.
  std::vector<std::string> unfilled() const;

  /// The number of a tensor: the same for every configuration, however many
  /// more are given. Null: there is none.
  std::optional<uint32_t> find(std::string_view name) const;
  CapturedTensor &tensor(uint32_t number) { return tensors[number]; }
  std::span<const CapturedTensor> all() const { return tensors; }
  /// The text of the collections file.
  std::string collectionsFile(uint32_t workers) const {
    return collections.json(workers);
  }

private:
  StepCapture(Collections collections, bool showsHistograms)
      : collections(std::move(collections)), showsHistograms(showsHistograms) {}
  Status add(const std::string &name, bool isAlways);
  Status addShown(const Tap &tap);

  Collections collections;
  bool showsHistograms; // In TensorBoard, of those collections that have them.
  /// Outputs by name, what is shown by name, then what is given.
  std::vector<CapturedTensor> tensors;
  /// Of collections with something that is shown: what they need to see.
  std::map<const Collection *, StepView> views;
  std::map<std::string, uint32_t, std::less<>> numbers;
};

} // namespace smp

#endif // SMP_CAPTURE_STEPCAPTURE_H
