// SPDX-License-Identifier: Apache-2.0
// smp-checkpoint, called as a person calls it.

#ifndef SMP_TESTS_UNIT_TOOLS_SMPCHECKPOINTFIXTURE_H
#define SMP_TESTS_UNIT_TOOLS_SMPCHECKPOINTFIXTURE_H

#include "CheckpointHelpers.h"
#include "smp/serialization/Safetensors.h"
#include <sys/wait.h>

namespace smp::test {

struct SmpCheckpoint : testing::Test {
  TemporaryFolder folder;
  const std::string golden = SMP_TEST_SOURCE_DIR "/golden/bundles/";
  std::string before; ///< What the shell does before, as "ulimit -d 9 &&".
  std::string out, err;

  SmpCheckpoint() {
    for (const char *name : {"run", "tf", "back"})
      std::filesystem::create_directory(folder.file(name));
  }

  /// Runs the tool in the folder and returns its exit code.
  int run(const std::string &arguments) {
    const std::string command = "cd '" + folder.path() + "' && " + before +
                                " '" SMP_CHECKPOINT "' " + arguments +
                                " >out 2>err </dev/null";
    const int status = std::system(command.c_str());
    out = folder.read("out");
    err = folder.read("err");
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// Fails, with a message that has this.
  void expectError(const std::string &arguments, const std::string &part,
                   int code = 1) {
    EXPECT_EQ(run(arguments), code) << arguments;
    EXPECT_EQ(err.find("smp-checkpoint: "), 0u) << err;
    EXPECT_NE(err.find(part), std::string::npos) << err;
  }
  CheckpointManager managerOf(Checkpoint checkpoint, const std::string &name) {
    return CheckpointManager(std::move(checkpoint),
                             {.directory = folder.file(name)});
  }
  std::vector<std::string> filesIn(const std::string &name) {
    std::vector<std::string> files;
    for (const auto &file :
         std::filesystem::directory_iterator(folder.file(name)))
      files.push_back(file.path().filename().string());
    std::sort(files.begin(), files.end());
    return files;
  }
  /// The names in a safetensors file.
  std::vector<std::string> tensorsIn(const std::string &name) {
    std::vector<std::string> names;
    auto file = Safetensors::open(folder.file(name));
    EXPECT_TRUE(file.ok()) << file.status().message();
    if (file.ok())
      for (const SafetensorsTensor &tensor : file->tensors())
        names.push_back(tensor.name);
    return names;
  }
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_TOOLS_SMPCHECKPOINTFIXTURE_H
