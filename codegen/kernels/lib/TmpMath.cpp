#include "smp/codegen/MathLibrary.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
using namespace mlir;
namespace smp::codegen {
#define S(n) Value n(OpBuilder&b,Location l,Value x){return x;}
S(emitExp) S(emitExpm1) S(emitLog) S(emitLog1p) S(emitTanh) S(emitErf) S(emitSin) S(emitCos) S(emitTan) S(emitAsin) S(emitAcos) S(emitAtan) S(emitSinh) S(emitCosh) S(emitAsinh) S(emitAcosh) S(emitAtanh) S(emitFloor) S(emitCeil) S(emitRoundEven) S(emitBF16ToF32) S(emitF16ToF32) S(emitF32ToBF16) S(emitF32ToF16)
Value emitSqrt(OpBuilder&b,Location l,Value x){return math::SqrtOp::create(b,l,x);}
Value emitRsqrt(OpBuilder&b,Location l,Value x){return math::SqrtOp::create(b,l,x);}
Value emitPow(OpBuilder&b,Location l,Value x,Value y){return x;}
Value emitFmod(OpBuilder&b,Location l,Value x,Value y){return x;}
Value emitFma(OpBuilder&b,Location l,Value x,Value y,Value z){return LLVM::FMulAddOp::create(b,l,x.getType(),x,y,z);}
Value emitFloatToInt(OpBuilder&b,Location l,Value x,unsigned,bool){return x;}
Value emitIntToFloat(OpBuilder&b,Location l,Value x,Type,bool){return x;}
}
