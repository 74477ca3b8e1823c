// SPDX-License-Identifier: Apache-2.0
// smp-inspect as a person calls it.
#include "SampleProgram.h"
#include "TemporaryFolder.h"
#include "smp/serialization/ProgramFile.h"
#include "smp/serialization/Safetensors.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>

using namespace smp;

namespace {
struct SmpInspect : testing::Test {
  SampleProgram sample;
  TemporaryFolder folder;
  std::string out, err;

  /// Runs the tool in the folder and returns its exit code.
  int run(const std::string &arguments) {
    std::string command = "cd '" + folder.path() + "' && '" SMP_INSPECT "' " +
                          arguments + " >out 2>err </dev/null";
    int status = std::system(command.c_str());
    out = folder.read("out");
    err = folder.read("err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void write() {
    ASSERT_TRUE(writeProgram(sample.program, folder.file("p.smp")).ok());
  }
};
} // namespace

TEST_F(SmpInspect, PrintsText) {
  write();
  EXPECT_EQ(run("p.smp"), 0) << err;
  EXPECT_EQ(out.find("program\n"), 0u);
  EXPECT_EQ(err, "");
}

TEST_F(SmpInspect, PrintsJsonAndWritesAPage) {
  write();
  EXPECT_EQ(run("p.smp --json --html page.html"), 0) << err;
  EXPECT_EQ(out.find("{\n"), 0u);
  EXPECT_EQ(folder.read("page.html").find("<!DOCTYPE html>"), 0u);
  EXPECT_EQ(run("p.smp --html page.html"), 0);
  // A page never takes the place of what it is of.
  EXPECT_EQ(run("p.smp --html ./p.smp"), 1);
  EXPECT_EQ(err, "smp-inspect: --html would replace 'p.smp', which is read; "
                 "name another file\n");
  EXPECT_EQ(run("p.smp --html page.html --trace page.html"), 1);
  EXPECT_EQ(err, "smp-inspect: --html would replace 'page.html', which is "
                 "read; name another file\n");
}

TEST_F(SmpInspect, SaysWhatIsMissingWhereGraphvizHasNoPlugins) {
  write();
  ASSERT_EQ(setenv("GVBINDIR", folder.path().c_str(), 1), 0);
  EXPECT_EQ(run("p.smp --html page.html"), 1);
  ASSERT_EQ(unsetenv("GVBINDIR"), 0);
  EXPECT_EQ(err, "smp-inspect: Graphviz has no layout 'dot' here: install its "
                 "libgvc6 and its plugins, and run `dot -c` as root\n");
  EXPECT_FALSE(std::filesystem::exists(folder.file("page.html")));
  EXPECT_EQ(out, "");
}

TEST_F(SmpInspect, AccountsForEveryByte) {
  namespace fs = std::filesystem;
  write();
  std::vector<fs::path> programs = {folder.file("p.smp")};
  for (const auto &file : fs::directory_iterator(SMP_TEST_SOURCE_DIR "/golden"))
    if (file.path().extension() == ".smp")
      programs.push_back(file.path());
  EXPECT_GT(programs.size(), 1u);
  for (const fs::path &path : programs) {
    const auto size = fs::file_size(path);
    ASSERT_EQ(run("--json '" + path.string() + "'"), 0) << err;
    uint64_t bytes = 0;
    const auto program = nlohmann::json::parse(out);
    for (const auto &part : program["file"])
      bytes += part["bytes"].get<uint64_t>();
    EXPECT_EQ(bytes, size) << path;
    ASSERT_EQ(run("'" + path.string() + "'"), 0) << err;
    const size_t total = out.rfind("total ");
    ASSERT_NE(total, std::string::npos);
    EXPECT_NE(out.find(" " + std::to_string(size) + " ", total),
              std::string::npos)
        << out.substr(total);
  }
}

TEST_F(SmpInspect, WeightsBesideMayBeMissingButNotWrong) {
  write();
  std::vector<std::byte> w(64);
  std::vector<SafetensorsTensor> tensors = {{"w", {DType::F32, {4, 4}}, w}};
  StatusOr<FileDigest> digest =
      writeSafetensors(tensors, {}, folder.file("p.safetensors"));
  ASSERT_TRUE(digest.ok());
  sample.program.weights = {"p.safetensors", digest->size, digest->crc32c};
  sample.program.weightBytes = {};
  write();
  EXPECT_EQ(run("p.smp"), 0) << err;
  EXPECT_NE(out.find("digest right"), std::string::npos);
  EXPECT_EQ(run("p.smp --html p.safetensors"), 1);
  EXPECT_EQ(err, "smp-inspect: --html would replace 'p.safetensors', which is "
                 "read; name another file\n");
  folder.write("p.safetensors", "something else");
  EXPECT_EQ(run("p.smp"), 1);
  folder.remove("p.safetensors");
  EXPECT_EQ(run("p.smp"), 0);
  EXPECT_NE(out.find("not found"), std::string::npos);
}

TEST_F(SmpInspect, WrongFilesAreOneMessage) {
  folder.write("text", "hello");
  EXPECT_EQ(run("text"), 1);
  EXPECT_EQ(err, "smp-inspect: text: this is not a program: it does not begin "
                 "as a .smp file does\n");
  EXPECT_EQ(out, "");
  EXPECT_EQ(run("none.smp"), 1);
  EXPECT_EQ(err, "smp-inspect: cannot read 'none.smp': No such file or "
                 "directory\n");
  EXPECT_EQ(run(""), 1);
  EXPECT_EQ(run("--colour p.smp"), 1);
  EXPECT_EQ(run("--colour"), 1);
  EXPECT_NE(err.find("--colour"), std::string::npos) << err;
  write();
  EXPECT_EQ(run("p.smp --html none/page.html"), 1);
  EXPECT_EQ(err, "smp-inspect: cannot write 'none/page.html': No such file or "
                 "directory\n");
}

/// What is larger than the stream's buffer fails before it is flushed.
TEST_F(SmpInspect, AnOutputThatIsFullIsAnError) {
  write();
  ASSERT_EQ(run("p.smp --json"), 0) << err;
  ASSERT_GT(out.size(), size_t(BUFSIZ));
  for (const char *arguments : {"p.smp", "p.smp --json", "--help"}) {
    const std::string command = "cd '" + folder.path() +
                                "' && '" SMP_INSPECT "' " + arguments +
                                " >/dev/full 2>err";
    EXPECT_NE(std::system(command.c_str()), 0) << arguments;
    EXPECT_EQ(folder.read("err"), "smp-inspect: cannot write the standard "
                                  "output: No space left on device\n");
  }
}

TEST_F(SmpInspect, HelpNamesEveryOption) {
  EXPECT_EQ(run("--help"), 0);
  for (const char *option : {"--json", "--html", "--help", "program"})
    EXPECT_NE(out.find(option), std::string::npos) << option;
}
