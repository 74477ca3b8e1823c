// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// A tile per row, in order, with sums in f64.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: smp.grid = array<i64: 2, 1, 1>
// CHECK: scf.for %{{.*}} = %c0 to %c8 step %c1 iter_args(%[[BEFORE:.*]] = %cst) -> (f64) {
// CHECK: %[[SUM:.*]] = arith.addf %[[BEFORE]], %{{.*}} : f64
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f64 to f32
// CHECK: memref.store %[[ROUNDED]]
// CHECK: scf.yield %[[SUM]] : f64
smp.entry @f(%x: tensor<2x8xf32> {smp.name = "x"}) -> (tensor<2x8xf32> {smp.name = "y"}) {
  %y = smp.scan sum %x {axis = 1 : i64} : tensor<2x8xf32>
  smp.return %y : tensor<2x8xf32>
}
