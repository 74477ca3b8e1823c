// SPDX-License-Identifier: Apache-2.0
// What a program can be compiled for.

#ifndef SMP_CODEGEN_TARGET_TARGET_H
#define SMP_CODEGEN_TARGET_TARGET_H

#include "smp/codegen/target/KernelPlan.h"
#include "smp/model/BlockLaunch.h"
#include <cstddef>
#include <optional>

namespace smp::codegen {

/// A kernel to be: a planned group, in how many launches it is done, and the
/// symbol of each.
struct KernelSource {
  ir::GroupOp group;
  const KernelPlan *plan; // Borrowed.
  llvm::SmallVector<std::string, 1> symbols;
};

/// How a launch is carried out: what the program file says of a variant.
struct LaunchShape {
  uint32_t grid[3] = {1, 1, 1};
  uint64_t scratchBytes = 0; ///< Per thread.
  /// Where the grid is one of blocks of threads.
  std::optional<BlockLaunch> blocks = {};
};

/// Kernels for one level, compiled together.
struct ObjectCode {
  llvm::SmallVector<char, 0> bytes;  ///< In a form of the target's own.
  std::vector<LaunchShape> launches; ///< Of each source in turn.
};

/// What the images of a target are.
enum class ImageForm { SharedObject, Ptx };

/// What a device loads, and in which image each object is.
struct LinkedImages {
  std::vector<std::vector<std::byte>> images;
  std::vector<uint32_t> imageOf; ///< By object.
};

/// Machine code that was made of an image.
struct AssembledCode {
  std::vector<std::byte> bytes;
  /// Kernels that keep values in memory because registers do not suffice, and
  /// the bytes of each that a thread stores so.
  std::vector<std::pair<std::string, uint64_t>> spills;
};

/// A command that makes machine code of a target's images, for devices that
/// would have to make it when they load them.
class Assembler {
public:
  virtual ~Assembler() = default;
  /// What it makes code for, as image infos of a program call it.
  virtual llvm::ArrayRef<llvm::StringRef> architectures() const = 0;
  /// May be called from several threads at once. The same image gives the same
  /// bytes.
  virtual mlir::FailureOr<AssembledCode>
  assemble(mlir::Location where, llvm::ArrayRef<std::byte> image,
           llvm::StringRef architecture) const = 0;
};

/// A kind of device that kernels are made for. plan(), emit() and compile() may
/// be called from several threads at once; traits() is asked once per context.
///
/// Passes know a target by its traits, `export` by what is here: so one more
/// target is one more class, and a line that registers it (TargetRegistry.h).
class Target {
public:
  virtual ~Target() = default;

  /// What `--target` and `#smp.target` call it: "cpu".
  virtual llvm::StringRef name() const = 0;
  /// What kernels in a program file are said to be for, which devices compare
  /// with what they are: "x86-64".
  virtual llvm::StringRef architecture() const = 0;
  virtual ImageForm imageForm() const { return ImageForm::SharedObject; }
  /// What passes must know of it.
  virtual ir::TargetAttr traits(mlir::MLIRContext *context) const = 0;
  /// The levels that it makes kernels for, ascending.
  virtual llvm::ArrayRef<llvm::StringRef> levels() const = 0;
  /// Whether devices of that kind, as costs name them, run its kernels:
  /// "x86-64-v4". By default the kind is an architecture and a level.
  virtual bool runsOn(llvm::StringRef kind) const;
  /// Loads the dialects that compile() meets: a context must not load one while
  /// several threads compile.
  virtual void loadDialects(mlir::MLIRContext *context) const = 0;

  /// The launches that do the group's work, for every level, and what they hand
  /// to each other. Cheap: memory is planned by it. The group uses nothing from
  /// outside; its body is in its simplest shapes (smp/ir/Collapse.h), its
  /// operands have those that they had. Emits an error for a group that it has
  /// no kernel for.
  virtual mlir::FailureOr<KernelPlan> plan(ir::GroupOp group) const = 0;

  /// Adds a function per launch to `code`, as they are before they are lowered;
  /// returns how each is launched. For reading.
  virtual mlir::FailureOr<std::vector<LaunchShape>>
  emit(mlir::ModuleOp code, const KernelSource &source,
       llvm::StringRef level) const = 0;

  /// Compiles kernels of planned groups. The same sources give the same bytes.
  virtual mlir::FailureOr<ObjectCode>
  compile(mlir::Location where, llvm::ArrayRef<KernelSource> sources,
          llvm::StringRef level) const = 0;

  /// Makes what a device can load of all objects of a program.
  virtual mlir::FailureOr<LinkedImages>
  link(mlir::Location where, llvm::ArrayRef<ObjectCode> objects) const = 0;

  /// What assembles its images: `command`, or what is on the PATH when that is
  /// empty. An error where it is not there. Null: images are what devices load.
  virtual mlir::FailureOr<std::unique_ptr<Assembler>>
  findAssembler(mlir::Location where, llvm::StringRef command) const {
    return std::unique_ptr<Assembler>();
  }
};

} // namespace smp::codegen

#endif // SMP_CODEGEN_TARGET_TARGET_H
