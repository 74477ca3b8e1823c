// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Few rows that are long are in parts, here two each, of which the second is
// shorter: a launch leaves their sums, and such that do not leave their type.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<33000xf32, 1>{{.*}}, %[[SUMS:[a-z0-9]+]]: memref<4xf32, 1>{{.*}}, %[[WIDE:[a-z0-9]+]]: memref<4xf64, 1>
// CHECK-SAME: smp.block = array<i32: 256>
// CHECK-SAME: smp.grid = array<i64: 4, 1, 1>
// CHECK: %[[MOST:.*]] = arith.minsi %{{.*}}, %c9 : index
// CHECK: scf.for %{{.*}} = %c0 to %[[MOST]]
// CHECK: vector.load %[[X]]
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c16_i32, %c31_i32
// CHECK: nvvm.barrier0
// CHECK: %[[SUM:.*]] = scf.if %{{.*}} -> (f64)
// CHECK: scf.for %{{.*}} = %c0 to %[[MOST]]
// CHECK: memref.store %{{.*}}, %[[SUMS]]
// CHECK: memref.store %[[SUM]], %[[WIDE]]

// Each block of the next launch joins them, thread t taking that of part t.
// CHECK-LABEL: func.func @k1_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<33000xf32, 1>{{.*}}, %[[SUMS:[a-z0-9]+]]: memref<4xf32, 1>{{.*}}, %[[WIDE:[a-z0-9]+]]: memref<4xf64, 1>{{.*}}, %[[Y:[a-z0-9]+]]: memref<33000xf32, 1>
// CHECK-SAME: smp.grid = array<i64: 4, 1, 1>
// CHECK: %[[THREAD:.*]] = arith.index_castui
// CHECK: %[[HAS:.*]] = arith.cmpi ult, %[[THREAD]], %c2 : index
// CHECK: scf.if %[[HAS]] -> (f32)
// CHECK: memref.load %[[SUMS]]
// CHECK: nvvm.barrier0
// CHECK: scf.if
// CHECK: memref.load %[[WIDE]]
// CHECK: scf.for
// CHECK: vector.load %[[X]]
// CHECK: vector.store %{{.*}}, %[[Y]]
smp.entry @centred(%x: tensor<2x16500xf32> {smp.name = "x"}) -> (tensor<2x16500xf32> {smp.name = "y"}) {
  %m = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<2x16500xf32>) -> tensor<2xf32>
  %b = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<2xf32> to tensor<2x16500xf32>
  %y = smp.sub %x, %b : tensor<2x16500xf32>
  smp.return %y : tensor<2x16500xf32>
}
