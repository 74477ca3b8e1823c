// SPDX-License-Identifier: Apache-2.0
// Faults that are planted in what was recorded: the crash model finds each.
#include "CrashRuns.h"

using namespace smp;
using namespace smp::test;

namespace {

using Kind = SaveEvent::Kind;

/// The first manifest is there, and not all that it names.
const std::string kLacksAFile =
    "there is no file '/runs/a/checkpoint'; 'ckpt-1': the checkpoint lacks a "
    "file: cannot read '/runs/a/ckpt-1.";
/// The first save was named, and is gone.
const std::string kIsGone =
    "names 'ckpt-1', which is not complete (there is no complete checkpoint "
    "'/runs/a/ckpt-1': ";

/// Two saves of two ranks, with a fault. The violation, which must be there.
class CrashFaultTest : public testing::Test {
protected:
  CrashFaultTest() : recording(recordSaves(2, 2)) {}

  template <typename Predicate>
  void drop(Predicate predicate) {
    EXPECT_GT(std::erase_if(recording, predicate), 0u);
  }
  void dropSyncsOf(const std::string &suffix) {
    drop([&](const SaveEvent &event) {
      return event.kind == Kind::SyncFile &&
             event.path.find(suffix + ".tmp-") != event.path.npos;
    });
  }
  /// The first event at or after `from` that is such a one of rank 0.
  template <typename Predicate>
  size_t find(size_t from, Predicate predicate) const {
    while (from < recording.size() &&
           (recording[from].rank != 0 || !predicate(recording[from])))
      ++from;
    EXPECT_LT(from, recording.size());
    return from;
  }
  size_t renameTo(const std::string &path, size_t from = 0) const {
    return find(from, [&](const SaveEvent &event) {
      return event.kind == Kind::Rename && event.to == path;
    });
  }
  size_t syncAfter(size_t from) const {
    return find(from, [&](const SaveEvent &event) {
      return event.kind == Kind::SyncFolder && event.path == kFolder;
    });
  }
  size_t reportOfFirst() const {
    return find(0, [](const SaveEvent &event) {
      return event.kind == Kind::Report && event.number == 1;
    });
  }
  void move(size_t from, size_t to) {
    SaveEvent event = recording[from];
    recording.erase(recording.begin() + ptrdiff_t(from));
    recording.insert(recording.begin() + ptrdiff_t(to - (to > from)),
                     std::move(event));
  }
  /// A violation that says this, before it lists what was lost.
  void expectFound(const std::string &text) {
    const std::string violation = crash(recording, 2).violation;
    ASSERT_NE(violation, "");
    const std::string said = violation.substr(0, violation.find("; lost are"));
    EXPECT_NE(said.find(text), said.npos) << violation;
  }

  Recording recording;
};

TEST_F(CrashFaultTest, WithoutOneNothingIsFound) {
  EXPECT_EQ(crash(recording, 2).violation, "");
}

TEST_F(CrashFaultTest, NoSyncOfData) {
  dropSyncsOf(".safetensors");
  expectFound(".safetensors: ");
}

TEST_F(CrashFaultTest, NoSyncOfTheManifest) {
  dropSyncsOf("ckpt-1.json");
  expectFound("ckpt-1.json: ");
}

TEST_F(CrashFaultTest, NoSyncOfTheFolder) {
  drop([](const SaveEvent &event) {
    return event.kind == Kind::SyncFolder && event.path == kFolder;
  });
  expectFound(kLacksAFile);
}

TEST_F(CrashFaultTest, NoSyncOfTheParent) {
  drop([](const SaveEvent &event) {
    return event.kind == Kind::SyncFolder && event.path == kParent;
  });
  expectFound("save 0 is restored; save 1 is reported");
}

TEST_F(CrashFaultTest, TheFolderIsSyncedBeforeTheRename) {
  // Of the manifest: with it a checkpoint counts, before it has been named.
  const size_t manifest = renameTo(kFolder + "/ckpt-1.json");
  for (size_t i = manifest; i < reportOfFirst(); ++i)
    if (recording[i].rank == 0 && recording[i].kind == Kind::SyncFolder)
      move(i, manifest);
  expectFound(kIsGone);
}

TEST_F(CrashFaultTest, ReportedBeforeTheLastSync) {
  const size_t report = reportOfFirst();
  move(report, syncAfter(renameTo(kFolder + "/ckpt-1.json")));
  expectFound("save 0 is restored; save 1 is reported");
}

TEST_F(CrashFaultTest, ReportedBeforeItIsNamedItCountsAllTheSame) {
  move(reportOfFirst(), renameTo(kFolder + "/checkpoint"));
  EXPECT_EQ(crash(recording, 2).violation, "");
}

TEST_F(CrashFaultTest, ThePredecessorIsDeletedBeforeTheManifestLasts) {
  const size_t manifest = renameTo(kFolder + "/ckpt-2.json");
  size_t at = manifest;
  for (size_t i = manifest; i < recording.size(); ++i)
    if ((recording[i].kind == Kind::Remove ||
         recording[i].kind == Kind::Rename) &&
        recording[i].path.find("/ckpt-1.") != recording[i].path.npos)
      move(i, at++);
  expectFound(kIsGone);
}

TEST_F(CrashFaultTest, FilesOfTheReplacedAreRemovedBeforeTheManifestLasts) {
  const CrashPlan replaced{.name = "Replaced", .number = 5};
  recording = recordSaves(2, 2, replaced);
  EXPECT_EQ(crash(recording, 2, {}, replaced).violation, "");
  const std::string path = kFolder + "/ckpt-5.json";
  const size_t manifest = renameTo(path, renameTo(path) + 1);
  for (size_t i = manifest; i < recording.size(); ++i)
    if (recording[i].kind == Kind::Remove &&
        recording[i].path.find("/ckpt-5.") != recording[i].path.npos)
      move(i, manifest + 1);
  expectFound("names 'ckpt-5', which is not complete (the checkpoint lacks a "
              "file: cannot read '/runs/a/ckpt-5.");
}

TEST_F(CrashFaultTest, CommittedBeforeTheBarrier) {
  // Rank 0 does not wait for what the others say after they have written.
  const size_t begin = find(
      0, [](const SaveEvent &event) { return event.kind == Kind::Rename; });
  size_t at = find(begin, [](const SaveEvent &event) {
    return event.kind == Kind::Receive;
  });
  recording.erase(recording.begin() + ptrdiff_t(at));
  expectFound(kLacksAFile);
}

TEST_F(CrashFaultTest, AManifestThatComesBackWithoutItsFilesDoesNoHarm) {
  const size_t removed = find(0, [](const SaveEvent &event) {
    return event.kind == Kind::Remove &&
           event.path == kFolder + "/ckpt-1.json.deleted";
  });
  recording.erase(recording.begin() + ptrdiff_t(syncAfter(removed)));
  EXPECT_EQ(crash(recording, 2).violation, "");
}

} // namespace
