// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A thread per line, in the order that the op fixes, carried on in f64.
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
