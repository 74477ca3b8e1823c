// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Short lines: a thread each, in the order that the op fixes, carried on in f64.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 32>
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %c2 : index
// CHECK: scf.if %[[IN]] {
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1 iter_args(%[[SUM:.*]] = %cst) -> (f64) {
// CHECK: %[[NEXT:.*]] = arith.addf %[[SUM]], %{{.*}} : f64
// CHECK: %[[SHOWN:.*]] = arith.truncf %[[NEXT]] : f64 to f32
// CHECK: memref.store %[[SHOWN]]
// CHECK: scf.yield %[[NEXT]] : f64
smp.entry @f(%x: tensor<2x8xf32> {smp.name = "x"}) -> (tensor<2x8xf32> {smp.name = "y"}) {
  %y = smp.scan sum %x {axis = 1 : i64} : tensor<2x8xf32>
  smp.return %y : tensor<2x8xf32>
}

// Lines along memory: a block reads elements side by side, a thread adds those
// of its line, and the block stores what becomes of them.
// CHECK-LABEL: func.func @k1_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<7000xf32, 1> {{.*}}, %[[Y:[a-z0-9]+]]: memref<7000xf32, 1>
// CHECK-SAME: smp.block = array<i32: 128>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK: %[[STAGED:.*]] = memref.get_global @k1_sm_80_shared0 : memref<2080xf32, 3>
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 iter_args(%{{.*}} = %cst) -> (f64) {
// CHECK-COUNT-16: memref.load %[[X]]
// CHECK-COUNT-16: memref.store %{{.*}}, %[[STAGED]]
// CHECK: nvvm.barrier0
// CHECK: memref.load %[[STAGED]]
// CHECK: arith.addf %{{.*}} : f64
// CHECK: nvvm.barrier0
// CHECK: memref.store %{{.*}}, %[[Y]]
// CHECK: nvvm.barrier0
smp.entry @ordered(%x: tensor<70x100xf32> {smp.name = "x"}) -> (tensor<70x100xf32> {smp.name = "y"}) {
  %y = smp.scan sum %x {axis = 1 : i64} : tensor<70x100xf32>
  smp.return %y : tensor<70x100xf32>
}

// Where order does not matter, a warp joins its threads' elements.
// CHECK-LABEL: func.func @k2_sm_80(
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(%[[BEFORE:.*]] = %c0_i64) -> (i64) {
// CHECK-COUNT-10: nvvm.shfl.sync bfly
// CHECK: memref.store
smp.entry @joined(%x: tensor<7x100xi64> {smp.name = "x"}) -> (tensor<7x100xi64> {smp.name = "y"}) {
  %y = smp.scan sum %x {axis = 1 : i64} : tensor<7x100xi64>
  smp.return %y : tensor<7x100xi64>
}
