// RUN: smp-opt %s --split-input-file --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

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

// -----

// Dimensions that a transpose leaves neighbours are one: nine elements at a
// time, of which eight are a vector.
// CHECK: func.func @k0_v3(%[[X:[a-z0-9]+]]: memref<180xf32>
// CHECK: %[[EIGHT:.*]] = vector.load %[[X]][%{{.*}}] : memref<180xf32>, vector<8xf32>
// CHECK: vector.store %[[EIGHT]]
// CHECK: %[[ONE:.*]] = memref.load %[[X]]
// CHECK: memref.store %[[ONE]]
// CHECK-NOT: load
smp.entry @f(%x: tensor<4x5x3x3xf32> {smp.name = "x"}) -> (tensor<5x4x3x3xf32> {smp.name = "y"}) {
  %y = smp.transpose %x {permutation = array<i64: 1, 0, 2, 3>} : (tensor<4x5x3x3xf32>) -> tensor<5x4x3x3xf32>
  smp.return %y : tensor<5x4x3x3xf32>
}

// -----

// So are those that are reversed together; a vector of them is read as it lies.
// CHECK: func.func @k0_v3(%[[X:[a-z0-9]+]]: memref<180xf32>
// CHECK: %[[EIGHT:.*]] = vector.load %[[X]][%{{.*}}] : memref<180xf32>, vector<8xf32>
// CHECK: %[[BACK:.*]] = vector.shuffle %[[EIGHT]], %[[EIGHT]] [7, 6, 5, 4, 3, 2, 1, 0] : vector<8xf32>, vector<8xf32>
// CHECK: vector.store %[[BACK]]
// CHECK: %[[ONE:.*]] = memref.load %[[X]]
// CHECK: memref.store %[[ONE]]
// CHECK-NOT: load
smp.entry @f(%x: tensor<4x5x3x3xf32> {smp.name = "x"}) -> (tensor<4x5x3x3xf32> {smp.name = "y"}) {
  %y = smp.reverse %x {dimensions = array<i64: 2, 3>} : tensor<4x5x3x3xf32>
  smp.return %y : tensor<4x5x3x3xf32>
}

// -----

// One that is reversed and one that is not stay two.
// CHECK: func.func @k0_v3(%[[X:[a-z0-9]+]]: memref<320xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c10
// CHECK-COUNT-4: vector.load %[[X]]{{.*}}, vector<8xf32>
smp.entry @f(%x: tensor<2x5x32xf32> {smp.name = "x"}) -> (tensor<2x5x32xf32> {smp.name = "y"}) {
  %y = smp.reverse %x {dimensions = array<i64: 1>} : tensor<2x5x32xf32>
  smp.return %y : tensor<2x5x32xf32>
}
