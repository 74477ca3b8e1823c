// SPDX-License-Identifier: Apache-2.0
// Placement files that somebody else has written or edited, of one small model:
// an error that says what is wrong, or a placement of every op; and what is
// written of it places them the same way.
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "smp/passes/placement/LoweredModel.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/placement/PlacementText.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using namespace smp;
using namespace smp::passes;

// Two ops of one name, an op without one, a pin, and two entries that share a
// variable.
static constexpr const char *kModel = R"(
module attributes {smp.partitions = 3 : i64} {
smp.variable @w parameter : tensor<8x8xf32> = #smp.splat<0.5>
smp.entry @train(%x: tensor<8x8xf32> {smp.name = "x"}) -> (tensor<8x8xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<8x8xf32>
  %0 = smp.mul %x, %w : tensor<8x8xf32> loc("first")
  %1 = smp.exp %0 : tensor<8x8xf32> loc("twice")
  %2 = smp.tanh %1 : tensor<8x8xf32> loc("twice")
  %3 = smp.relu %2 : tensor<8x8xf32>
  smp.return %3 : tensor<8x8xf32>
}
smp.entry @predict(%x: tensor<8x8xf32> {smp.name = "x"}) -> (tensor<8x8xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<8x8xf32>
  %0 = smp.add %x, %w : tensor<8x8xf32> loc("first")
  %1 = smp.exp %0 {smp.placement = #smp.placement<1, user>} : tensor<8x8xf32> loc("pinned")
  smp.return %1 : tensor<8x8xf32>
}
})";

static void require(bool holds) {
  if (!holds)
    std::abort();
}

/// A file in memory, under a path.
class MemoryFile {
public:
  MemoryFile() : file(memfd_create("placement", 0)) { require(file >= 0); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(file); }
  void hold(llvm::StringRef bytes) const {
    require(ftruncate(file, 0) == 0 && pwrite(file, bytes.data(), bytes.size(),
                                              0) == ssize_t(bytes.size()));
  }

private:
  const int file;
};

/// The model; with all ops on partitions where the file can be followed.
class Follower {
public:
  Follower() {
    context.loadDialect<ir::SmpDialect>();
    context.disableMultithreading();
    model = parseSourceString<ModuleOp>(kModel, &context);
    require(bool(model));
  }

  OwningOpRef<ModuleOp> follow(llvm::StringRef bytes, PartitionMode mode) {
    file.hold(bytes);
    bool hasError = false;
    ScopedDiagnosticHandler listen(&context, [&](Diagnostic &said) {
      require(!said.str().empty());
      hasError |= said.getSeverity() == DiagnosticSeverity::Error;
      return success();
    });
    PlacementRequest request;
    request.mode = mode;
    request.loadPlacement = file.path();
    request.savePlacement = "written by who calls";
    OwningOpRef<ModuleOp> placed = model->clone();
    PassManager passes(&context);
    buildPlacementPipeline(passes, request, costs);
    if (succeeded(passes.run(*placed)))
      return placed;
    require(hasError);
    return nullptr;
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> model;
  const MemoryFile file;
  const RooflineModel costs{{.flopsPerSecond = 9e10,
                             .bytesPerSecond = 2.5e10,
                             .launchSeconds = 1e-6,
                             .transferBytesPerSecond = 8e9,
                             .transferSeconds = 5e-6}};
};

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Follower follower;
  const llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  for (PartitionMode mode : {PartitionMode::Auto, PartitionMode::Manual,
                             PartitionMode::IgnoreAnnotations}) {
    OwningOpRef<ModuleOp> placed = follower.follow(bytes, mode);
    if (!placed)
      continue;
    require(succeeded(verifyPlaced(*placed)));
    const std::string text = takePlacementText(*placed);
    OwningOpRef<ModuleOp> again = follower.follow(text, mode);
    require(bool(again) && assignmentOf(*again).partitionOf ==
                               assignmentOf(*placed).partitionOf);
  }
  return 0;
}
