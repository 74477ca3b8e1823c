// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// Channels in the lanes of a vector, neighbouring pixels side by side, so that
// each weight is read once for all of them.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<200xf32> {llvm.noalias}, %[[W:[a-z0-9]+]]: memref<72xf32> {llvm.noalias}, %[[Y:[a-z0-9]+]]: memref<72xf32> {llvm.noalias}
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c3 step %c1 {
// CHECK: %[[SUMS:.*]]:3 = scf.for %{{.*}} = %c0 to %c3 step %c1 iter_args(
// CHECK: %[[TAP:.*]] = vector.load %[[W]]
// CHECK: llvm.intr.fmuladd(%{{.*}}, %[[TAP]], %{{.*}})
// CHECK: llvm.intr.fmuladd(%{{.*}}, %[[TAP]], %{{.*}})
// CHECK: llvm.intr.fmuladd(%{{.*}}, %[[TAP]], %{{.*}})
// CHECK-COUNT-6: llvm.intr.fmuladd(
// CHECK-NOT: llvm.intr.fmuladd(
// CHECK: vector.store %[[SUMS]]#0, %[[Y]]
// CHECK: vector.store %[[SUMS]]#1, %[[Y]]
// CHECK: vector.store %[[SUMS]]#2, %[[Y]]
smp.entry @f(%x: tensor<1x5x5x8xf32> {smp.name = "x"}, %w: tensor<3x3x8xf32> {smp.name = "w"}) -> (tensor<1x3x3x8xf32> {smp.name = "y"}) {
  %y = smp.depthwise_conv %x, %w {dilations = array<i64: 1, 1>, high = array<i64: 0, 0>, low = array<i64: 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x5x5x8xf32>, tensor<3x3x8xf32>) -> tensor<1x3x3x8xf32>
  smp.return %y : tensor<1x3x3x8xf32>
}
