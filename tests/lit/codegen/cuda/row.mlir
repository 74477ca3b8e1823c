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

// Long rows: a block each, whose warps hand their parts over in shared memory.
// CHECK: memref.global "private" @k0_sm_80_shared0 : memref<8xf32, 3> = uninitialized {alignment = 16 : i64}
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 256>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK: scf.for %{{.*}} = %c0 to %c7
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c16_i32, %c31_i32
// CHECK: memref.store %{{.*}}, %{{.*}} : memref<8xf32, 3>
// CHECK: nvvm.barrier0
// CHECK-COUNT-8: memref.load %{{.*}} : memref<8xf32, 3>
smp.entry @long(%x: tensor<3x2000xf32> {smp.name = "x"}) -> (tensor<3xf32> {smp.name = "y"}) {
  %y = smp.reduce sum_squares %x {dimensions = array<i64: 1>} : (tensor<3x2000xf32>) -> tensor<3xf32>
  smp.return %y : tensor<3xf32>
}
