// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Each element of the result finds the operand that it is of.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<6xf32, 1> {llvm.align = 8 : i64, llvm.noalias}, %[[B:[a-z0-9]+]]: memref<18xf32, 1> {llvm.align = 8 : i64, llvm.noalias}
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %{{.*}}, %c3 : index
// CHECK: scf.if %[[FIRST]] -> (f32) {
// CHECK: memref.load %[[A]]
// CHECK: } else {
// CHECK: memref.load %[[B]]
smp.entry @f(%a: tensor<2x3xf32> {smp.name = "a"}, %b: tensor<2x9xf32> {smp.name = "b"}) -> (tensor<2x12xf32> {smp.name = "y"}) {
  %y = smp.concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x9xf32>) -> tensor<2x12xf32>
  smp.return %y : tensor<2x12xf32>
}
