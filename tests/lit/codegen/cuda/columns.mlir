// RUN: smp-opt %s --split-input-file --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Few columns: 8 blocks take a part of the depth each, 8 rows of their threads
// every eighth element; what these have is joined in shared memory, and left for
// a second launch, in f64 too where it would leave f32. There 64 rows of threads
// join parts, and what follows the reduction is done.
// CHECK: memref.global "private" @k0_sm_80_shared0 : memref<1024xf32, 3>
// CHECK: memref.global "private" @k0_sm_80_shared1 : memref<1024xf64, 3>
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<262144xf32, 1>{{.*}}, %[[SUMS:[a-z0-9]+]]: memref<1024xf32, 1>{{.*}}, %[[WIDE:[a-z0-9]+]]: memref<1024xf64, 1>
// CHECK-SAME: smp.block = array<i32: 256>
// CHECK-SAME: smp.grid = array<i64: 8, 1, 1>
// CHECK: %[[ROW:.*]] = arith.divui %{{.*}}, %c32 : index
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %c0 to %c32
// CHECK: vector.load %[[X]][%{{.*}}] {alignment = 16 : i64} : memref<262144xf32, 1>, vector<4xf32>
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: arith.cmpf uno
// CHECK: scf.if
// CHECK: arith.addf {{.*}} : vector<4xf64>
// CHECK: vector.store %[[SUM]], %{{.*}} : memref<1024xf32, 3>
// CHECK: nvvm.barrier0
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[ROW]], %c1 : index
// CHECK: scf.if %[[FIRST]] {
// CHECK-COUNT-8: vector.load %{{.*}} : memref<1024xf32, 3>, vector<4xf32>
// CHECK-COUNT-8: vector.load %{{.*}} : memref<1024xf64, 3>, vector<4xf64>
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK: vector.store %{{.*}}, %[[WIDE]]
// CHECK-LABEL: func.func @k1_sm_80(
// CHECK-SAME: %[[SUMS:[a-z0-9]+]]: memref<1024xf32, 1>{{.*}}, %[[WIDE:[a-z0-9]+]]: memref<1024xf64, 1>
// CHECK-SAME: smp.block = array<i32: 256>
// CHECK-SAME: smp.grid = array<i64: 8, 1, 1>
// CHECK: vector.load %[[SUMS]]
// CHECK: nvvm.barrier0
// CHECK: arith.negf
smp.entry @parts(%x: tensor<2048x128xf32> {smp.name = "x"}) -> (tensor<128xf32> {smp.name = "y"}) {
  %s = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<2048x128xf32>) -> tensor<128xf32>
  %y = smp.neg %s : tensor<128xf32>
  smp.return %y : tensor<128xf32>
}

// -----

// A maximum leaves no type; this depth is in one part.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.grid = array<i64: 8, 1, 1>
// CHECK-NOT: f64
// CHECK: nvvm.barrier0
// CHECK-NOT: f64
// CHECK-NOT: func.func
smp.entry @middle(%x: tensor<4x64x256xf32> {smp.name = "x"}) -> (tensor<4x256xf32> {smp.name = "y"}) {
  %y = smp.reduce max %x {dimensions = array<i64: 1>} : (tensor<4x64x256xf32>) -> tensor<4x256xf32>
  smp.return %y : tensor<4x256xf32>
}

// -----

// So few elements are one thread's, of several columns where they lie together.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-NOT: nvvm.barrier0
// CHECK: scf.for %{{.*}} = %c0 to %c9
// CHECK: vector.load %{{.*}} vector<4xf32>
smp.entry @shallow(%x: tensor<9x256xf32> {smp.name = "x"}) -> (tensor<256xf32> {smp.name = "y"}) {
  %y = smp.reduce max %x {dimensions = array<i64: 0>} : (tensor<9x256xf32>) -> tensor<256xf32>
  smp.return %y : tensor<256xf32>
}

// -----

// Neighbours that are reduced, and what is further apart: a warp per result, as
// of rows.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 128>
// CHECK: %[[WARP:.*]] = arith.divui %{{.*}}, %c32 : index
// CHECK: %[[LANE:.*]] = arith.remui %{{.*}}, %c32 : index
// CHECK: %[[OUTER:.*]] = arith.divui %[[LANE]], %c20 : index
// CHECK: %[[KEPT:.*]] = arith.muli %[[WARP]], %c20
// CHECK: arith.muli %[[OUTER]], %c80
// CHECK: nvvm.shfl.sync bfly
// CHECK: memref.store %{{.*}}[%[[WARP]]] : memref<4xf32, 1>
smp.entry @several(%x: tensor<3x4x20xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %y = smp.reduce sum_squares %x {dimensions = array<i64: 0, 2>} : (tensor<3x4x20xf32>) -> tensor<4xf32>
  smp.return %y : tensor<4xf32>
}
