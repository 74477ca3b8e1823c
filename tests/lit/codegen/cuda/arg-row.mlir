// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A warp per result, whose threads begin with an element each; of two choices
// the one with the lower number is the earlier one.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 128>
// CHECK-SAME: smp.grid = array<i64: 2, 1, 1>
// CHECK-NOT: nvvm.barrier0
// CHECK: memref.load
// CHECK: scf.for
// CHECK: arith.cmpf ogt
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c1_i32, %c31_i32
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: nvvm.shfl.sync bfly %c-1_i32, %{{.*}}, %c16_i32, %c31_i32
// CHECK: memref.store %{{.*}} : memref<6xi64, 1>
smp.entry @short(%x: tensor<6x70xf32> {smp.name = "x"}) -> (tensor<6xi64> {smp.name = "y"}) {
  %y = smp.arg_reduce max %x {axis = 1 : i64} : (tensor<6x70xf32>) -> tensor<6xi64>
  smp.return %y : tensor<6xi64>
}

// A block, whose warps hand their choices over in shared memory.
// CHECK-LABEL: func.func @k1_sm_80(
// CHECK-SAME: smp.block = array<i32: 256>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK: nvvm.barrier0
// CHECK-COUNT-8: memref.load %{{.*}} : memref<8xi32, 3>
smp.entry @long(%x: tensor<3x1100xf32> {smp.name = "x"}) -> (tensor<3xi64> {smp.name = "y"}) {
  %y = smp.arg_reduce max %x {axis = 1 : i64} : (tensor<3x1100xf32>) -> tensor<3xi64>
  smp.return %y : tensor<3xi64>
}
