// RUN: smp-opt %s "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A result that lies where an operand does: all is read before anything is
// written, and neither is said to be alone.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<32xf32, 1> {llvm.align = 16 : i64}, %[[G:[a-z0-9]+]]: memref<32xf32, 1> {llvm.align = 16 : i64, llvm.noalias}, %[[N:[a-z0-9]+]]: memref<32xf32, 1> {llvm.align = 16 : i64}, %{{.*}}: !llvm.ptr<1>
// CHECK: memref.load %[[W]]
// CHECK: memref.load %[[G]]
// CHECK: memref.store %{{.*}}, %[[N]]
smp.stage @f(%w: tensor<32xf32>, %g: tensor<32xf32>) -> tensor<32xf32> attributes {partition = 0 : i64} {
  %0 = smp.group loop(%w, %g) {smp.in_place = array<i64: 0, 0>} : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> {
  ^bb0(%a: tensor<32xf32>, %b: tensor<32xf32>):
    %n = smp.sub %a, %b : tensor<32xf32>
    smp.return %n : tensor<32xf32>
  }
  smp.return %0 : tensor<32xf32>
}
