// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/EventIndex.h"
#include "smp/serialization/EventCollections.h"
#include <gtest/gtest.h>

using namespace smp;

/// As smdebug writes it.
static std::string indexText(const std::string &mode, int step,
                             const std::string &lists) {
  return R"({"meta": {"mode": ")" + mode + R"(", "mode_step": )" +
         std::to_string(step) +
         R"(, "event_file_name": "events/1/1_worker_0.tfevents"}, )" + lists +
         "}";
}

static const std::string kLists =
    R"("tensor_payload": [{"tensorname": "a/b:0", "start_idx": 0, )"
    R"("length": 115}, {"tensorname": "loss", "start_idx": 115, "length": 88}])"
    R"(, "shape_payload": [{"tensorname": "w", "originalname": "v", )"
    R"("shape": [2, 3]}])";

TEST(EventIndex, ReadsRecordsAndShapes) {
  EventIndexReader reader;
  const auto index = reader.read(indexText("EVAL", 7, kLists));
  ASSERT_TRUE(index.ok()) << index.status().message();
  EXPECT_EQ(index->mode, Mode::Eval);
  EXPECT_EQ(index->modeStep, 7u);
  EXPECT_EQ(index->eventsFile, "events/1/1_worker_0.tfevents");
  ASSERT_EQ(index->tensors->records.size(), 2u);
  EXPECT_EQ(index->tensors->records[1].name, "loss");
  EXPECT_EQ(index->tensors->records[1].start, 115u);
  EXPECT_EQ(index->tensors->records[1].bytes, 88u);
  ASSERT_EQ(index->tensors->shapes.size(), 1u);
  EXPECT_EQ(index->tensors->shapes[0].originalName, "v");
  EXPECT_EQ(toString(index->tensors->shapes[0].shape), "2x3");
}

TEST(EventIndex, EqualListsAreKeptOnce) {
  EventIndexReader reader;
  const auto first = reader.read(indexText("TRAIN", 1, kLists));
  const auto second = reader.read(indexText("EVAL", 2, kLists));
  const auto other =
      reader.read(indexText("TRAIN", 2, R"("tensor_payload": [])"));
  ASSERT_TRUE(first.ok() && second.ok() && other.ok());
  EXPECT_EQ(first->tensors, second->tensors);
  EXPECT_EQ(second->mode, Mode::Eval);
  EXPECT_EQ(second->modeStep, 2u);
  EXPECT_NE(first->tensors, other->tensors);
}

TEST(EventIndex, AnEndThatIsKnownMakesNoGoodFile) {
  EventIndexReader reader;
  ASSERT_TRUE(reader.read(indexText("TRAIN", 1, kLists)).ok());
  EXPECT_FALSE(reader.read(R"({"meta": )" + kLists + "}").ok());
  EXPECT_FALSE(
      reader.read(R"({"meta": {"mode": "TRAIN", )" + kLists + "}").ok());
  EXPECT_EQ(reader
                .read(R"({"meta": {"mode": "TRAIN", "mode_step": 1}, )" +
                      kLists + "}")
                .status()
                .message(),
            "meta.event_file_name is missing, but there are records");
}

TEST(EventIndex, ShapesMayComeBeforeRecords) {
  EventIndexReader reader;
  const auto cut = kLists.find(", \"shape_payload\"");
  const std::string records = kLists.substr(0, cut),
                    shapes = kLists.substr(cut + 2);
  ASSERT_TRUE(reader.read(indexText("TRAIN", 1, records)).ok());
  const auto index =
      reader.read(indexText("TRAIN", 2, shapes + ", " + records));
  ASSERT_TRUE(index.ok()) << index.status().message();
  EXPECT_EQ(index->tensors->records.size(), 2u);
  EXPECT_EQ(index->tensors->shapes.size(), 1u);
}

TEST(EventIndex, ShapesNeedNoEventsFile) {
  const auto index = EventIndexReader().read(
      R"({"meta": {"mode": "GLOBAL", "mode_step": 0}, "shape_payload": )"
      R"([{"tensorname": "w", "originalname": "w", "shape": []}]})");
  ASSERT_TRUE(index.ok()) << index.status().message();
  EXPECT_TRUE(index->eventsFile.empty());
  EXPECT_EQ(index->tensors->shapes.size(), 1u);
}

static std::string indexProblem(const std::string &text) {
  return EventIndexReader().read(text).status().message();
}

TEST(EventIndex, NamesAllThatIsWrong) {
  EXPECT_EQ(indexProblem("{"), "it is no JSON object");
  EXPECT_EQ(indexProblem("{}"), "meta is missing");
  EXPECT_EQ(indexProblem(indexText("train", -1, kLists)),
            "meta.mode is 'train'; TRAIN, EVAL, PREDICT or GLOBAL; "
            "meta.mode_step is no whole number from 0");
  EXPECT_EQ(
      indexProblem(indexText("TRAIN", 0,
                             R"("tensor_payload": [{"tensorname":)"
                             R"( "", "start_idx": 0, "length": 3)"
                             R"(}, {"tensorname": "a"}])")),
      "tensor_payload[0].tensorname is empty; tensor_payload[0].length is 3; a "
      "record has at least 16 bytes; tensor_payload[1].start_idx is missing; "
      "tensor_payload[1].length is missing");
  EXPECT_EQ(indexProblem(R"({"meta": {"mode": "TRAIN", "mode_step": 0, )"
                         R"("event_file_name": "events/../../secret"}})"),
            "meta.event_file_name is 'events/../../secret', no path inside the "
            "folder");
}

TEST(EventCollections, ReadsNamesAndRegexes) {
  const auto all = parseEventCollections(
      R"({"collections": {"losses": {"name": "losses", "include_regex": )"
      R"(["[Ll]oss"], "tensor_names": ["a", "b"], "reduction_config": null, )"
      R"("save_config": null, "save_histogram": true}, "x": {"name": "x"}}, )"
      R"("_meta": {"num_workers": 2}})");
  ASSERT_TRUE(all.ok()) << all.status().message();
  EXPECT_EQ(all->numWorkers, 2u);
  ASSERT_EQ(all->collections.size(), 2u);
  EXPECT_EQ(all->collections[0].includeRegex,
            std::vector<std::string>{"[Ll]oss"});
  EXPECT_EQ(all->collections[0].tensorNames,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(all->collections[1].name, "x");
}

static std::string collectionsProblem(const std::string &text) {
  return parseEventCollections(text).status().message();
}

TEST(EventCollections, NamesAllThatIsWrong) {
  EXPECT_EQ(collectionsProblem(R"({"collections": {}, "more": 1})"),
            "more is unknown; collections and _meta; _meta is missing");
  EXPECT_EQ(collectionsProblem(R"({"collections": {"a": {"tensor_names": 1}},)"
                               R"( "_meta": {"num_workers": 0}})"),
            "collections.a.name is missing; collections.a.tensor_names is no "
            "list; _meta.num_workers is 0; at least 1");
  EXPECT_EQ(collectionsProblem(R"({"collections": ["a"], "_meta": {}})"),
            "collections is no object; _meta.num_workers is missing");
  EXPECT_EQ(collectionsProblem(R"({"collections": {"a": {"name": "b"}}, )"
                               R"("_meta": {"num_workers": 1}})"),
            "collections.a.name is 'b'");
}
