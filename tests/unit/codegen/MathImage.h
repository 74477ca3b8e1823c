// SPDX-License-Identifier: Apache-2.0
// Functions of the math library, compiled and loaded into the test.

#ifndef SMP_TESTS_CODEGEN_MATHIMAGE_H
#define SMP_TESTS_CODEGEN_MATHIMAGE_H

#include "mlir/IR/Builders.h"
#include "smp/codegen/cpu/Level.h"
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace smp::codegen::cpu {
/// How GoogleTest names a level.
inline void PrintTo(const Level &level, std::ostream *out) {
  *out << level.name.str();
}
} // namespace smp::codegen::cpu

namespace smp::test {

/// Makes a result from operands at the builder's insertion point.
using EmitBody = std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                           mlir::ValueRange)>;

/// A loop over arrays: out[i] = body(in0[i], in1[i] ...), `lanes` elements at a
/// time as a vector, or one as a scalar when 0.
struct MathFunction {
  std::string name;
  std::string input, output; ///< Element types: "f32", "i64" ...
  unsigned operands;
  unsigned lanes;
  EmitBody body;
};

/// Calls of `count` elements, a multiple of `lanes`.
using MathPointer = void (*)(const void *in0, const void *in1, void *out,
                             int64_t count);

/// Functions compiled for one level and loaded.
class MathImage {
public:
  /// Null on failure, with the reason in `error`.
  static std::unique_ptr<MathImage>
  load(const std::vector<MathFunction> &functions,
       const codegen::cpu::Level &level, std::string &error);
  ~MathImage();
  MathPointer find(const std::string &name) const;
  /// Names that the object file refers to and does not define.
  const std::vector<std::string> &undefinedSymbols() const { return undefined; }

private:
  void *handle = nullptr; // Owned.
  // Owned, and open while loaded: dlopen takes a path it has seen before for
  // the same library.
  int file = -1;
  std::vector<std::string> undefined;
};

/// Whether this machine runs code of a level.
bool isSupported(const codegen::cpu::Level &level);

} // namespace smp::test

#endif // SMP_TESTS_CODEGEN_MATHIMAGE_H
