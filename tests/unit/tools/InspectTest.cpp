// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Inspect.h"
#include "SampleProgram.h"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace smp;
using nlohmann::json;

static size_t countOf(const std::string &text, const std::string &what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + 1))
    ++count;
  return count;
}

TEST(Inspect, TextNamesEveryThing) {
  SampleProgram sample;
  std::string text = inspectText(sample.program, {true});
  for (const char *what : {"sample 0.1",
                           "entry 'predict' (predict)",
                           "f32[2x4]",
                           "batch axis 0",
                           "predict.1",
                           "2.00 us",
                           "decided by",
                           "dense",
                           "user",
                           "solver",
                           "propagated",
                           "matmul 2x4x4",
                           "v2 v4",
                           "digest right",
                           "any number of microbatches",
                           "2 microbatches, schedule 'table'",
                           "number of the microbatch",
                           "bubble 50.0 %",
                           "128x2x1",
                           "2x1x1",
                           "cubin",
                           "sm_80, of image 2"})
    EXPECT_NE(text.find(what), std::string::npos) << what << "\n" << text;
  EXPECT_NE(inspectText(sample.program, {false}).find("not found"),
            std::string::npos);
}

TEST(Inspect, PtxHasTheOpsOfEachKernel) {
  SampleProgram sample;
  const std::string ptx = ".version 8.0\n.visible .entry other(\n)\n{ ret; }\n"
                          ".visible .entry relu(\n)\n{ ret; }";
  sample.program.images[2] = std::as_bytes(std::span(ptx));
  sample.program.stages[2].launches[0].opNames = {"a\nb"};
  EXPECT_EQ(inspectPtx(sample.program).take(),
            "// images[2]\n.version 8.0\n.visible .entry other(\n)\n{ ret; }\n"
            "// kernel 'relu' for 'a?b', 'act'\n"
            ".visible .entry relu(\n)\n{ ret; }\n");
  dropCuda(sample.program);
  EXPECT_EQ(inspectPtx(sample.program).status().message(),
            "the program has no PTX: its kernels are for x86-64; compile it "
            "with --target cuda");
}

TEST(Inspect, TwinsSayWhoseTheyAre) {
  SampleProgram sample;
  addTwin(sample.program);
  EXPECT_NE(inspectText(sample.program, {true})
                .find("entry 'predict.statistics' (predict), twin of 'predict' "
                      "that shows 2 values"),
            std::string::npos);
  EXPECT_NE(
      inspectJson(sample.program, {true}).find("\"twin_of\": \"predict\""),
      std::string::npos);
}

TEST(Inspect, StagesThatLagSaySo) {
  SampleProgram sample;
  EXPECT_EQ(inspectText(sample.program, {true}).find("lag"), std::string::npos);
  addLags(sample.program);
  const std::string text = inspectText(sample.program, {true});
  EXPECT_NE(text.find("predicted  lag"), std::string::npos) << text;
  const json object =
      json::parse(inspectJson(sample.program, {true}), nullptr, false);
  EXPECT_EQ(object["entries"][0]["lags"], (json{0, 1}));
  EXPECT_EQ(object["entries"][1]["lags"], json::array());
}

TEST(Inspect, TextObeysNoControlCharacters) {
  SampleProgram sample;
  sample.program.entries[0].graph.ops[1].name = "\x1b[31mred\n";
  sample.program.producer = "\x1b]0;title\x07";
  std::string text = inspectText(sample.program, {true});
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("?[31mred?"), std::string::npos);
}

TEST(Inspect, JsonIsJson) {
  SampleProgram sample;
  sample.program.producer = "bad \xff bytes";
  json object =
      json::parse(inspectJson(sample.program, {true}), nullptr, false);
  ASSERT_TRUE(object.is_object());
  EXPECT_EQ(object["partitions"], 2);
  EXPECT_EQ(object["weights"]["there"], true);
  const json &entry = object["entries"][0];
  EXPECT_EQ(entry["name"], "predict");
  EXPECT_EQ(entry["inputs"][0]["type"]["shape"], json({2, 4}));
  EXPECT_EQ(entry["outputs"][1]["batch_axis"], nullptr);
  EXPECT_EQ(entry["stages"][1]["partition"], 1);
  EXPECT_DOUBLE_EQ(entry["stages"][1]["predicted_ms"].get<double>(), 2e-3);
  EXPECT_EQ(entry["ops"][0]["partition"], "all");
  EXPECT_EQ(entry["ops"][1]["origin"], "user");
  EXPECT_EQ(entry["edges"][0]["from"]["stage"], nullptr);
  EXPECT_DOUBLE_EQ(entry["predicted"][1]["ms"].get<double>(), 17e-3);
  EXPECT_EQ(entry["microbatches"], nullptr);
  const json &train = object["entries"][1];
  EXPECT_EQ(train["microbatches"], 2);
  EXPECT_EQ(train["schedule"], "table");
  EXPECT_EQ(train["inputs"][1]["source"], "microbatch");
  EXPECT_EQ(train["predicted"].size(), 1u);
  EXPECT_EQ(object["variables"][4]["kind"], "accumulator");
  EXPECT_EQ(object["memory"][0]["total_bytes"], 688);
  EXPECT_EQ(object["kernels"][2]["variants"][1]["threads"], json({128, 2, 1}));
  EXPECT_EQ(object["kernels"][2]["variants"][1]["workspace_bytes"], 100);
  EXPECT_FALSE(object["kernels"][2]["variants"][0].contains("threads"));
  EXPECT_EQ(object["images"][2], json({{"kind", "ptx"}, {"bytes", 44}}));
  EXPECT_EQ(object["images"][3]["architecture"], "sm_80");
  EXPECT_EQ(object["kernels"][1]["variants"][1]["grid"], json({1, 3, 1}));
}

TEST(Inspect, JsonHasTheMemoryOfEachPartition) {
  SampleProgram sample;
  // A state that microbatches change.
  sample.program.variables[4].kind = VariableKind::State;
  const json memory =
      json::parse(inspectJson(sample.program, {true}))["memory"];
  EXPECT_EQ(memory[0], json({{"partition", 0},
                             {"variables_bytes", 64 + 64}, // w, w.sum
                             {"rollback_bytes", 64},       // w.sum
                             {"prepared_bytes", 64},
                             {"constants_bytes", 48},
                             {"arena_bytes", 128},
                             {"channels_bytes", 3 * 64},
                             {"workspace_bytes", 128},
                             {"total_bytes", 752},
                             // Constants; both variables are assigned.
                             {"imported_bytes", 48},
                             {"scratch_bytes_per_thread", 128}}));
  EXPECT_EQ(memory[1], json({{"partition", 1},
                             {"variables_bytes", 0},
                             {"rollback_bytes", 0},
                             {"prepared_bytes", 0},
                             {"constants_bytes", 0},
                             {"arena_bytes", 0},
                             {"channels_bytes", 2 * 64},
                             {"workspace_bytes", 128},
                             {"total_bytes", 256},
                             {"imported_bytes", 0},
                             {"scratch_bytes_per_thread", 0}}));
}
