// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// Partial sums in the lanes of a vector, joined as a tree, then the rest of the
// row in order. A sum that is not finite is taken again in f64. A second walk over
// the row subtracts it.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<120xf32> {llvm.noalias}, %[[Z:[a-z0-9]+]]: memref<120xf32> {llvm.noalias}
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1 {
// CHECK: %[[A:.*]] = arith.addf %{{.*}}, %cst : vector<8xf32>
// CHECK: %[[B:.*]] = arith.addf %{{.*}}, %cst : vector<8xf32>
// CHECK: %[[AB:.*]] = arith.addf %[[A]], %[[B]] : vector<8xf32>
// CHECK: arith.addf %{{.*}} : vector<4xf32>
// CHECK: arith.addf %{{.*}} : vector<2xf32>
// CHECK: %[[LANES:.*]] = vector.extract %
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} = %c0 to %c4 step %c1 iter_args(%{{.*}} = %[[LANES]]) -> (f32) {
// CHECK: %[[NAN:.*]] = arith.subf %[[SUM]], %[[SUM]] : f32
// CHECK: %[[BAD:.*]] = arith.cmpf uno, %[[NAN]], %[[NAN]] : f32
// CHECK: %[[SAFE:.*]] = scf.if %[[BAD]] -> (f32) {
// CHECK: scf.for %{{.*}} = %c0 to %c20 step %c1 iter_args({{.*}}) -> (f64) {
// CHECK: %[[ALL:.*]] = vector.broadcast %[[SAFE]] : f32 to vector<8xf32>
// CHECK: arith.subf %{{.*}}, %[[ALL]] : vector<8xf32>
// CHECK: vector.store %{{.*}}, %[[Z]]
smp.entry @f(%x: tensor<6x20xf32> {smp.name = "x"}) -> (tensor<6x20xf32> {smp.name = "z"}) {
  %m = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<6x20xf32>) -> tensor<6xf32>
  %b = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<6xf32> to tensor<6x20xf32>
  %z = smp.sub %x, %b : tensor<6x20xf32>
  smp.return %z : tensor<6x20xf32>
}
