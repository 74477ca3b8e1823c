// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// What is outside of the input is not read.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<6xf32, 1> {llvm.align = 8 : i64, llvm.noalias}, %[[S:[a-z0-9]+]]: memref<1xf32, 1>
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %{{.*}}, %c3 : index
// CHECK: %[[FILL:.*]] = memref.load %[[S]]
// CHECK: scf.if %[[INSIDE]] -> (f32) {
// CHECK: memref.load %[[X]]
// CHECK: } else {
// CHECK: scf.yield %[[FILL]] : f32
smp.entry @f(%x: tensor<2x3xf32> {smp.name = "x"}, %s: tensor<f32> {smp.name = "s"}) -> (tensor<2x6xf32> {smp.name = "y"}) {
  %y = smp.pad %x, %s {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
  smp.return %y : tensor<2x6xf32>
}
