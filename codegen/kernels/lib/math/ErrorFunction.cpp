// SPDX-License-Identifier: Apache-2.0
// The error function.

#include "Parts.h"
#include "Polynomials.h"
#include "smp/codegen/MathLibrary.h"

using namespace mlir;
using namespace smp::codegen::math;
using namespace smp::codegen::polynomial;

/// -expm1(log(erfc(t))), log(erfc(t)) = t G(t): one polynomial is good both
/// near zero and where the result is near one. G + 1 is small where the last
/// places count, and -t is exact.
static Num erfF32(Num x) {
  Num t = atMost(abs(x), 3.93); // From here on the result is 1.
  Expm1Parts e = expm1Parts(t * polynomial(kErfF32, t) - t);
  return copySign(fma(e.scale, e.q, e.scale - 1), x);
}

static Num erfF64(Num x) {
  Num magnitude = abs(x);
  Num near = fma(magnitude, polynomial(kErfNearF64, x * x), magnitude);
  Num t = atMost(magnitude, 5.95);
  Num far = 1 - exponential(t * polynomial(kErfFarF64, t));
  return copySign(select(magnitude < 1, near, far), x);
}

namespace smp::codegen {
Value emitErf(OpBuilder &b, Location loc, Value x) {
  Num number{&b, loc, x};
  return number.isF32() ? erfF32(number) : erfF64(number);
}
} // namespace smp::codegen
