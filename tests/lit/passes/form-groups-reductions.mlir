// Where a target says so, reductions compute the loops that only they read.
// SPDX-License-Identifier: Apache-2.0
// RUN: smp-opt %s --smp-form-groups --split-input-file | FileCheck %s

// A norm's gradient: what is between the operands and the rows is computed in each walk.
// CHECK-LABEL: module @rows
module @rows attributes {smp.targets = [#smp.target<"a", loops_in_reductions = true>]} {
// CHECK: smp.group row
// CHECK-NOT: smp.group
// CHECK: smp.return %{{.*}} : tensor<4x8xf32>
smp.entry @f(%x: tensor<4x8xf32> {smp.name = "x"}, %d: tensor<4x8xf32> {smp.name = "d"}, %m: tensor<4xf32> {smp.name = "m"},
    %s: tensor<8xf32> {smp.name = "s"}) -> (tensor<4x8xf32> {smp.name = "y"}) {
  %0 = smp.broadcast %m {dimensions = array<i64: 0>} : tensor<4xf32> to tensor<4x8xf32>
  %1 = smp.sub %x, %0 : tensor<4x8xf32>
  %2 = smp.broadcast %s {dimensions = array<i64: 1>} : tensor<8xf32> to tensor<4x8xf32>
  %3 = smp.mul %d, %2 : tensor<4x8xf32>
  %4 = smp.mul %3, %1 : tensor<4x8xf32>
  %5 = smp.reduce sum %4 {dimensions = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %6 = smp.broadcast %5 {dimensions = array<i64: 0>} : tensor<4xf32> to tensor<4x8xf32>
  %7 = smp.mul %1, %6 : tensor<4x8xf32>
  smp.return %7 : tensor<4x8xf32>
}
}

// -----

// What reads rows and a loop joins the rows, so that the loop can be computed there.
// CHECK-LABEL: module @chosen
module @chosen attributes {smp.targets = [#smp.target<"a", loops_in_reductions = true>]} {
// CHECK: smp.group row
// CHECK-NOT: smp.group
// CHECK: smp.return %{{.*}} : tensor<4x8xf32>
smp.entry @f(%x: tensor<4x8xf32> {smp.name = "x"}, %l: tensor<4x8xi1> {smp.name = "l"}, %k: tensor<4x8xi1> {smp.name = "k"})
    -> (tensor<4x8xf32> {smp.name = "y"}) {
  %0 = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %1 = smp.broadcast %0 {dimensions = array<i64: 0>} : tensor<4xf32> to tensor<4x8xf32>
  %2 = smp.div %x, %1 : tensor<4x8xf32>
  %3 = smp.and %l, %k : tensor<4x8xi1>
  %4 = smp.select %3, %2, %x : tensor<4x8xi1>, tensor<4x8xf32>
  smp.return %4 : tensor<4x8xf32>
}
}

// -----

// A sum over columns is a loop as well.
// CHECK-LABEL: module @columns
module @columns attributes {smp.targets = [#smp.target<"a", loops_in_reductions = true>]} {
// CHECK: smp.group loop
// CHECK: smp.mul
// CHECK: smp.reduce sum
// CHECK-NOT: smp.group
// CHECK: smp.return %{{.*}} : tensor<8xf32>
smp.entry @f(%x: tensor<4x8xf32> {smp.name = "x"}, %d: tensor<4x8xf32> {smp.name = "d"}) -> (tensor<8xf32> {smp.name = "y"}) {
  %0 = smp.mul %x, %d : tensor<4x8xf32>
  %1 = smp.reduce sum %0 {dimensions = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  smp.return %1 : tensor<8xf32>
}
}

// -----

// What is needed elsewhere besides is read from memory.
// CHECK-LABEL: module @needed
module @needed attributes {smp.targets = [#smp.target<"a", loops_in_reductions = true>]} {
// CHECK: smp.entry @leaves
// CHECK-COUNT-2: smp.group loop
smp.entry @leaves(%x: tensor<4x8xf32> {smp.name = "x"}, %d: tensor<4x8xf32> {smp.name = "d"})
    -> (tensor<8xf32> {smp.name = "y"}, tensor<4x8xf32> {smp.name = "z"}) {
  %0 = smp.mul %x, %d : tensor<4x8xf32>
  %1 = smp.reduce sum %0 {dimensions = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  smp.return %1, %0 : tensor<8xf32>, tensor<4x8xf32>
}
// CHECK: smp.entry @two
// CHECK: smp.group loop
// CHECK: smp.group loop
// CHECK: smp.group row
smp.entry @two(%x: tensor<4x8xf32> {smp.name = "x"}, %d: tensor<4x8xf32> {smp.name = "d"}, %e: tensor<4x8xf32> {smp.name = "e"})
    -> (tensor<8xf32> {smp.name = "y"}, tensor<4xf32> {smp.name = "z"}) {
  %0 = smp.mul %x, %d : tensor<4x8xf32>
  %1 = smp.reduce sum %0 {dimensions = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  %2 = smp.reduce sum %e {dimensions = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %3 = smp.broadcast %2 {dimensions = array<i64: 0>} : tensor<4xf32> to tensor<4x8xf32>
  %4 = smp.mul %3, %0 : tensor<4x8xf32>
  %5 = smp.reduce max %4 {dimensions = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  smp.return %1, %5 : tensor<8xf32>, tensor<4xf32>
}
}

// -----

// Nothing is said: a sum over columns reads memory.
// CHECK-LABEL: module @silent
module @silent attributes {smp.targets = [#smp.target<"a">]} {
// CHECK-COUNT-2: smp.group loop
smp.entry @f(%x: tensor<4x8xf32> {smp.name = "x"}, %d: tensor<4x8xf32> {smp.name = "d"}) -> (tensor<8xf32> {smp.name = "y"}) {
  %0 = smp.mul %x, %d : tensor<4x8xf32>
  %1 = smp.reduce sum %0 {dimensions = array<i64: 0>} : (tensor<4x8xf32>) -> tensor<8xf32>
  smp.return %1 : tensor<8xf32>
}
}
