// SPDX-License-Identifier: Apache-2.0
// RUN: smp-opt %s --smp-form-groups | FileCheck %s

// What a product's sums are multiplied by is computed where they are.
// CHECK-LABEL: smp.entry @beside_sums
// CHECK: smp.group product
// CHECK-DAG: %[[SUMS:.*]] = smp.packed_matmul
// CHECK-DAG: %[[E:.*]] = smp.exp
// CHECK-DAG: %[[T:.*]] = smp.tanh
// CHECK: %[[FACTOR:.*]] = smp.add %[[E]], %[[T]]
// CHECK: smp.mul %[[SUMS]], %[[FACTOR]]
// CHECK-NOT: smp.group
smp.entry @beside_sums(%x: tensor<4x8xf32> {smp.name = "x"}, %w: tensor<256xf32> {smp.name = "w"},
    %a: tensor<4x16xf32> {smp.name = "a"}) -> (tensor<4x16xf32> {smp.name = "y"}) {
  %0 = smp.packed_matmul %x, %w {columns = 16 : i64, shared} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x16xf32>
  %1 = smp.exp %a : tensor<4x16xf32>
  %2 = smp.tanh %a : tensor<4x16xf32>
  %3 = smp.add %1, %2 : tensor<4x16xf32>
  %4 = smp.mul %0, %3 : tensor<4x16xf32>
  smp.return %4 : tensor<4x16xf32>
}

// Two readers: each reads it from memory.
// CHECK-LABEL: smp.entry @two_readers
// CHECK: smp.group loop
// CHECK: smp.exp
// CHECK-COUNT-2: smp.group product
// CHECK-NOT: smp.group
smp.entry @two_readers(%x: tensor<4x8xf32> {smp.name = "x"}, %v: tensor<256xf32> {smp.name = "v"},
    %w: tensor<256xf32> {smp.name = "w"}, %a: tensor<4x16xf32> {smp.name = "a"})
    -> (tensor<4x16xf32> {smp.name = "y"}, tensor<4x16xf32> {smp.name = "z"}) {
  %0 = smp.exp %a : tensor<4x16xf32>
  %1 = smp.packed_matmul %x, %v {columns = 16 : i64, shared} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x16xf32>
  %2 = smp.mul %1, %0 : tensor<4x16xf32>
  %3 = smp.packed_matmul %x, %w {columns = 16 : i64, shared} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x16xf32>
  %4 = smp.mul %3, %0 : tensor<4x16xf32>
  smp.return %2, %4 : tensor<4x16xf32>, tensor<4x16xf32>
}

// Rows are gone over more than once: what they read is computed before.
// CHECK-LABEL: smp.entry @rows
// CHECK: smp.group loop
// CHECK: smp.exp
// CHECK: smp.group row
// CHECK-NOT: smp.group
smp.entry @rows(%x: tensor<4x8xf32> {smp.name = "x"}, %a: tensor<4x8xf32> {smp.name = "a"})
    -> (tensor<4x8xf32> {smp.name = "y"}) {
  %0 = smp.exp %a : tensor<4x8xf32>
  %1 = smp.reduce sum %x {dimensions = array<i64: 1>} : (tensor<4x8xf32>) -> tensor<4xf32>
  %2 = smp.broadcast %1 {dimensions = array<i64: 0>} : tensor<4xf32> to tensor<4x8xf32>
  %3 = smp.mul %x, %2 : tensor<4x8xf32>
  %4 = smp.mul %3, %0 : tensor<4x8xf32>
  smp.return %4 : tensor<4x8xf32>
}

// A result that is also an output, or a variable's new value, is one of the
// kernel that reads it: the moment is in a register there.
// CHECK-LABEL: smp.entry @leaves_too
// CHECK: %[[BOTH:.*]]:2 = smp.group loop
// CHECK-DAG: smp.add
// CHECK-DAG: smp.tanh
// CHECK-NOT: smp.group
// CHECK: smp.return
smp.entry @leaves_too(%x: tensor<4x8xf32> {smp.name = "x"}, %m: tensor<4x8xf32> {smp.name = "m"},
    %v: tensor<4x8xf32> {smp.name = "v"}) -> (tensor<4x8xf32> {smp.name = "y"}, tensor<4x8xf32> {smp.name = "n"}) {
  %0 = smp.exp %v : tensor<4x8xf32>
  %1 = smp.add %x, %m : tensor<4x8xf32>
  %2 = smp.tanh %0 : tensor<4x8xf32>
  %3 = smp.mul %2, %1 : tensor<4x8xf32>
  smp.return %3, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// All that a product gives follows from its sums.
// CHECK-LABEL: smp.entry @leaves_beside_sums
// CHECK: smp.group loop
// CHECK: smp.exp
// CHECK: smp.group product
// CHECK-NOT: smp.group
// CHECK: smp.return
smp.entry @leaves_beside_sums(%x: tensor<4x8xf32> {smp.name = "x"}, %w: tensor<256xf32> {smp.name = "w"},
    %a: tensor<4x16xf32> {smp.name = "a"}) -> (tensor<4x16xf32> {smp.name = "y"}, tensor<4x16xf32> {smp.name = "e"}) {
  %0 = smp.packed_matmul %x, %w {columns = 16 : i64, shared} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x16xf32>
  %1 = smp.exp %a : tensor<4x16xf32>
  %2 = smp.mul %0, %1 : tensor<4x16xf32>
  smp.return %2, %1 : tensor<4x16xf32>, tensor<4x16xf32>
}
