// SPDX-License-Identifier: Apache-2.0
// Roots: lists, maps, values with two names, with none to save, the counter.
#include "CheckpointHelpers.h"
#include "smp/serialization/CheckpointManifest.h"

using namespace smp;
using namespace smp::test;

namespace {

using Names = std::vector<std::string>;

/// Counts how often it is asked for what.
struct Asked : Saveable {
  explicit Asked(int64_t value = 0) : value(value) {}
  StatusOr<SavedValue> save() const override {
    ++saves;
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return SavedValue{DType::I64, {}, {bytes.begin(), bytes.end()}};
  }
  Status check(const TensorView &) const override { return Status(); }
  void restore(const TensorView &given) override {
    ++restores;
    value = *static_cast<const int64_t *>(given.data);
  }
  bool hasData() const override { return isThere; }

  int64_t value;
  mutable int saves = 0;
  int restores = 0;
  bool isThere = true;
};

class RootsTest : public testing::Test {
protected:
  CheckpointManager managerOf(const Checkpoint &checkpoint) {
    return CheckpointManager(checkpoint, {.directory = folder.path()});
  }
  CheckpointManifest manifestOf(const std::string &name) {
    auto parsed = parseCheckpointManifest(folder.read(name + ".json"));
    EXPECT_TRUE(parsed.ok()) << parsed.status().message();
    return parsed.ok() ? parsed.take() : CheckpointManifest();
  }
  Names keysOf(const std::string &name) {
    Names keys;
    for (const CheckpointManifest::Item &item : manifestOf(name).items)
      keys.push_back(item.key);
    return keys;
  }
  static Names namesOf(const Checkpoint &checkpoint) {
    Names names;
    for (const Checkpoint::Root &root : checkpoint.roots())
      names.push_back(root.name());
    return names;
  }

  TemporaryFolder folder;
};

TEST_F(RootsTest, ListsAndMapsAreKeysInTheOrderOfNames) {
  int64_t a = 1, b = 2, c = 3;
  double d = 0.5;
  std::string text = "text";
  const Checkpoint checkpoint{
      {"layers", {a, {b, text}}},
      {"heads", {{"z", c}, {"a", {{"in", d}}}}},
  };
  ASSERT_TRUE(checkpoint.check().ok()) << checkpoint.check().message();
  const Names names{"heads/a/in", "heads/z",    "layers/0",
                    "layers/1/0", "layers/1/1", "save_counter"};
  EXPECT_EQ(namesOf(checkpoint), names);
  CheckpointManager manager = managerOf(checkpoint);
  save(manager);
  EXPECT_EQ(keysOf("ckpt-1"), names);
  a = b = c = 0, d = 0, text.clear();
  EXPECT_TRUE(restore(manager));
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 2);
  EXPECT_EQ(c, 3);
  EXPECT_EQ(d, 0.5);
  EXPECT_EQ(text, "text");
}

TEST_F(RootsTest, ListsHaveTheirOwnOrderAndMayBeMadeAtRunTime) {
  std::vector<int64_t> values(12);
  std::vector<Checkpoint::Object> list;
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = int64_t(i);
    list.emplace_back(values[i]);
  }
  const Checkpoint checkpoint{{"list", Checkpoint::Object(list)}};
  const Names names = namesOf(checkpoint);
  ASSERT_EQ(names.size(), 13u);
  EXPECT_EQ(names[2], "list/2");
  EXPECT_EQ(names[11], "list/11");
}

TEST_F(RootsTest, AListThatGrewLacksWhatIsNew) {
  int64_t a = 1, b = 2, c = 3;
  CheckpointManager two = managerOf(Checkpoint{{"list", {a, b}}});
  save(two);
  CheckpointManager three = managerOf(Checkpoint{{"list", {a, b, c}}});
  EXPECT_NE(three.restore().status().message().find("it lacks 'list/2';"),
            std::string::npos);
  CheckpointManager one = managerOf(Checkpoint{{"list", {a}}});
  EXPECT_NE(one.restore().status().message().find("it has 'list/1', which"),
            std::string::npos);
}

TEST_F(RootsTest, ANameThatTheRootHasIsRefused) {
  Trained session, other;
  int64_t epoch = 0;
  EXPECT_EQ(Checkpoint(session, {{"model", epoch}}).check().message(),
            "Cannot create a Checkpoint with keyword argument model if "
            "root.model already exists.");
  EXPECT_EQ(Checkpoint(session, {{"random", other}}).check().message(),
            "Cannot create a Checkpoint with keyword argument random if "
            "root.random already exists.");
  const Checkpoint same(session, {{"model", session}, {"epoch", epoch}});
  EXPECT_TRUE(same.check().ok()) << same.check().message();
  EXPECT_EQ(namesOf(same), (Names{"epoch", "model", "optimizer", "random",
                                  "save_counter", "state"}));
}

TEST_F(RootsTest, NamesOfMapsAndSessionsInThemAreRefused) {
  Trained session;
  int64_t epoch = 0;
  EXPECT_EQ((Checkpoint{{"data", {{"a b", epoch}}}}.check().message()),
            "a root of a Checkpoint is named 'a b'; a name has letters, "
            "digits, '_', '-' and '.'");
  EXPECT_EQ(
      (Checkpoint{{"data", {{"a", epoch}, {"a", epoch}}}}.check().message()),
      "two roots of a Checkpoint are named 'data/a'");
  EXPECT_EQ((Checkpoint{{"nets", {session}}}.check().message()),
            "a root of a Checkpoint has a Session and the name 'nets/0'; a "
            "Session has model, optimizer, state and random");
}

TEST_F(RootsTest, AnObjectUnderTwoNamesIsSavedAndRestoredOnce) {
  Asked object(7);
  int64_t number = 5;
  CheckpointManager manager = managerOf(Checkpoint{
      {"b", object}, {"a", object}, {"list", {number, object, number}}});
  save(manager);
  EXPECT_EQ(object.saves, 1);
  EXPECT_EQ(keysOf("ckpt-1"), (Names{"a", "list/0", "save_counter"}));
  using Name = CheckpointManifest::Name;
  EXPECT_EQ(
      manifestOf("ckpt-1").names,
      (std::vector<Name>{{"b", "a"}, {"list/1", "a"}, {"list/2", "list/0"}}));
  object.value = 0;
  number = 0;
  const auto report = manager.restore();
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(object.restores, 1);
  EXPECT_EQ(object.value, 7);
  EXPECT_EQ(number, 5);
  EXPECT_EQ(report->matched,
            (Names{"a", "b", "list/1", "list/0", "list/2", "save_counter"}));
  EXPECT_TRUE(report->assertConsumed().ok());

  // Two objects now: both get the value.
  Asked first, second;
  CheckpointManager later = managerOf(Checkpoint{
      {"a", first}, {"b", second}, {"list", {number, first, number}}});
  EXPECT_TRUE(restore(later));
  EXPECT_EQ(first.value, 7);
  EXPECT_EQ(second.value, 7);
}

TEST_F(RootsTest, OneObjectForTwoValuesTakesTheFirst) {
  Asked first(1), second(2), both;
  CheckpointManager saving = managerOf(Checkpoint{{"a", first}, {"b", second}});
  save(saving);
  CheckpointManager manager = managerOf(Checkpoint{{"a", both}, {"b", both}});
  EXPECT_NE(manager.restore().status().message().find("it has 'b', which"),
            std::string::npos);
  const auto report = manager.restore({.expectPartial = true});
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(both.value, 1);
  EXPECT_EQ(report->matched, (Names{"a", "save_counter"}));
  EXPECT_EQ(report->extra, Names{"b"});
}

TEST_F(RootsTest, AValueWithoutDataIsListed) {
  Asked object(1);
  object.isThere = false;
  int64_t epoch = 3;
  const Checkpoint checkpoint{{"epoch", epoch}, {"graph", object}};
  CheckpointManager manager = managerOf(checkpoint);
  save(manager);
  EXPECT_EQ(object.saves, 0);
  EXPECT_EQ(keysOf("ckpt-1"), (Names{"epoch", "save_counter"}));
  EXPECT_EQ(manifestOf("ckpt-1").names,
            (std::vector<CheckpointManifest::Name>{{"graph", ""}}));
  const auto report = manager.restore();
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->matched, (Names{"epoch", "graph", "save_counter"}));
  EXPECT_EQ(object.restores, 0);

  object.isThere = true;
  EXPECT_EQ(manager.save().status().message(),
            "Saveable keys changed when validating. Got back 'epoch', 'graph', "
            "'save_counter', was expecting 'epoch', 'save_counter'; what has "
            "data is fixed when the Checkpoint is made");
  EXPECT_EQ(manager.latest(), folder.file("ckpt-1"));
}

TEST_F(RootsTest, AValueOfTheWrongSizeIsRefused) {
  struct Short : Asked {
    StatusOr<SavedValue> save() const override {
      return SavedValue{DType::F32, {3}, std::vector<std::byte>(11)};
    }
  } value;
  CheckpointManager manager = managerOf(Checkpoint{{"data", value}});
  EXPECT_EQ(
      manager.save().status().message(),
      "value 'data': it gives 11 bytes as f32[3]; they must be as many as "
      "that has");
}

TEST_F(RootsTest, SavesAreCounted) {
  int64_t epoch = 0;
  const Checkpoint checkpoint{{"epoch", epoch}};
  {
    CheckpointManager manager = managerOf(checkpoint);
    save(manager);
    save(manager);
  }
  EXPECT_EQ(checkpoint.saveCounter(), 2);

  int64_t counter = 100; // The application's own.
  const Checkpoint own{{"epoch", epoch}, {"save_counter", counter}};
  CheckpointManager later = managerOf(own);
  EXPECT_TRUE(restore(later));
  EXPECT_EQ(counter, 2);
  save(later);
  EXPECT_EQ(counter, 3);
  EXPECT_EQ(own.saveCounter(), 3);

  std::string text;
  const char *message = "the root 'save_counter' counts saves; it must be an "
                        "int64_t";
  EXPECT_EQ((Checkpoint{{"save_counter", text}}.check().message()), message);
  EXPECT_EQ((Checkpoint{{"save_counter", {counter}}}.check().message()),
            message);
}

//===----------------------------------------------------------------------===//
// Without a manager
//===----------------------------------------------------------------------===//

TEST_F(RootsTest, ACheckpointIsSavedAndRestoredByPath) {
  Trained session;
  session.step();
  int64_t epoch = 4;
  const Checkpoint checkpoint(session, {{"epoch", epoch}});
  const Values saved = session.values();
  const auto path = checkpoint.save(folder.file("run/best"));
  ASSERT_TRUE(path.ok()) << path.status().message();
  EXPECT_EQ(*path, folder.file("run/best-1"));
  session.step();
  epoch = 5;
  EXPECT_EQ(*checkpoint.save(folder.file("run/best")),
            folder.file("run/best-2"));
  const auto report = checkpoint.restore(*path);
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_EQ(report->path, *path);
  EXPECT_TRUE(report->assertConsumed().ok());
  EXPECT_EQ(savedOf(session.values()), savedOf(saved));
  EXPECT_EQ(epoch, 4);

  // A manager knows it.
  CheckpointManager manager(
      checkpoint, {.directory = folder.file("run"), .checkpointName = "best"});
  EXPECT_EQ(manager.latest(), folder.file("run/best-2"));
  EXPECT_TRUE(restore(manager));
  EXPECT_EQ(epoch, 5);
}

TEST_F(RootsTest, AnEmptyPathRestoresNothingAndSaysSo) {
  Trained session;
  const Values before = session.values();
  const auto report = Checkpoint(session).restore("");
  ASSERT_TRUE(report.ok()) << report.status().message();
  EXPECT_FALSE(*report);
  EXPECT_EQ(session.values(), before);
  EXPECT_EQ(report->assertConsumed().message(),
            "nothing was restored: there was no checkpoint to restore");
}

TEST_F(RootsTest, PathsThatNameNothingAreErrors) {
  int64_t epoch = 0;
  const Checkpoint checkpoint{{"epoch", epoch}};
  EXPECT_EQ(checkpoint.save(folder.file("")).status().message(),
            "'" + folder.file("") +
                "' does not end in the name of a checkpoint, as 'run/ckpt' "
                "does");
  const Status none = checkpoint.restore(folder.file("ckpt-7")).status();
  EXPECT_EQ(none.code(), StatusCode::Unavailable);
  EXPECT_NE(none.message().find(folder.file("ckpt-7")), std::string::npos);
  EXPECT_EQ(checkpoint.restore(folder.file("ckpt-7"), {.fallBack = true})
                .status()
                .message(),
            "'" + folder.file("ckpt-7") +
                "' is one checkpoint; fallBack, which takes another one, is "
                "for a CheckpointManager");
}

} // namespace
