// SPDX-License-Identifier: Apache-2.0
// RUN: smp-opt %s --smp-form-groups | FileCheck %s

// Who placed an op does not matter, where it is placed does.

// CHECK-LABEL: smp.entry @origins
// CHECK-COUNT-1: smp.group
// CHECK-NOT: smp.group
smp.entry @origins(%x: tensor<4x8xf32> {smp.name = "x"}) -> (tensor<4x8xf32> {smp.name = "y"}) {
  %0 = smp.exp %x {smp.placement = #smp.placement<0, propagated>} : tensor<4x8xf32>
  %1 = smp.neg %0 {smp.placement = #smp.placement<0, solver>} : tensor<4x8xf32>
  smp.return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: smp.entry @partitions
// CHECK-COUNT-2: smp.group
smp.entry @partitions(%x: tensor<4x8xf32> {smp.name = "x"}) -> (tensor<4x8xf32> {smp.name = "y"}) {
  %0 = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4x8xf32>
  %1 = smp.neg %0 {smp.placement = #smp.placement<1, user>} : tensor<4x8xf32>
  smp.return %1 : tensor<4x8xf32>
}

// What reads the sums backwards reads them from memory; what follows the product
// forwards is computed before they leave the registers.
// CHECK-LABEL: smp.entry @phases
// CHECK: smp.group product
// CHECK: %[[SUMS:.*]] = smp.packed_matmul
// CHECK: %[[Y:.*]] = smp.exp %[[SUMS]]
// CHECK: smp.return %[[SUMS]], %[[Y]]
// CHECK: smp.group loop
// CHECK: smp.neg
// CHECK-NOT: smp.group
smp.entry @phases(%x: tensor<4x8xf32> {smp.name = "x"}, %w: tensor<256xf32> {smp.name = "w"})
    -> (tensor<4x16xf32> {smp.name = "y"}, tensor<4x16xf32> {smp.name = "z"}) attributes {smp.microbatches = 2 : i64} {
  %0 = smp.packed_matmul %x, %w {columns = 16 : i64, shared} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x16xf32>
  %1 = smp.exp %0 : tensor<4x16xf32>
  %2 = smp.neg %0 {smp.unit = #smp.unit<backward_input>} : tensor<4x16xf32>
  smp.return %1, %2 : tensor<4x16xf32>, tensor<4x16xf32>
}
