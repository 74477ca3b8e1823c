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
