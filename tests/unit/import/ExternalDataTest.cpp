// SPDX-License-Identifier: Apache-2.0
// Tensors in files: only regular files below the model's folder are read, or
// below one that is allowed.

#include "ModelBuilder.h"
#include "TemporaryFolder.h"
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

using namespace smp;

namespace {

/// The folders `model`, with m.onnx, and `other`; w.bin is in one of them.
struct ExternalData : testing::Test {
  ExternalData() {
    for (const char *name : {"model", "model/sub", "other"})
      std::filesystem::create_directory(folder.file(name));
    put("model/w.bin");
    put("other/w.bin");
  }

  /// A file of four floats: 1, 2, 3, 4.
  void put(const std::string &name) {
    const float values[] = {1, 2, 3, 4};
    folder.write(name, {reinterpret_cast<const char *>(values), 16});
  }
  void link(const std::string &name, const std::string &target) {
    std::filesystem::create_symlink(target, folder.file(name));
  }
  /// Writes x + w, with w in `location`.
  void writeModel(const std::string &location, const std::string &more = "") {
    const auto model = parseText(
        "graph {" + tensorInfo("input", "x", {"4"}) +
        tensorInfo("output", "y", {"4"}) +
        "initializer { name: 'w' data_type: 1 dims: 4 data_location: EXTERNAL "
        "external_data { key: 'location' value: '" +
        location + "' } " + more +
        " } node { op_type: 'Add' input: 'x' input: 'w' output: 'y' } }");
    folder.write("model/m.onnx", model.SerializeAsString());
  }
  /// The error of an import; empty: it has 1 to 4.
  std::string errorOf(const std::string &location,
                      const std::string &more = "") {
    writeModel(location, more);
    mlir::MLIRContext context;
    std::string error;
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
      error += d.str();
      return mlir::success();
    });
    OnnxOptions options;
    options.trainable = {"w"};
    options.externalData = allowed;
    auto imported = importOnnx(&context, folder.file("model/m.onnx"), options);
    if (failed(imported))
      return error.empty() ? "failed without an error" : error;
    const ir::Weight *weight = imported->weights.find("w");
    float values[4] = {};
    EXPECT_TRUE(weight && weight->bytes.size() == sizeof(values));
    if (weight)
      memcpy(values, weight->bytes.data(), sizeof(values));
    EXPECT_EQ(values[3], 4.0f);
    return error;
  }
  void expectTold(const std::string &location, const std::string &what,
                  const std::string &more = "") {
    EXPECT_EQ(errorOf(location, more),
              "m.onnx: node 'y' (Add): initialiser 'w' " + what);
  }
  void expectOutside(const std::string &location, const std::string &path) {
    expectTold(location,
               "has external data in '" + location + "': it leads to '" + path +
                   "', outside of the model's folder '" + folder.file("model") +
                   "'" + (allowed.empty() ? "" : " and of '" + allowed + "'") +
                   "; keep the file there, or name the folder that "
                   "it is in with --external-data");
  }

  TemporaryFolder folder;
  std::string allowed; ///< As of --external-data.
};

} // namespace

TEST_F(ExternalData, LieBelowTheModel) {
  put("model/sub/w.bin");
  for (const char *location : {"w.bin", "./w.bin", "sub/w.bin", "sub/../w.bin"})
    EXPECT_EQ(errorOf(location), "") << location;
  EXPECT_EQ(errorOf(folder.file("model/w.bin")), "");
}

TEST_F(ExternalData, LinksBelowTheModelAreFollowed) {
  link("model/link", "sub/next");
  link("model/sub/next", folder.file("model/w.bin"));
  link("model/folder", "sub/..");
  EXPECT_EQ(errorOf("link"), "");
  EXPECT_EQ(errorOf("folder/w.bin"), "");
}

TEST_F(ExternalData, OutsideIsRefusedHoweverItIsReached) {
  const std::string other = folder.file("other/w.bin");
  link("model/file", "../other/w.bin");
  link("model/chain", "sub/file");
  link("model/sub/file", other);
  link("model/folder", "../other");
  expectOutside("file", other);
  expectOutside("chain", other);
  expectOutside("folder/w.bin", other);
  expectOutside("../other/w.bin", other);
  expectOutside("sub/../../other/w.bin", other);
  expectOutside(other, other);
  expectOutside("/etc/passwd", "/etc/passwd");
}

/// A folder whose name begins like the model's is another one.
TEST_F(ExternalData, APrefixIsNotAFolder) {
  std::filesystem::create_directory(folder.file("model-2"));
  put("model-2/w.bin");
  expectOutside("../model-2/w.bin", folder.file("model-2/w.bin"));
}

TEST_F(ExternalData, AnotherFolderIsAllowed) {
  const std::string other = folder.file("other/w.bin");
  link("model/file", "../other/w.bin");
  allowed = folder.file("other");
  for (const std::string &location : {std::string("w.bin"), std::string("file"),
                                      std::string("../other/w.bin"), other})
    EXPECT_EQ(errorOf(location), "") << location;
  expectOutside("/etc/passwd", "/etc/passwd");
  std::filesystem::create_directory(folder.file("third"));
  put("third/w.bin");
  expectOutside("../third/w.bin", folder.file("third/w.bin"));
}

TEST_F(ExternalData, WhatTheModelLacksIsLookedForInTheOther) {
  folder.remove("model/w.bin");
  expectTold("w.bin", "has external data in 'w.bin': No such file or directory"
                      "; keep the file in the model's folder, or name the "
                      "folder that it is in with --external-data");
  allowed = folder.file("other");
  EXPECT_EQ(errorOf("w.bin"), "");
}

TEST_F(ExternalData, OnlyRegularFilesAreRead) {
  ASSERT_EQ(mkfifo(folder.file("model/fifo").c_str(), 0600), 0);
  link("model/link", "fifo");
  expectTold("fifo", "has external data in 'fifo': it is a fifo; name a "
                     "regular file");
  expectTold("link", "has external data in 'link': it is a fifo; name a "
                     "regular file");
  expectTold("sub", "has external data in 'sub': it is a folder; name a "
                    "regular file");
  expectTold(".", "has external data in '.': it is a folder; name a regular "
                  "file");
  EXPECT_NE(errorOf(""), "");
}

TEST_F(ExternalData, ASocketIsNoFile) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  folder.file("model/s").copy(address.sun_path, sizeof(address.sun_path) - 1);
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(
      bind(made, reinterpret_cast<const sockaddr *>(&address), sizeof(address)),
      0);
  EXPECT_NE(errorOf("s"), "");
  close(made);
}

TEST_F(ExternalData, TheRangeIsInTheFile) {
  auto range = [](const std::string &offset, const std::string &length) {
    return "external_data { key: 'offset' value: '" + offset +
           "' } external_data { key: 'length' value: '" + length + "' }";
  };
  folder.write("model/long.bin",
               std::string(16, 'x') + folder.read("other/w.bin"));
  EXPECT_EQ(errorOf("long.bin", range("16", "16")), "");
  auto beyond = [&](const std::string &location, const std::string &size,
                    const std::string &offset) {
    expectTold(location,
               "has external data in '" + location + "', which has " + size +
                   " bytes; the tensor needs 16 from byte " + offset +
                   " on: the file is cut, or of another model",
               range(offset, "16"));
  };
  beyond("long.bin", "32", "17");
  beyond("long.bin", "32", "32");
  beyond("long.bin", "32", "33");
  beyond("long.bin", "32", "18446744073709551615");
  beyond("long.bin", "32", "18446744073709551600");
  folder.write("model/short.bin", "too short");
  beyond("short.bin", "9", "0");
  folder.write("model/empty.bin", "");
  beyond("empty.bin", "0", "0");
  expectTold("w.bin", "has external data of 15 bytes; the type needs 16",
             range("0", "15"));
  for (const char *wrong : {"x", "-1", "18446744073709551616", ""})
    expectTold("w.bin",
               "has external data with the offset '" + std::string(wrong) +
                   "', which is no number of bytes",
               range(wrong, "16"));
}

//===----------------------------------------------------------------------===//
// The tools
//===----------------------------------------------------------------------===//

TEST_F(ExternalData, ToolsTakeAnotherFolder) {
  auto run = [&](const std::string &command) {
    const int status = std::system(("cd '" + folder.path() + "/model' && " +
                                    command + " 2>../err >../out </dev/null")
                                       .c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  };
  writeModel("../other/w.bin");
  for (const char *command : {SMP_TRANSLATE " --import-onnx m.onnx -o m.mlir",
                              SMP_COMPILE " m.onnx -o m.smp --level v2"}) {
    EXPECT_EQ(run(command), 1);
    EXPECT_NE(folder.read("err").find("outside of the model's folder"),
              std::string::npos)
        << folder.read("err");
    EXPECT_EQ(run(command + std::string(" --external-data ../other")), 0)
        << folder.read("err");
    const std::string onto = std::string(command).substr(
        0, std::string(command).rfind(" -o ")); // Without its options.
    EXPECT_EQ(run(onto + " --external-data ../other -o ../other/w.bin"), 1);
    EXPECT_NE(folder.read("err").find("w.bin', which is read"),
              std::string::npos)
        << folder.read("err");
    EXPECT_EQ(folder.read("other/w.bin").size(), 16u);
    EXPECT_EQ(run(command + std::string(" --external-data ../none")), 1);
    EXPECT_NE(folder.read("err").find(
                  "--external-data is '../none', which is no folder"),
              std::string::npos)
        << folder.read("err");
  }
  EXPECT_EQ(run(SMP_COMPILE " m.mlir -o m.smp --external-data ../other"), 1);
  EXPECT_NE(folder.read("err").find("--external-data is for ONNX models"),
            std::string::npos)
      << folder.read("err");
}
