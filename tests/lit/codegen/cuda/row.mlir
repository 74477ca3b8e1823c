// RUN: smp-opt %s --split-input-file --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Short rows: a warp each, four to a block; no thread of a warp leaves before
// what they exchange. Parts are joined over the bits of the threads' numbers.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<240xf32, 1>
// CHECK-SAME: smp.block = array<i32: 128>
// CHECK-SAME: smp.grid = array<i64: 2, 1, 1>
// CHECK-NOT: nvvm.barrier0
// CHECK: %[[HERE:.*]] = arith.cmpi ult, %{{.*}}, %c6 : index
// CHECK: scf.if %[[HERE]] {
// CHECK: llvm.intr.fmuladd
// CHECK: arith.cmpi ult, %{{.*}}, %c8 : index
// CHECK: llvm.intr.fmuladd
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c1_i32, %c31_i32
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c2_i32, %c31_i32
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c4_i32, %c31_i32
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c8_i32, %c31_i32
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c16_i32, %c31_i32
// CHECK: memref.store
smp.entry @short(%x: tensor<6x40xf32> {smp.name = "x"}) -> (tensor<6xf32> {smp.name = "y"}) {
  %y = smp.reduce sum_squares %x {dimensions = array<i64: 1>} : (tensor<6x40xf32>) -> tensor<6xf32>
  smp.return %y : tensor<6xf32>
}

// -----

// Long rows: a block each, whose warps hand their parts over in shared memory. A
// thread takes vectors, whose lanes are joined first.
// CHECK: memref.global "private" @k0_sm_80_shared0 : memref<8xf32, 3> = uninitialized {alignment = 16 : i64}
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 256>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<6000xf32, 1>, vector<4xf32>
// CHECK: %[[SUMS:.*]] = scf.if
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<6000xf32, 1>, vector<4xf32>
// CHECK-COUNT-4: vector.extract %[[SUMS]]
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c16_i32, %c31_i32
// CHECK: memref.store %{{.*}}, %{{.*}} : memref<8xf32, 3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-8: memref.load %{{.*}} : memref<8xf32, 3>
smp.entry @long(%x: tensor<3x2000xf32> {smp.name = "x"}) -> (tensor<3xf32> {smp.name = "y"}) {
  %y = smp.reduce sum_squares %x {dimensions = array<i64: 1>} : (tensor<3x2000xf32>) -> tensor<3xf32>
  smp.return %y : tensor<3xf32>
}

// -----

// What several walks need each thread keeps in registers: it is read once. What
// all rows share is read once per block, which has 8 rows here.
// CHECK: memref.global "private" @k0_sm_80_shared0 : memref<256xf32, 3> = uninitialized {alignment = 16 : i64}
// CHECK-NOT: memref.global
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<524288xf32, 1>{{.*}}, %[[W:[a-z0-9]+]]: memref<256xf32, 1>
// CHECK-SAME: smp.grid = array<i64: 256, 1, 1>
// CHECK: vector.load %[[W]]
// CHECK: vector.store %{{.*}} : memref<256xf32, 3>
// CHECK: nvvm.barrier0
// CHECK: scf.for %{{.*}} = %c0 to %c2
// CHECK: vector.load %[[X]]
// CHECK: vector.load %[[X]]
// CHECK-NOT: %[[X]]
// CHECK: vector.load %{{.*}} : memref<256xf32, 3>, vector<4xf32>
smp.entry @kept(%x: tensor<2048x256xf32> {smp.name = "x"}, %w: tensor<256xf32> {smp.name = "w"}) -> (tensor<2048x256xf32> {smp.name = "y"}) {
  %m = smp.reduce max %x {dimensions = array<i64: 1>} : (tensor<2048x256xf32>) -> tensor<2048xf32>
  %b = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<2048xf32> to tensor<2048x256xf32>
  %c = smp.broadcast %w {dimensions = array<i64: 1>} : tensor<256xf32> to tensor<2048x256xf32>
  %d = smp.sub %x, %b : tensor<2048x256xf32>
  %y = smp.mul %d, %c : tensor<2048x256xf32>
  smp.return %y : tensor<2048x256xf32>
}

// -----

// Of rows that are too long for that, in shared memory, each thread's own.
// CHECK: memref.global "private" @k0_sm_80_shared0 : memref<10000xf32, 3> = uninitialized {alignment = 16 : i64}
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<5000000xf32, 1>
// CHECK: scf.for
// CHECK: vector.load %[[X]]
// CHECK: vector.store %{{.*}} : memref<10000xf32, 3>
// CHECK: vector.load %[[X]]
// CHECK: vector.store %{{.*}} : memref<10000xf32, 3>
// CHECK-NOT: %[[X]]
// CHECK: vector.load %{{.*}} : memref<10000xf32, 3>, vector<4xf32>
smp.entry @too_long(%x: tensor<500x10000xf32> {smp.name = "x"}) -> (tensor<500x10000xf32> {smp.name = "y"}) {
  %m = smp.reduce max %x {dimensions = array<i64: 1>} : (tensor<500x10000xf32>) -> tensor<500xf32>
  %b = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<500xf32> to tensor<500x10000xf32>
  %y = smp.sub %x, %b : tensor<500x10000xf32>
  smp.return %y : tensor<500x10000xf32>
}

// -----

// How many warps a row has is of its shape alone: its sum has the same bits beside
// whatever is made of it.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 512>
smp.entry @wide_sum(%x: tensor<300x16384xf32> {smp.name = "x"}) -> (tensor<300xf32> {smp.name = "y"}) {
  %y = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<300x16384xf32>) -> tensor<300xf32>
  smp.return %y : tensor<300xf32>
}

// -----

// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 512>
smp.entry @wide_twice(%x: tensor<300x16384xf32> {smp.name = "x"}) -> (tensor<300x16384xf32> {smp.name = "y"}) {
  %s = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<300x16384xf32>) -> tensor<300xf32>
  %b = smp.broadcast %s {dimensions = array<i64: 0>} : tensor<300xf32> to tensor<300x16384xf32>
  %y = smp.sub %x, %b : tensor<300x16384xf32>
  smp.return %y : tensor<300x16384xf32>
}
