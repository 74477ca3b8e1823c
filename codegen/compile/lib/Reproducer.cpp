// SPDX-License-Identifier: Apache-2.0
#include "Reproducer.h"
#include "mlir/IR/Diagnostics.h"
#include "smp/base/AtomicFile.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace smp::compile {

namespace {

/// Written when it is destroyed: that is how MLIR says that it is complete.
class ReproducerFile : public ReproducerStream {
public:
  ReproducerFile(MLIRContext *context, std::string path)
      : context(context), path(std::move(path)) {}
  ~ReproducerFile() override {
    if (Status status = writeFile(path, text); !status.ok())
      emitError(UnknownLoc::get(context))
          << "the reproducer is lost: " << status.message();
  }
  StringRef description() override { return path; }
  llvm::raw_ostream &os() override { return stream; }

private:
  MLIRContext *context;
  std::string path, text;
  llvm::raw_string_ostream stream{text};
};

} // namespace

void leaveReproducer(PassManager &passes, const std::string &path) {
  passes.enableCrashReproducerGeneration(
      [context = passes.getContext(), path](std::string &) {
        return std::make_unique<ReproducerFile>(context, path);
      });
}

} // namespace smp::compile
