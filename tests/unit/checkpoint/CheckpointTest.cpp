// SPDX-License-Identifier: Apache-2.0
// What is saved comes back, to the bit, or not at all.
#include "CheckpointHelpers.h"
#include "smp/model/KernelAbi.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/Safetensors.h"

using namespace smp;
using namespace smp::test;

namespace {

class CheckpointTest : public testing::Test {
protected:
  CheckpointManagerOptions here() {
    CheckpointManagerOptions options;
    options.directory = folder.path();
    return options;
  }
  std::string path(const std::string &name) { return folder.file(name); }

  TemporaryFolder folder;
};

/// Does not restore, and says why; nothing changes.
void expectRefused(Trained &session, CheckpointManager &manager,
                   StatusCode code, const std::string &message) {
  const Values before = session.values();
  const StatusOr<RestoreReport> restored = manager.restore();
  ASSERT_FALSE(restored.ok());
  EXPECT_EQ(restored.status().code(), code);
  EXPECT_EQ(restored.status().message(), message);
  EXPECT_EQ(session.values(), before);
}

TEST_F(CheckpointTest, ASessionComesBackToTheBit) {
  Trained first;
  for (int i = 0; i < 3; ++i)
    first.step();
  CheckpointManager saving(first, here());
  EXPECT_EQ(save(saving), path("ckpt-1"));
  const Values saved = first.values();
  first.step();

  Trained second; // Which has made no step.
  CheckpointManager restoring(second, here());
  EXPECT_TRUE(restore(restoring));
  EXPECT_EQ(savedOf(second.values()), savedOf(saved));
  second.step();
  EXPECT_EQ(savedOf(second.values()), savedOf(first.values()));
  EXPECT_EQ(second->steps(), (StepCounts{4, 0, 0, 0}));
  EXPECT_TRUE(second.warnings.empty());
}

TEST_F(CheckpointTest, WithoutACheckpointNothingIsRestored) {
  Trained session;
  const Values before = session.values();
  CheckpointManager manager(session, here());
  ASSERT_TRUE(manager.status().ok());
  EXPECT_EQ(manager.latest(), "");
  EXPECT_FALSE(restore(manager));
  EXPECT_EQ(session.values(), before);
  EXPECT_TRUE(folder.names().empty());

  CheckpointManager nowhere(session, {.directory = path("none/at/all")});
  EXPECT_FALSE(restore(nowhere));
  EXPECT_EQ(save(nowhere), path("none/at/all/ckpt-1"));
}

TEST_F(CheckpointTest, ParametersAreAPlainFile) {
  Trained session;
  session.step();
  CheckpointManager manager(session, here());
  save(manager);
  EXPECT_EQ(folder.names(),
            (std::vector<std::string>{
                "checkpoint", "ckpt-1.json", "ckpt-1.model.safetensors",
                "ckpt-1.state.safetensors", "ckpt.lock"}));
  auto model = Safetensors::open(path("ckpt-1.model.safetensors"));
  ASSERT_TRUE(model.ok()) << model.status().message();
  ASSERT_EQ(model->tensors().size(), 2u);
  const SafetensorsTensor *w = model->find("w");
  ASSERT_NE(w, nullptr);
  EXPECT_EQ(w->type, kTensor);
  EXPECT_TRUE(std::ranges::equal(w->bytes, session.values()["w"]));
  auto state = Safetensors::open(path("ckpt-1.state.safetensors"));
  ASSERT_TRUE(state.ok()) << state.status().message();
  std::vector<std::string> names;
  for (const SafetensorsTensor &tensor : state->tensors())
    names.push_back(tensor.name);
  EXPECT_EQ(names, (std::vector<std::string>{"optimizer/b.m", "optimizer/w.m",
                                             "random/key", "save_counter",
                                             "state/mean"}));
  auto manifest = parseCheckpointManifest(folder.read("ckpt-1.json"));
  ASSERT_TRUE(manifest.ok()) << manifest.status().message();
  EXPECT_EQ(manifest->items[0].key, "model/w");
  EXPECT_EQ(manifest->roots.size(), 4u);
  EXPECT_EQ(manifest->roots[0].program, session->fingerprint());
  EXPECT_EQ(manifest->roots[0].kinds, session->memory()[0].kind);
}

/// A generator of the application's that counts up.
struct Counter : Saveable {
  StatusOr<SavedValue> save() const override {
    return SavedValue{DType::U8, {1}, {std::byte(count)}};
  }
  Status check(const TensorView &value) const override {
    return value.dtype == DType::U8 && value.shape.size() == 1 &&
                   value.shape[0] == 1
               ? Status()
               : invalidArgument("no counter");
  }
  void restore(const TensorView &value) override {
    count = *static_cast<const uint8_t *>(value.data);
  }
  uint8_t count = 0;
};

TEST_F(CheckpointTest, ValuesOfTheApplicationComeBack) {
  Trained session;
  int64_t epoch = -7;
  double best = 0.1;
  std::string position("a\0\xff", 3), nothing;
  Counter counter;
  counter.count = 200;
  Checkpoint checkpoint{{"model", session},   {"epoch", epoch},
                        {"best", best},       {"position", position},
                        {"nothing", nothing}, {"counter", counter}};
  CheckpointManager manager(checkpoint, here());
  save(manager);
  epoch = 0, best = 0, position = "b", nothing = "something", counter.count = 0;
  EXPECT_TRUE(restore(manager));
  EXPECT_EQ(epoch, -7);
  EXPECT_EQ(best, 0.1);
  EXPECT_EQ(position, std::string("a\0\xff", 3));
  EXPECT_EQ(nothing, "");
  EXPECT_EQ(counter.count, 200);
}

TEST_F(CheckpointTest, AValueOfAnotherTypeIsRefusedBeforeAnythingChanges) {
  Trained session;
  int64_t epoch = 3;
  CheckpointManager saving(Checkpoint{{"model", session}, {"epoch", epoch}},
                           here());
  save(saving);
  session.step();
  std::string text = "as it was";
  CheckpointManager manager(Checkpoint{{"model", session}, {"epoch", text}},
                            here());
  expectRefused(session, manager, StatusCode::InvalidArgument,
                "checkpoint '" + path("ckpt-1") +
                    "' does not fit the program: value 'epoch': the checkpoint "
                    "has a i64 of rank 0; text was to be restored; restore "
                    "into what was saved");
  EXPECT_EQ(text, "as it was");
}

TEST_F(CheckpointTest, RootsThatAreNotNamedAreLeftOutAndSaid) {
  Trained first;
  first.step();
  int64_t epoch = 3;
  CheckpointManager saving(
      Checkpoint{{"model", first}, {"optimizer", first}, {"epoch", epoch}},
      here());
  save(saving);
  Trained second;
  const Values before = second.values();
  CheckpointManager manager(Checkpoint{{"model", second}}, here());
  EXPECT_TRUE(restore(manager));
  EXPECT_EQ(second.values()["w"], first.values()["w"]);
  EXPECT_EQ(second.values()["b.m"], before.at("b.m"));
  ASSERT_EQ(second.warnings.size(), 1u);
  EXPECT_EQ(second.warnings[0],
            "checkpoint '" + path("ckpt-1") +
                "' has the roots 'optimizer', 'epoch', which were not "
                "restored: the Checkpoint does not name them");
}

TEST_F(CheckpointTest, ARootThatIsNotThereIsAnError) {
  Trained session;
  CheckpointManager saving(Checkpoint{{"model", session}}, here());
  save(saving);
  session.step();
  const std::string who =
      "checkpoint '" + path("ckpt-1") + "' does not fit the program: it lacks ";
  const std::string todo = "; restore into what was saved, or with "
                           "expectPartial what both have";
  CheckpointManager all(session, here());
  expectRefused(session, all, StatusCode::InvalidArgument,
                who +
                    "'optimizer/w.m', 'optimizer/b.m', 'random/key', "
                    "'state/mean'" +
                    todo);
  int64_t epoch = 1;
  CheckpointManager more(Checkpoint{{"model", session}, {"epoch", epoch}},
                         here());
  expectRefused(session, more, StatusCode::InvalidArgument,
                who + "'epoch'" + todo);
  EXPECT_EQ(epoch, 1);
}

TEST_F(CheckpointTest, AnotherModelIsRefused) {
  Trained session;
  CheckpointManager saving(session, here());
  save(saving);
  const std::string who =
      "checkpoint '" + path("ckpt-1") + "' does not fit the program: it ";
  const std::string todo = "; restore into what was saved",
                    partial = ", or with expectPartial what both have";
  auto refuse = [&](auto change, const std::string &message) {
    auto maker = makeTrainable();
    change(maker->program);
    Trained other(std::move(maker));
    CheckpointManager manager(other, here());
    expectRefused(other, manager, StatusCode::InvalidArgument, who + message);
  };
  refuse([](Program &program) { program.variables[0].type.shape = {4, 4}; },
         "has 'model/w' as f32[2x8], and the program as f32[4x4]" + todo);
  refuse([](Program &program) { program.variables[5].type.dtype = DType::U64; },
         "has 'random/key' as i64[2], and the program as u64[2]" + todo);
  refuse([](Program &program) { program.variables[1].name = "c"; },
         "lacks 'model/c'; it has 'model/b', which the program has not" + todo +
             partial);
  refuse(
      [](Program &program) {
        program.variables[3].kind = VariableKind::Constant;
      },
      "has 'optimizer/b.m', which the program has not" + todo + partial);
  refuse(
      [](Program &program) {
        program.variables[0].type.shape = {4, 4};
        program.variables[1].name = "c";
        program.variables[5].type.dtype = DType::U64;
      },
      "lacks 'model/c'; it has 'model/b', which the program has not; it has "
      "'model/w' as f32[2x8], and the program as f32[4x4]; it has 'random/key' "
      "as i64[2], and the program as u64[2]" +
          todo + partial);
}

TEST_F(CheckpointTest, AnotherLevelIsSaid) {
  Trained first;
  CheckpointManager saving(first, here());
  save(saving);
  SessionOptions options;
  options.level = "v2";
  Trained second(makeTrainable(), options);
  const std::string kind = first->memory()[0].kind;
  if (kind == second->memory()[0].kind)
    GTEST_SKIP() << "this processor has only " << kind;
  CheckpointManager manager(second, here());
  EXPECT_TRUE(restore(manager));
  ASSERT_EQ(second.warnings.size(), 1u);
  EXPECT_EQ(second.warnings[0],
            "checkpoint '" + path("ckpt-1") + "' was saved on " + kind +
                " and goes on on " + second->memory()[0].kind +
                ": results may differ in their last bits");
}

TEST_F(CheckpointTest, WhereItWasSavedIsRecordedAndAnotherRevisionIsSaid) {
  Trained session;
  CheckpointManager manager(session, here());
  save(manager);
  auto manifest = parseCheckpointManifest(folder.read("ckpt-1.json")).take();
  EXPECT_EQ(manifest.ranks, 1u);
  EXPECT_EQ(manifest.roots[0].devices, std::vector<std::string>{"0/cpu:0"});
  EXPECT_EQ(manifest.roots[0].kernelRevision, unsigned(SMP_KERNEL_ABI_VERSION));
  for (CheckpointManifest::Root &root : manifest.roots)
    root.kernelRevision = 77;
  folder.write("ckpt-1.json", formatCheckpointManifest(manifest));
  EXPECT_TRUE(restore(manager));
  EXPECT_EQ(session.warnings,
            std::vector<std::string>{
                "checkpoint '" + path("ckpt-1") +
                "' was saved on kernels of revision 77 and goes on on " +
                std::to_string(SMP_KERNEL_ABI_VERSION) +
                ": results may differ in their last bits"});
}

TEST_F(CheckpointTest, WrongRootsAreTheManagersStatus) {
  Trained session;
  int64_t epoch = 0;
  auto errorOf = [&](Checkpoint checkpoint) {
    CheckpointManager manager(std::move(checkpoint), here());
    EXPECT_EQ(manager.save().status().message(), manager.status().message());
    EXPECT_EQ(manager.restore().status().message(), manager.status().message());
    return manager.status().message();
  };
  EXPECT_EQ(errorOf(Checkpoint(std::vector<Checkpoint::Named>())),
            "a Checkpoint without roots has nothing to save");
  EXPECT_EQ(errorOf(Checkpoint{{"net", session}}),
            "a root of a Checkpoint has a Session and the name 'net'; a "
            "Session has model, optimizer, state and random");
  EXPECT_EQ(errorOf(Checkpoint{{"epoch", epoch}, {"epoch", epoch}}),
            "two roots of a Checkpoint are named 'epoch'");
  EXPECT_EQ(errorOf(Checkpoint{{"a/b", epoch}}),
            "a root of a Checkpoint is named 'a/b'; a name has letters, "
            "digits, '_', '-' and '.'");
}

TEST_F(CheckpointTest, TwoVariablesOfOneKeyAreRefused) {
  auto maker = makeTrainable();
  maker->program.variables[3].name = "w.m";
  Trained session(std::move(maker));
  CheckpointManager manager(session, here());
  EXPECT_EQ(manager.save().status().message(),
            "variables 'optimizer/w.m' and 'w.m' would both be saved as "
            "'optimizer/w.m'; rename one");
  EXPECT_TRUE(folder.names().empty());
}

/// y = 2 x + 1; then w becomes 2 w + 1, and out what `index` takes of it.
std::unique_ptr<ProgramMaker> makeUpdating() {
  auto maker = std::make_unique<ProgramMaker>(1);
  Entry &entry = maker->entry();
  entry.name = "train";
  entry.mode = Mode::Train;
  entry.microbatches = 1;
  entry.schedule = "table";
  entry.actions = {{{ActionKind::Run, 0, 0}, {ActionKind::Run, 1, 0}}};
  maker->input("x");
  maker->output("y");
  const uint32_t w = maker->splat("w", 1), out = maker->splat("out", 2);
  const uint32_t index = maker->splat("index", 0);
  maker->program.variables[out].kind = VariableKind::Optimizer;
  maker->program.variables[index].kind = VariableKind::State;
  maker->program.variables[index].type.dtype = DType::I32;
  const auto forward = int32_t(maker->stage(
      0, 1, 1, {maker->launch("twice_plus_one16", {input(0), output(0)})}));
  maker->stage(
      0, 0, 0,
      {maker->launch("twice_plus_one16", {variable(w), variable(w)}),
       maker->launch("gather10", {variable(w), variable(index), variable(out)},
                     /*tiles=*/16)});
  maker->program.stages.back().unit = Unit::Update;
  for (Kernel &kernel : maker->program.kernels)
    kernel.numOutputs = 1;
  maker->edge({kCaller, 0}, {{forward, 0}});
  maker->edge({forward, 0}, {{kCaller, 0}});
  return maker;
}

TEST_F(CheckpointTest, HalfAnUpdateIsNotSavedAndARestoreMendsIt) {
  Trained session(makeUpdating());
  CheckpointManager manager(session, here());
  const TestTensor x({2, 8}, 5);
  auto step = [&] {
    return session->step("train", std::vector{x.as("x")}, {}).status();
  };
  ASSERT_TRUE(step().ok()) << step().message();
  save(manager);
  const Values saved = session.values();
  const std::vector<int32_t> wrong(16, 10); // Of a table of 10.
  ASSERT_TRUE(
      session->setVariable("index", {DType::I32, kTensor.shape, wrong.data()})
          .ok());
  ASSERT_FALSE(step().ok());
  const Status refused = manager.save().status();
  EXPECT_EQ(refused.code(), StatusCode::FailedPrecondition);
  EXPECT_NE(refused.message().find("failed in its update"), std::string::npos);
  EXPECT_EQ(manager.latest(), path("ckpt-1"));
  EXPECT_TRUE(restore(manager));
  EXPECT_EQ(session.values(), saved);
  EXPECT_TRUE(step().ok()) << step().message();
  EXPECT_EQ(save(manager), path("ckpt-2"));
}

TEST_F(CheckpointTest, AFailingValueLeavesNoCheckpoint) {
  struct Failing : Counter {
    StatusOr<SavedValue> save() const override {
      return unavailable("the generator is gone");
    }
  } value;
  Trained session;
  CheckpointManager manager(Checkpoint{{"model", session}, {"data", value}},
                            here());
  EXPECT_EQ(manager.save().status().message(),
            "value 'data': the generator is gone");
  EXPECT_EQ(manager.latest(), "");
  EXPECT_TRUE(folder.names().empty());
}

} // namespace
