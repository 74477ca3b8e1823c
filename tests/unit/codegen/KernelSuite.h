// SPDX-License-Identifier: Apache-2.0
// Cases of small graphs that are compiled together, run on every level that
// the machine under test has, and compared with the reference evaluator.

#ifndef SMP_TESTS_UNIT_CODEGEN_KERNELSUITE_H
#define SMP_TESTS_UNIT_CODEGEN_KERNELSUITE_H

#include "CompiledModule.h"
#include "KernelTensors.h"
#include "Recording.h"
#include "mlir/IR/Builders.h"
#include "smp/ir/Constants.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Smp.h"
#include "smp/model/Reference.h"
#include <functional>
#include <set>
#include <span>

namespace smp::test {

/// Makes the ops of one entry.
class Ops {
public:
  Ops(mlir::ModuleOp module, std::string prefix)
      : b(module.getContext()), module(module), prefix(std::move(prefix)) {}

  /// Emits an op whose result types follow from its operands.
  template <typename Op, typename... Args>
  Op make(Args &&...args) {
    return Op::create(b, b.getUnknownLoc(), std::forward<Args>(args)...);
  }
  /// The same under a name, which errors say.
  template <typename Op, typename... Args>
  mlir::Value makeNamed(llvm::StringRef name, Args &&...args) {
    return Op::create(b, mlir::NameLoc::get(b.getStringAttr(name)),
                      std::forward<Args>(args)...)
        .getResult();
  }
  mlir::Type type(DType dtype, Shape shape) {
    return ir::toMlir(b.getContext(), smp::TensorType{dtype, std::move(shape)});
  }
  mlir::Value splat(mlir::Type type, double value) {
    return ir::splat(b, b.getUnknownLoc(), type, value);
  }
  /// Stretches `value` to `shape`; `dims`: where each of its dimensions goes.
  mlir::Value broadcast(mlir::Value value, Shape shape, Shape dims);
  mlir::Value reshape(mlir::Value value, Shape shape);
  /// Reads a new variable with uniform elements in [-1, 1).
  mlir::Value variable(DType dtype, Shape shape);

  mlir::OpBuilder b;

private:
  mlir::ModuleOp module;
  std::string prefix; ///< Of the names of variables.
  unsigned variables = 0;
};

/// Of `types` the first and, turning with `number`, another: every shape of a
/// list meets the main type, and every type some shapes.
inline std::vector<DType> turning(std::span<const DType> types, size_t number) {
  return {types[0], types[1 + number % (types.size() - 1)]};
}

using Build = std::function<llvm::SmallVector<mlir::Value>(
    Ops &, llvm::ArrayRef<mlir::Value> operands)>;

/// A case's name: what it does, and the type it does it for.
inline std::string nameOf(const std::string &text, DType type) {
  return text + " " + std::string(toString(type));
}

class KernelSuite {
public:
  explicit KernelSuite(uint32_t seed = chooseSeed()) : seed(seed) {}

  /// The mnemonics in the graphs of all suites that ran.
  static std::set<std::string> &testedOps();

  /// `name` is for messages only.
  void add(std::string name, std::vector<Operand> operands, Bound bound,
           Build build);
  /// A case whose step must fail with a message that contains all of `words`,
  /// on inputs as given.
  void addFault(std::string name, std::vector<HostTensor> inputs,
                std::vector<std::string> words, Build build);

  /// Compiles and runs all cases; failures are test failures. On each level:
  /// results are within the bound of the reference's, and the same bits on one
  /// and on two cores, and for `placements` random placements of the ops over
  /// `partitions` partitions. Where SMP_TEST_RECORD names a folder, what the
  /// first level gave is recorded there (Recording.h), under the test's name.
  void run(uint32_t partitions = 2, unsigned placements = 1);

private:
  struct Case {
    std::string name;
    std::vector<HostTensor> inputs; ///< Drawn in run() when operands say so.
    std::vector<Operand> operands;
    std::vector<DrawnTensor> drawn; ///< Filled in by run().
    Bound bound;
    Build build;
    std::vector<std::string> faultWords; ///< Not empty: the step must fail.
    std::set<std::string> ops;           ///< Mnemonics, filled in by run().
    int64_t depth = 0; ///< Of its deepest product, filled in by run().
    /// Filled in by run(): the entry as it is, then its random placements.
    std::vector<std::string> entries;
    Evaluation expected;
  };
  void addEntries(mlir::ModuleOp module, uint32_t partitions,
                  unsigned placements, std::mt19937 &random);
  void evaluateAll(mlir::ModuleOp module);
  void checkStep(const Case &item, const std::string &entry,
                 const std::string &where, Session &session,
                 std::vector<HostTensor> &first);
  void record(Session &session, std::span<const std::byte> program) const;
  /// Compares what another machine gave with the bits of x86-64-v3, where the
  /// ops of a case fix the order of everything that is summed.
  void compareWithProcessor(CompilerContext &context, mlir::ModuleOp module,
                            uint32_t partitions,
                            std::span<const std::vector<HostTensor>> given);

  const uint32_t seed; ///< Of inputs and placements.
  std::vector<Case> cases;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_CODEGEN_KERNELSUITE_H
