// SPDX-License-Identifier: Apache-2.0
// smp-checkpoint as a person calls it.
#include "SmpCheckpointFixture.h"
#include "smp/checkpoint/SaveModel.h"
#include "smp/runtime/Session.h"
#include "smp/tools/ObjectGraph.h"
#include "smp/tools/TensorBundle.h"
#include <cstring>
#include <nlohmann/json.hpp>

using namespace smp;
using namespace smp::test;

using Names = std::vector<std::string>;

namespace {
#include "all-in-one-policy.inc"
#include "policy-with-parameter.inc"
} // namespace

TEST_F(SmpCheckpoint, ASessionComesBackFromABundle) {
  Trained first;
  int64_t epoch = 5;
  std::string position = "line 7";
  auto checkpointOf = [&](SessionCore &session) {
    return Checkpoint{{"model", session}, {"optimizer", session},
                      {"state", session}, {"random", session},
                      {"epoch", epoch},   {"position", position}};
  };
  first.step();
  auto saving = managerOf(checkpointOf(first), "run");
  save(saving);
  ASSERT_EQ(run("convert run/ckpt-1 tf/ckpt-1"), 0) << err;
  EXPECT_EQ(out.find("wrote 'tf/ckpt-1', a bundle of TensorFlow, "), 0u) << out;
  ASSERT_EQ(run("convert tf/ckpt-1 back/ckpt-1"), 0) << err;

  Trained second;
  epoch = 0;
  position.clear();
  auto restoring = managerOf(checkpointOf(second), "back");
  EXPECT_TRUE(restore(restoring));
  EXPECT_EQ(savedOf(second.values()), savedOf(first.values()));
  EXPECT_EQ(epoch, 5);
  EXPECT_EQ(position, "line 7");
}

/// What several ranks wrote, by every version.
TEST_F(SmpCheckpoint, ShardsOfEveryVersionAreConverted) {
  for (const std::string version : {"1", "2"}) {
    const std::string from =
        SMP_TEST_SOURCE_DIR "/golden/checkpoint-" + version + "/ckpt-1";
    ASSERT_EQ(run("show --json " + from), 0) << err;
    const auto before = nlohmann::json::parse(out);
    ASSERT_EQ(run("convert " + from + " tf/" + version), 0) << err;
    ASSERT_EQ(run("show --json tf/" + version), 0) << err;
    const auto after = nlohmann::json::parse(out);
    EXPECT_GT(before["tensors"].size(), 3u);
    EXPECT_EQ(after["tensors"].size(), before["tensors"].size() + 1);
    EXPECT_EQ(after["bytes"], before["bytes"].get<int>() + 8);
  }
}

TEST_F(SmpCheckpoint, ABundleHasObjectsAndACounter) {
  Trained session;
  auto manager = managerOf(Checkpoint{{"model", session}}, "run");
  save(manager);
  save(manager);
  ASSERT_EQ(run("convert run/ckpt-2 tf/weights"), 0) << err;
  EXPECT_EQ(filesIn("tf"), (Names{"checkpoint", "weights.data-00000-of-00001",
                                  "weights.index"}));
  EXPECT_NE(
      folder.read("tf/checkpoint").find("model_checkpoint_path: \"weights\""),
      std::string::npos);
  auto bundle = TensorBundle::open(folder.file("tf/weights"));
  ASSERT_TRUE(bundle.ok()) << bundle.status().message();
  const BundleTensor *counter = bundle->find(keyOfPath("save_counter"));
  ASSERT_NE(counter, nullptr);
  int64_t count = 0;
  std::memcpy(&count, bundle->read(*counter)->bytes.data(), sizeof(count));
  EXPECT_EQ(count, 2);
  const auto graph = bundle->readTexts(*bundle->find(kObjectGraphKey));
  const auto names = readObjectGraph(graph->front());
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(names->size() + 1, bundle->tensors().size());
  EXPECT_TRUE(names->contains("model/w/.ATTRIBUTES/VARIABLE_VALUE"));
}

TEST_F(SmpCheckpoint, ObjectsOfTensorFlowGetTheirNames) {
  folder.write("names", R"({"words": null})");
  ASSERT_EQ(run("convert " + golden + "objects run/ckpt-1 --rename names"), 0)
      << err;
  EXPECT_EQ(tensorsIn("run/ckpt-1.model.safetensors"),
            (Names{"layers/0/bias", "layers/0/kernel", "odd/a.b/c"}));
  EXPECT_EQ(tensorsIn("run/ckpt-1.state.safetensors"),
            (Names{"optimizer/layers/0/kernel.momentum", "position"}));
  EXPECT_EQ(filesIn("run"),
            (Names{"checkpoint", "ckpt-1.json", "ckpt-1.model.safetensors",
                   "ckpt-1.state.safetensors"}));
  const std::string full = "convert " + golden +
                           "objects run/ckpt-2 "
                           "--names full --root x";
  expectError(full, "would both be called 'x/Variable'");
  folder.write("names", R"({"x/kernel": "model/k", "x/Variable": null})");
  ASSERT_EQ(run(full + " --rename names"), 0) << err;
  EXPECT_EQ(tensorsIn("run/ckpt-2.model.safetensors"), Names{"k"});
}

TEST_F(SmpCheckpoint, ABundleWithoutObjectsHasKeysForNames) {
  expectError("convert " + golden + "types run/ckpt-1 --root model",
              "'model/complex' is complex64 of shape 1, which a checkpoint of "
              "smp cannot have; leave it out with --rename and "
              "{\"model/complex\": null}");
  folder.write("names", R"({"model/complex": null, "model/bool": "flag"})");
  ASSERT_EQ(
      run("convert " + golden + "types run/ckpt-1 --root model --rename names"),
      0)
      << err;
  EXPECT_NE(out.find("15 tensors: 1 of flag, 14 of model"), std::string::npos)
      << out;
  auto file = Safetensors::open(folder.file("run/ckpt-1.model.safetensors"));
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_NE(file->find("bfloat16"), nullptr);
  EXPECT_EQ(file->find("bfloat16")->type, (TensorType{DType::BF16, {3}}));
}

TEST_F(SmpCheckpoint, WhatIsThereStays) {
  Trained session;
  {
    auto manager = managerOf(Checkpoint{{"model", session}}, "run");
    save(manager);
    save(manager);
    ASSERT_EQ(run("convert run/ckpt-1 tf/ckpt-1"), 0) << err;
    expectError("convert tf/ckpt-1 run/ckpt-3",
                "which has locked 'run/ckpt.lock'");
  }
  expectError("convert run/ckpt-2 tf/ckpt-1", "'tf/ckpt-1.index' is there");
  const std::string before = folder.read("run/ckpt-2.json");
  expectError("convert tf/ckpt-1 run/ckpt-2", "'run/ckpt-2.json' is there");
  EXPECT_EQ(folder.read("run/ckpt-2.json"), before);
  ASSERT_EQ(run("convert tf/ckpt-1 run/ckpt-3"), 0) << err;
  EXPECT_NE(out.find("'run/checkpoint' stays as it is"), std::string::npos);
  ASSERT_EQ(run("convert run/ckpt-1 tf/of/run/ckpt-1"), 0) << err;
  ASSERT_EQ(run("reshard run/ckpt-1 whole/run/ckpt-1 --one-file"), 0) << err;
  ASSERT_EQ(run("convert run/ckpt-1 run/ckpt-1"), 0) << err;
  expectError("convert run/ckpt-1 tf/x", "there are two checkpoints");
}

TEST_F(SmpCheckpoint, WhatIsWrongIsSaidAndNothingIsWritten) {
  Trained session;
  auto manager = managerOf(Checkpoint{{"model", session}}, "run");
  save(manager);
  expectError("convert run/ckpt-7 tf/x",
              "neither 'run/ckpt-7.json' nor 'run/ckpt-7.index'");
  expectError("convert run/ckpt-1 run/ckpt-1.json/x",
              "cannot make the folder 'run/ckpt-1.json': Not a directory");
  expectError("convert run/ckpt-1 tf/", "is no name of a checkpoint");
  folder.write("names", R"({"model/nobody": "x"})");
  expectError("convert run/ckpt-1 tf/x --rename names",
              "names renames 'model/nobody', which the checkpoint does not");
  for (const char *wrong : {"{", "[]", R"({"model/w": 1})"}) {
    folder.write("names", wrong);
    expectError("convert run/ckpt-1 tf/x --rename names", "names");
  }
  std::string data = folder.read("run/ckpt-1.model.safetensors");
  data.back() = char(data.back() ^ 1);
  folder.write("run/ckpt-1.model.safetensors", data);
  expectError("convert run/ckpt-1 tf/x", "run/ckpt-1.model.safetensors");
  EXPECT_TRUE(filesIn("tf").empty());
  EXPECT_EQ(run("convert run/ckpt-1"), 1);
  EXPECT_EQ(run(""), 1);
  EXPECT_EQ(run("--help"), 0);
  for (const char *command :
       {"list", "show", "verify", "diff", "convert", "reshard"}) {
    EXPECT_NE(out.find(command), std::string::npos);
    EXPECT_EQ(std::system(("'" SMP_CHECKPOINT "' " + std::string(command) +
                           " --help >/dev/null")
                              .c_str()),
              0);
  }
}

TEST_F(SmpCheckpoint, ListsBothFormatsInTheirOrder) {
  Trained session;
  auto manager = managerOf(Checkpoint{{"model", session}}, "run");
  for (int i = 0; i < 10; ++i)
    save(manager);
  ASSERT_EQ(run("convert run/ckpt-9 run/bundle"), 0) << err;
  folder.write("run/foreign.json", "{}");
  std::string data = folder.read("run/ckpt-10.json");
  folder.write("run/ckpt-10.json", data.substr(0, data.size() / 2));
  ASSERT_EQ(run("list run --json"), 0) << err;
  const auto list = nlohmann::json::parse(out);
  EXPECT_EQ(list["latest"], "ckpt-10");
  ASSERT_EQ(list["checkpoints"].size(), 11u);
  EXPECT_EQ(list["checkpoints"][0]["name"], "bundle");
  EXPECT_EQ(list["checkpoints"][0]["format"], "tensorflow");
  EXPECT_EQ(list["checkpoints"][0]["tensors"], 3);
  EXPECT_EQ(list["checkpoints"][9]["name"], "ckpt-9");
  EXPECT_EQ(list["checkpoints"][9]["tensors"], 3);
  EXPECT_EQ(list["checkpoints"][9]["error"], nullptr);
  EXPECT_EQ(list["checkpoints"][10]["name"], "ckpt-10");
  EXPECT_NE(list["checkpoints"][10]["error"].get<std::string>().find(
                "run/ckpt-10.json"),
            std::string::npos);
  ASSERT_EQ(run("list run"), 0) << err;
  EXPECT_EQ(out.find("name     format      tensors  bytes\n"
                     "bundle   tensorflow  3 "),
            0u)
      << out;
  EXPECT_NE(out.find("latest; run/ckpt-10.json: "), std::string::npos) << out;
  expectError("list nowhere", "cannot list 'nowhere'");
}

TEST_F(SmpCheckpoint, ShowsTensors) {
  ASSERT_EQ(run("show " + golden + "objects --json"), 0) << err;
  const auto shown = nlohmann::json::parse(out);
  EXPECT_EQ(shown["format"], "tensorflow");
  ASSERT_EQ(shown["tensors"].size(), 6u);
  EXPECT_EQ(shown["tensors"][0],
            nlohmann::json({{"name", "model/layers/0/bias"},
                            {"dtype", "bfloat16"},
                            {"shape", {3}},
                            {"bytes", 6},
                            {"key", "model/layers/0/bias/.ATTRIBUTES/"
                                    "VARIABLE_VALUE"}}));
  Trained session;
  auto manager = managerOf(Checkpoint{{"model", session}}, "run");
  save(manager);
  ASSERT_EQ(run("show run/ckpt-1"), 0) << err;
  EXPECT_EQ(out.find("name          type  shape"), 0u) << out;
  EXPECT_NE(out.find("\nmodel/w  "), std::string::npos) << out;
  expectError("show run/ckpt-2", "there is no checkpoint 'run/ckpt-2'");
}

TEST_F(SmpCheckpoint, VerifiesEveryByte) {
  Trained session;
  auto manager = managerOf(Checkpoint{{"model", session}}, "run");
  save(manager);
  ASSERT_EQ(run("convert run/ckpt-1 tf/ckpt-1"), 0) << err;
  ASSERT_EQ(run("verify run/ckpt-1 tf/ckpt-1 " + golden + "types"), 0) << err;
  EXPECT_EQ(out.find("run/ckpt-1: good\ntf/ckpt-1: good\n"), 0u) << out;
  for (const char *name :
       {"run/ckpt-1.model.safetensors", "tf/ckpt-1.data-00000-of-00001"}) {
    const std::string good = folder.read(name);
    std::string wrong = good;
    wrong.back() = char(wrong.back() ^ 1);
    folder.write(name, wrong);
    expectError("verify --json run/ckpt-1 tf/ckpt-1",
                "1 of 2 checkpoints are bad");
    const auto verdicts = nlohmann::json::parse(out);
    const bool isFirst = name[0] == 'r';
    EXPECT_EQ(verdicts[isFirst ? 1 : 0]["error"], nullptr);
    EXPECT_NE(verdicts[isFirst ? 0 : 1]["error"].get<std::string>().find(name),
              std::string::npos);
    folder.write(name, good);
  }
}

TEST_F(SmpCheckpoint, PicklesAreRefused) {
  folder.write("model.pt", "a pickle");
  Trained session;
  auto manager = managerOf(Checkpoint{{"model", session}}, "run");
  save(manager);
  for (const char *arguments :
       {"convert model.pt run/ckpt-2", "convert run/ckpt-1 model.pth",
        "show model.pt"}) {
    SCOPED_TRACE(arguments);
    expectError(arguments, "is by its name a pickle of PyTorch, which is code");
  }
  EXPECT_EQ(folder.read("model.pt"), "a pickle");
}

/// What docs/coming-from/tensorflow-checkpoint.md says, in its order.
TEST_F(SmpCheckpoint, ThePageForUsersOfTensorFlowIsTrue) {
  namespace fs = std::filesystem;
  for (const char *name : {"again", "saver", "named"})
    fs::create_directory(folder.file(name));
  for (const auto &file : fs::directory_iterator(golden))
    fs::copy(file, folder.file("saver/" + file.path().filename().string()));
  Trained trained;
  SessionCore &session = trained;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  {
#include "checkpoint.inc"
    EXPECT_TRUE(restored.ok() && !*restored);
    ASSERT_TRUE(path.ok()) << path.status().message();
    EXPECT_EQ(*path, "run/ckpt-1");
#include "by-path.inc"
    EXPECT_TRUE(best.ok() && *best == "run/best-1");
    EXPECT_TRUE(consumed.ok()) << consumed.message();
  }
  {
#include "save-model.inc"
    ASSERT_TRUE(saved.ok()) << saved.status().message();
    EXPECT_TRUE(model.ok()) << model.status().message();
  }
  {
#include "policies-in-use.inc"
    EXPECT_TRUE(whole.ok()) << whole.status().message();
    EXPECT_TRUE(divided.ok()) << divided.status().message();
    EXPECT_TRUE(joined.ok() && *joined);
  }
  fs::current_path(before);
  EXPECT_EQ(tensorsIn("whole/ckpt-1.model.safetensors").size(), 2u);
  EXPECT_EQ(tensorsIn("whole/ckpt-1.state.safetensors").size(), 5u);
  size_t parts = 0;
  for (const std::string &name : filesIn("few"))
    if (name.ends_with(".safetensors")) {
      EXPECT_LE(tensorsIn("few/" + name).size(), 2u) << name;
      ++parts;
    }
  EXPECT_GE(parts, 4u); // Of seven keys.
  EXPECT_NE(KeysPerShardPolicy(2).hash(), KeysPerShardPolicy(3).hash());

  std::ifstream page(SMP_TEST_SOURCE_DIR
                     "/../docs/coming-from/tensorflow-checkpoint.md");
  bool isCommand = false;
  int commands = 0;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("```")) {
      isCommand = line == "```sh";
    } else if (isCommand) {
      const std::string path = fs::path(SMP_CHECKPOINT).parent_path().string();
      const std::string command = "cd '" + folder.path() + "' && PATH='" +
                                  path + "':$PATH && { " + line +
                                  "\n} >/dev/null";
      EXPECT_EQ(std::system(command.c_str()), 0) << line;
      ++commands;
    }
  }
  EXPECT_EQ(commands, 10);
  EXPECT_TRUE(fs::exists(folder.file("again/ckpt-1.json")));
  EXPECT_EQ(tensorsIn("named/ckpt-1.model.safetensors").size(), 15u);
}
