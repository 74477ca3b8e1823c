// SPDX-License-Identifier: Apache-2.0
// What Sessions of one program have in common, and what they have not.
#include "device/SharedParts.h"
#include "TestPrograms.h"
#include <thread>

using namespace smp;
using namespace smp::test;

namespace {

TEST(SharedParts, AValueIsMadeOnceWhoeverAsks) {
  SharedParts parts;
  std::atomic<int> made{0};
  std::vector<std::shared_ptr<const SharedParts::Values>> got(8);
  std::vector<std::thread> threads;
  for (auto &one : got)
    threads.emplace_back([&] {
      one = parts
                .prepared("kind", 3,
                          [&] {
                            ++made;
                            return StatusOr(
                                std::make_shared<const SharedParts::Values>());
                          })
                .take();
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(made, 1);
  for (const auto &one : got)
    EXPECT_EQ(one, got[0]);
}

TEST(SharedParts, KindsAndStagesAreApartAndFailuresAreNotKept) {
  using Made = StatusOr<std::shared_ptr<const SharedParts::Values>>;
  SharedParts parts;
  int made = 0;
  const auto make = [&]() -> Made {
    ++made;
    return std::make_shared<const SharedParts::Values>();
  };
  const auto one = parts.prepared("v3", 0, make).take();
  const auto otherKind = parts.prepared("v4", 0, make).take();
  const auto otherStage = parts.prepared("v3", 1, make).take();
  EXPECT_EQ(made, 3);
  const auto fail = []() -> Made { return unavailable("not now"); };
  EXPECT_EQ(parts.prepared("v3", 2, fail).status().message(), "not now");
  EXPECT_TRUE(parts.prepared("v3", 2, make).ok());
  // Nobody has that one any more.
  EXPECT_TRUE(parts.prepared("v3", 2, make).ok());
  EXPECT_EQ(made, 5);
}

/// y = x + packed(packed(w)), where packing is twice plus one; w is `first`.
std::unique_ptr<ProgramMaker> makePacked(double first, bool assigns = false) {
  auto maker = std::make_unique<ProgramMaker>(1);
  maker->input("x");
  maker->output("y");
  const uint32_t w = maker->splat("w", first);
  const uint32_t once = maker->prepare(
      0, {maker->launch("twice_plus_one16", {variable(w), output(0)})});
  const uint32_t twice = maker->prepare(
      0, {maker->launch("twice_plus_one16", {prepared(once), output(0)})});
  std::vector<Launch> launches = {
      maker->launch("add16", {input(0), prepared(twice), output(0)})};
  if (assigns)
    launches.push_back(
        maker->launch("twice_plus_one16", {input(0), variable(w)}));
  for (Kernel &kernel : maker->program.kernels)
    kernel.numOutputs = 1;
  const auto s = int32_t(maker->stage(0, 1, 1, std::move(launches)));
  maker->edge({kCaller, 0}, {{s, 0}});
  maker->edge({s, 0}, {{kCaller, 0}});
  return maker;
}

constexpr float packed(float w) { return 2 * (2 * w + 1) + 1; }

float firstOfStep(SessionCore &session) {
  TestTensor zero({2, 8});
  zero.values.assign(16, 0);
  auto result = session.step("predict", std::vector{zero.as("x")}, {});
  EXPECT_TRUE(result.ok()) << result.status().message();
  return result.ok() ? floatsOf(result->find("y"))[5] : -1;
}

void set(SessionCore &session, float value, const char *name = "w") {
  const std::vector<float> values(16, value);
  const std::vector<int64_t> shape = {2, 8};
  ASSERT_TRUE(
      session.setVariable(name, {DType::F32, shape, values.data()}).ok());
}

TEST(SharedParts, SessionsShareUntilOneSetsWhatTheValuesAreMadeOf) {
  auto maker = makePacked(3);
  auto program = maker->finish().take();
  auto first = openSession(program, {}).take();
  const uint64_t alone = first->memory()[0].currentBytes;
  auto second = openSession(program, {}).take();
  for (auto *session : {first.get(), second.get()}) {
    EXPECT_EQ(session->memory()[0].sharedBytes, 128u);
    EXPECT_EQ(session->memory()[0].currentBytes, alone);
    EXPECT_EQ(firstOfStep(*session), packed(3));
  }
  set(*first, 7);
  EXPECT_EQ(firstOfStep(*first), packed(7));
  EXPECT_EQ(first->memory()[0].sharedBytes, 0u);
  EXPECT_EQ(first->memory()[0].currentBytes, alone);
  EXPECT_EQ(firstOfStep(*second), packed(3));
  EXPECT_EQ(firstOfStep(*openSession(program, {}).take()), packed(3));
  set(*first, 8); // In the memory that it has by now.
  EXPECT_EQ(firstOfStep(*first), packed(8));
  set(*first, 3); // The value of the program, and its own.
  EXPECT_EQ(firstOfStep(*first), packed(3));
  EXPECT_EQ(first->memory()[0].sharedBytes, 0u);
  second.reset();
  EXPECT_EQ(firstOfStep(*first), packed(3));
}

/// Of a table, elements whose numbers are the bits of w.
TEST(SharedParts, AFailureLeavesOthersTheirValues) {
  ProgramMaker maker(1);
  maker.input("x");
  maker.output("y");
  const uint32_t table = maker.splat("table", 5), w = maker.splat("w", 0);
  const uint32_t taken = maker.prepare(
      0, {maker.launch("gather10", {variable(table), variable(w), output(0)},
                       16)});
  const auto s = int32_t(maker.stage(
      0, 1, 1,
      {maker.launch("add16", {input(0), prepared(taken), output(0)})}));
  maker.edge({kCaller, 0}, {{s, 0}});
  maker.edge({s, 0}, {{kCaller, 0}});
  auto program = maker.finish().take();
  auto first = openSession(program, {}).take();
  auto second = openSession(program, {}).take();
  EXPECT_EQ(second->memory()[0].sharedBytes, 64u);
  const TestTensor x({2, 8});
  for (int again = 0; again < 2; ++again) {
    set(*first, 1); // No number of an element.
    EXPECT_EQ(
        first->step("predict", std::vector{x.as("x")}, {}).status().code(),
        StatusCode::InvalidArgument);
    EXPECT_EQ(firstOfStep(*second), 5);
  }
  set(*first, 9, "table");
  set(*first, 0);
  EXPECT_EQ(firstOfStep(*first), 9);
  EXPECT_EQ(firstOfStep(*second), 5);
  EXPECT_EQ(firstOfStep(*openSession(program, {}).take()), 5);
}

TEST(SharedParts, WhatAStepAssignsIsNotShared) {
  auto maker = makePacked(3, /*assigns=*/true);
  auto program = maker->finish().take();
  auto first = openSession(program, {}).take();
  EXPECT_EQ(first->memory()[0].sharedBytes, 0u);
  EXPECT_EQ(firstOfStep(*first), packed(3));
  EXPECT_EQ(firstOfStep(*openSession(program, {}).take()), packed(3));
}

TEST(SharedParts, AnAllocatorOfTheApplicationHasAllOfItsSession) {
  auto maker = makePacked(3);
  auto program = maker->finish().take();
  auto shares = openSession(program, {}).take();
  uint64_t bytes = 0;
  SessionOptions options;
  options.allocator = {
      [](void *user, size_t size, size_t align) {
        *static_cast<uint64_t *>(user) += size;
        return std::aligned_alloc(align, (size + align - 1) / align * align);
      },
      [](void *, void *data, size_t) { std::free(data); }, &bytes};
  auto own = openSession(program, options).take();
  EXPECT_EQ(own->memory()[0].sharedBytes, 0u);
  EXPECT_EQ(own->memory()[0].currentBytes, shares->memory()[0].currentBytes);
  EXPECT_GE(bytes, own->memory()[0].currentBytes);
  EXPECT_EQ(firstOfStep(*own), packed(3));
}

TEST(SharedParts, TheLimitCountsThemForEachSession) {
  auto maker = makePacked(3);
  auto program = maker->finish().take();
  auto first = openSession(program, {}).take();
  SessionOptions options;
  options.memoryLimitBytes = first->memory()[0].currentBytes - 1;
  EXPECT_EQ(openSession(program, options).status().code(),
            StatusCode::ResourceExhausted);
  options.memoryLimitBytes += 1;
  EXPECT_TRUE(openSession(program, options).ok());
}

TEST(SharedParts, NumericsAreCheckedInSharedValuesToo) {
  auto maker = makePacked(3);
  describeLaunches(maker->program);
  auto program = maker->finish().take();
  auto shares = openSession(program, {}).take();
  SessionOptions options;
  options.checkNumerics = CheckNumerics::Nan;
  auto checks = openSession(program, options).take();
  EXPECT_EQ(checks->memory()[0].sharedBytes, 128u);
  EXPECT_EQ(firstOfStep(*checks), packed(3));
}

TEST(SharedParts, SessionsAreOpenedAndClosedAtTheSameTime) {
  auto maker = makePacked(1);
  auto program = maker->finish().take();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        auto session = openSession(program, {}).take();
        EXPECT_EQ(firstOfStep(*session), packed(1));
        set(*session, float(i + 2));
        EXPECT_EQ(firstOfStep(*session), packed(float(i + 2)));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
