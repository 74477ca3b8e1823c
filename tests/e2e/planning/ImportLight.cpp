// SPDX-License-Identifier: Apache-2.0
#include "ImportLight.h"
#include "mlir/IR/MLIRContext.h"
#include "smp/compile/Compile.h"
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace smp::test {

void importLight(
    const std::string &name,
    const std::function<void(mlir::ModuleOp, const ir::WeightStore &)> &use) {
  std::string folder;
  FILE *pipe =
      popen(SMP_TEST_SOURCE_DIR "/../utils/get-model onnx-light 2>&1", "r");
  for (int c; pipe && (c = std::fgetc(pipe)) != EOF;)
    folder += char(c);
  if (!pipe || pclose(pipe) != 0)
    GTEST_SKIP() << "needs the light models: " << folder;
  folder.pop_back(); // The end of the line.
  const std::string path = folder + "/light_" + name + ".onnx";
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  mlir::DialectRegistry registry;
  compile::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  auto imported = importOnnx(&context, bytes.str(), path, folder, {});
  ASSERT_TRUE(succeeded(imported));
  use(*imported->module, imported->weights);
}

} // namespace smp::test
