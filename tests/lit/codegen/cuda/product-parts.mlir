// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A tile is all that there is of the results: three blocks make a part each of
// the sums, of 256 in depth at least, which a second kernel adds in order.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<16000xf32, 1>
// CHECK-SAME: %[[SUMS:[a-z0-9]+]]: memref<768xf32, 1>
// CHECK-SAME: smp.block = array<i32: 64>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK: scf.for %{{.*}} = %c1 to %c42 step %c1
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK-LABEL: func.func @k1_sm_80(
// CHECK-SAME: %[[SUMS:[a-z0-9]+]]: memref<768xf32, 1>
// CHECK: %[[FIRST:.*]] = memref.load %[[SUMS]]
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%[[SUM:.*]] = %[[FIRST]])
// CHECK: %[[PART:.*]] = memref.load %[[SUMS]]
// CHECK: arith.addf %[[SUM]], %[[PART]]
// CHECK: arith.negf
smp.entry @f(%x: tensor<16x1000xf32> {smp.name = "x"}, %w: tensor<16x1000xf32> {smp.name = "w"}) -> (tensor<16x16xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<16x1000xf32>, tensor<16x1000xf32>) -> tensor<16x16xf32>
  %1 = smp.neg %0 : tensor<16x16xf32>
  smp.return %1 : tensor<16x16xf32>
}
