// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// The operands' rows one after the other, as wide as each allows.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<6xf32> {llvm.noalias}, %[[B:[a-z0-9]+]]: memref<18xf32> {llvm.noalias}, %[[Y:[a-z0-9]+]]: memref<24xf32> {llvm.noalias}
// CHECK: scf.for %{{.*}} = %c0 to %c2 step %c1 {
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: memref.load %[[A]]
// CHECK: }
// CHECK: %[[WIDE:.*]] = vector.load %[[B]][{{.*}}] : memref<18xf32>, vector<8xf32>
// CHECK: vector.store %[[WIDE]], %[[Y]]
// CHECK: %[[LAST:.*]] = memref.load %[[B]]
// CHECK: memref.store %[[LAST]], %[[Y]]
smp.entry @f(%a: tensor<2x3xf32> {smp.name = "a"}, %b: tensor<2x9xf32> {smp.name = "b"}) -> (tensor<2x12xf32> {smp.name = "y"}) {
  %y = smp.concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x9xf32>) -> tensor<2x12xf32>
  smp.return %y : tensor<2x12xf32>
}
