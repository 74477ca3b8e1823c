// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// A merge sort of positions, stable, between two halves of the scratch; NaN comes
// before all. Then the first k are stored.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<12xf32> {llvm.noalias}, %[[V:[a-z0-9]+]]: memref<6xf32> {llvm.noalias}, %[[I:[a-z0-9]+]]: memref<6xi64> {llvm.noalias}, %[[SCRATCH:[a-z0-9]+]]: memref<1099511627776xi8>
// CHECK-SAME: smp.scratch_bytes = 128
// CHECK: %[[TO:.*]] = memref.view %[[SCRATCH]][%c64]
// CHECK: %[[FROM:.*]] = memref.view %[[SCRATCH]][%c0]
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c2 {
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf uno
// CHECK: memref.store %{{.*}}, %[[TO]]
// CHECK: scf.for
// CHECK: memref.store %{{.*}}, %[[FROM]]
// CHECK: scf.for
// CHECK-DAG: memref.store %{{.*}}, %[[V]]
// CHECK-DAG: memref.store %{{.*}}, %[[I]]
smp.entry @f(%x: tensor<3x4xf32> {smp.name = "x"}) -> (tensor<3x2xf32> {smp.name = "v"}, tensor<3x2xi64> {smp.name = "i"}) {
  %y:2 = smp.top_k %x {axis = 1 : i64, k = 2 : i64, largest = true} : (tensor<3x4xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  smp.return %y#0, %y#1 : tensor<3x2xf32>, tensor<3x2xi64>
}
