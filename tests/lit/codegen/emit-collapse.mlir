// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// What is computed in the group along its first dimensions, and then put along
// others, keeps them apart: the two elements of %s are read as two.
// CHECK: func.func @k0_v3(%{{.*}}: memref<8xf32> {llvm.noalias}, %[[S:[a-z0-9]+]]: memref<2xf32>
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c4
// CHECK: %[[PLACE:.*]] = arith.remui %[[ROW]], %c2
// CHECK: scf.for %{{.*}} = %c0 to %c2
// CHECK: memref.load %[[S]][%[[PLACE]]] : memref<2xf32>
smp.entry @f(%s: tensor<2xf32> {smp.name = "s"}, %x: tensor<2x2x2xf32> {smp.name = "x"}) -> (tensor<2x2x2xf32> {smp.name = "y"}) {
  %a = smp.broadcast %s {dimensions = array<i64: 0>} : tensor<2xf32> to tensor<2x2xf32>
  %b = smp.broadcast %a {dimensions = array<i64: 1, 2>} : tensor<2x2xf32> to tensor<2x2x2xf32>
  %y = smp.add %x, %b : tensor<2x2x2xf32>
  smp.return %y : tensor<2x2x2xf32>
}
