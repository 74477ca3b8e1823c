// SPDX-License-Identifier: Apache-2.0
// What a trial knows of its folder.

#ifndef SMP_TRIAL_TRIALSTATE_H
#define SMP_TRIAL_TRIALSTATE_H

#include "FolderWatch.h"
#include "SavedSteps.h"
#include "TrialFolder.h"
#include "smp/serialization/EventCollections.h"
#include "smp/serialization/EventRecord.h"
#include "smp/trial/Trial.h"

namespace smp {

struct Trial::State {
  State(TrialFolder folder, TrialOptions options)
      : folder(std::move(folder)), options(options) {}

  Status readCollections();
  Status refresh();
  Status awaitChange(std::chrono::milliseconds timeout);

  /// A tensor of one step from one worker.
  struct Found {
    uint64_t globalStep;
    const WorkerFile *file;
    const TensorTable::Entry *entry;
  };
  StatusOr<Found> find(std::string_view name, const TensorPlace &place) const;
  /// Null when no worker, or not that one, saved it in the step.
  static const WorkerFile *fileWith(const SavedStep &step,
                                    std::string_view name,
                                    std::string_view worker);
  Status checkName(std::string_view name) const;

  /// A record and the memory that it is in.
  struct Loaded {
    EventRecord record;
    std::vector<std::byte> bytes;
  };
  /// Fails with DataLoss also when it is another record than the index says.
  Status load(uint64_t globalStep, const WorkerFile &file,
              const TensorTable::Record &listed, Loaded &loaded) const;
  StatusOr<Loaded> loadValue(std::string_view name,
                             const TensorPlace &place) const;

  TrialFolder folder;
  TrialOptions options;
  EventCollections collections;
  SavedSteps steps;
  std::set<std::string, std::less<>> names; // Of all tensors.
  std::vector<std::string> orderedNames;    // As they came.
  std::vector<std::string> problems;

private:
  struct Read;
  Status readFiles(const std::vector<IndexFile> &files,
                   std::vector<Read> &results) const;
  void add(const IndexFile &file, Read read);
  void watchFolders();

  std::unique_ptr<FolderWatch> watch;   // Once somebody has waited.
  std::set<const TensorTable *> tables; // Whose names are known.
};

/// Of a value without texts.
double reduce(const StoredReduction &reduction, const EventRecord &record);
/// Fails when there is no such reduction.
Status checkReduction(const StoredReduction &reduction);

} // namespace smp

#endif // SMP_TRIAL_TRIALSTATE_H
