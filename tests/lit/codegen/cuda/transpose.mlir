// RUN: smp-opt %s --split-input-file --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Tiles of 64 by 64, a row of them one element longer: threads read neighbours
// along the operand's rows, and write neighbours along the result's. What is
// elementwise is done on the way.
// CHECK: memref.global "private" @k0_sm_80_shared0 : memref<4160xf32, 3>
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<4096xf32, 1>
// CHECK-SAME: smp.block = array<i32: 512>
// CHECK-SAME: smp.grid = array<i64: 1, 1, 1>
// CHECK: memref.load %[[X]]
// CHECK: memref.store %{{.*}} : memref<4160xf32, 3>
// CHECK: nvvm.barrier0
// CHECK: %[[T:.*]] = memref.load %{{.*}} : memref<4160xf32, 3>
// CHECK: arith.addf %[[T]]
// CHECK: memref.store
smp.entry @f(%x: tensor<64x64xf32> {smp.name = "x"}, %y: tensor<64x64xf32> {smp.name = "y"}) -> (tensor<64x64xf32> {smp.name = "z"}) {
  %t = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = smp.add %t, %y : tensor<64x64xf32>
  smp.return %z : tensor<64x64xf32>
}

// -----

// Dimensions that stay neighbours are one: channels from last to first among
// the 196 places of an image.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.grid = array<i64: 8, 1, 1>
// CHECK: nvvm.barrier0
smp.entry @channels(%x: tensor<2x14x14x64xf32> {smp.name = "x"}) -> (tensor<2x64x14x14xf32> {smp.name = "z"}) {
  %t = smp.transpose %x {permutation = array<i64: 0, 3, 1, 2>} : (tensor<2x14x14x64xf32>) -> tensor<2x64x14x14xf32>
  smp.return %t : tensor<2x64x14x14xf32>
}

// -----

// Rows of 3 are read as they are.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-NOT: nvvm.barrier0
smp.entry @narrow(%x: tensor<100x3xf32> {smp.name = "x"}) -> (tensor<3x100xf32> {smp.name = "z"}) {
  %t = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<100x3xf32>) -> tensor<3x100xf32>
  smp.return %t : tensor<3x100xf32>
}
