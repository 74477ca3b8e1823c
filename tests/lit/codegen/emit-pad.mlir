// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// Each row is its low edge, its elements, its high edge.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<6xf32> {llvm.noalias}, %[[S:[a-z0-9]+]]: memref<1xf32> {llvm.noalias}, %[[Y:[a-z0-9]+]]: memref<12xf32> {llvm.noalias}
// CHECK: %[[EDGE:.*]] = memref.load %[[S]]
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK: memref.store %[[EDGE]], %[[Y]]
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: %[[INNER:.*]] = memref.load %[[X]]
// CHECK: memref.store %[[INNER]], %[[Y]]
// CHECK: }
// CHECK: memref.store %[[EDGE]], %[[Y]]
smp.entry @f(%x: tensor<2x3xf32> {smp.name = "x"}, %s: tensor<f32> {smp.name = "s"}) -> (tensor<2x6xf32> {smp.name = "y"}) {
  %y = smp.pad %x, %s {high = array<i64: 0, 1>, interior = array<i64: 0, 0>, low = array<i64: 0, 2>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x6xf32>
  smp.return %y : tensor<2x6xf32>
}
