// SPDX-License-Identifier: Apache-2.0
// What becomes of the bytes of an ONNX model: a module that is sound, or one
// error that says what is wrong.
#include "ImportOnce.h"
#include <cstdlib>

using namespace smp;

static void check(const std::string &bytes, const OnnxOptions &options) {
  const ImportOnce import(bytes, options);
  if (import.complaint().empty())
    return;
  llvm::errs() << import.complaint() << "\n";
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string bytes(reinterpret_cast<const char *>(data), size);
  check(bytes, {});
  check(bytes, withRows(bytes));
  return 0;
}
