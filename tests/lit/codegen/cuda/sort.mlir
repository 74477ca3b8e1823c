// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Each element counts those that stand before it, and goes to its place if that
// is wanted.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<12xf32, 1>
// CHECK: %[[MINE:.*]] = memref.load %[[X]]
// CHECK: %[[PLACE:.*]] = scf.for %[[I:.*]] = %c0 to %c4 step %c1 iter_args(%[[COUNT:.*]] = %c0) -> (index) {
// CHECK: %[[OTHER:.*]] = memref.load %[[X]]
// CHECK: arith.cmpi ult, %[[I]]
// CHECK: arith.cmpf ogt, %[[MINE]], %[[OTHER]] : f32
// CHECK: arith.cmpf ogt, %[[OTHER]], %[[MINE]] : f32
// CHECK: %[[WANTED:.*]] = arith.cmpi ult, %[[PLACE]], %c2 : index
// CHECK: scf.if %[[WANTED]] {
// CHECK: memref.store %[[MINE]]
// CHECK: memref.store %{{.*}} : memref<6xi64, 1>
smp.entry @f(%x: tensor<3x4xf32> {smp.name = "x"}) -> (tensor<3x2xf32> {smp.name = "v"}, tensor<3x2xi64> {smp.name = "i"}) {
  %y:2 = smp.top_k %x {axis = 1 : i64, k = 2 : i64, largest = true} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  smp.return %y#0, %y#1 : tensor<3x2xf32>, tensor<3x2xi64>
}
