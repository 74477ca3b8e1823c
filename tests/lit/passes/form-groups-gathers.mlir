// What few elements are gathered of is computed for those alone.
// SPDX-License-Identifier: Apache-2.0
// RUN: smp-opt %s --smp-decompose --smp-form-groups --split-input-file | FileCheck %s

// A loss takes one logarithm of a row, which is read once for its sum.
// CHECK-LABEL: smp.entry @loss
// CHECK: %[[ROWS:.*]]:2 = smp.group row
// CHECK-NOT: tensor<4x8xf32>, tensor<4x8xf32>
// CHECK: -> (tensor<4xf32>, tensor<4xf32>)
// CHECK: smp.group loop
// CHECK: smp.gather_elements
// CHECK-SAME: (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
// CHECK: smp.sub
// CHECK: smp.sub
// CHECK-NOT: smp.group
// CHECK: smp.return %{{.*}} : tensor<4x1xf32>
smp.entry @loss(%x: tensor<4x8xf32> {smp.name = "x"}, %i: tensor<4x1xi64> {smp.name = "i"}) -> (tensor<4x1xf32> {smp.name = "y"}) {
  %0 = smp.log_softmax %x {axis = 1 : i64} : tensor<4x8xf32>
  %1 = smp.gather_elements %0, %i {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
  smp.return %1 : tensor<4x1xf32>
}

// -----

// Half of the elements: they are computed where they lie.
// CHECK-LABEL: smp.entry @many
// CHECK: smp.group loop
// CHECK: smp.exp %{{.*}} : tensor<4x8xf32>
// CHECK: smp.group loop
// CHECK: smp.gather_elements
// CHECK-NOT: smp.exp
smp.entry @many(%x: tensor<4x8xf32> {smp.name = "x"}, %i: tensor<4x4xi64> {smp.name = "i"}) -> (tensor<4x4xf32> {smp.name = "y"}) {
  %0 = smp.exp %x : tensor<4x8xf32>
  %1 = smp.gather_elements %0, %i {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x4xi64>) -> tensor<4x4xf32>
  smp.return %1 : tensor<4x4xf32>
}

// -----

// Somebody needs all of them.
// CHECK-LABEL: smp.entry @all
// CHECK: smp.group loop
// CHECK: smp.exp %{{.*}} : tensor<4x8xf32>
// CHECK: smp.group loop
// CHECK: smp.gather_elements
// CHECK-NOT: smp.exp
smp.entry @all(%x: tensor<4x8xf32> {smp.name = "x"}, %i: tensor<4x1xi64> {smp.name = "i"})
    -> (tensor<4x1xf32> {smp.name = "y"}, tensor<4x8xf32> {smp.name = "z"}) {
  %0 = smp.exp %x : tensor<4x8xf32>
  %1 = smp.gather_elements %0, %i {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
  smp.return %1, %0 : tensor<4x1xf32>, tensor<4x8xf32>
}

// -----

// An index outside is an error of the step, whatever all elements are.
// CHECK-LABEL: smp.entry @same
// CHECK: smp.gather_elements
smp.entry @same(%m: tensor<4xf32> {smp.name = "m"}, %i: tensor<4x1xi64> {smp.name = "i"}) -> (tensor<4x1xf32> {smp.name = "y"}) {
  %0 = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<4xf32> to tensor<4x8xf32>
  %1 = smp.exp %0 : tensor<4x8xf32>
  %2 = smp.gather_elements %1, %i {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
  smp.return %2 : tensor<4x1xf32>
}

// -----

// Of what is differentiated all elements may be needed again.
// CHECK-LABEL: smp.entry @trained
// CHECK: smp.group loop
// CHECK: smp.exp %{{.*}} : tensor<4x8xf32>
// CHECK: smp.group loop
// CHECK: smp.gather_elements
// CHECK-SAME: (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
// CHECK: smp.group loop
// CHECK: smp.neg
smp.entry @trained(%x: tensor<4x8xf32> {smp.name = "x"}, %i: tensor<4x1xi64> {smp.name = "i"}, %g: tensor<4x8xf32> {smp.name = "g"})
    -> (tensor<4x1xf32> {smp.name = "y"}, tensor<4x8xf32> {smp.name = "z"}) {
  %0 = smp.exp %x : tensor<4x8xf32>
  %1 = smp.gather_elements %0, %i {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
  %2 = smp.neg %g {smp.unit = #smp.unit<backward_input>} : tensor<4x8xf32>
  smp.return %1, %2 : tensor<4x1xf32>, tensor<4x8xf32>
}
