// Each operand is brought to where it is used: by a transfer, or by a copy of
// what is copied.
// RUN: smp-opt %s --smp-verify-placement --smp-insert-transfers --split-input-file | FileCheck %s

module attributes {smp.partitions = 3 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>

// One transfer per value and partition, none for arguments and results.
// CHECK-LABEL: smp.entry @once
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
smp.entry @once(%x: tensor<4xf32> {smp.name = "x"})
    -> (tensor<4xf32> {smp.name = "a"}, tensor<4xf32> {smp.name = "b"}) {
  // CHECK-NEXT: %[[E:.*]] = smp.exp %[[X]] {smp.placement = #smp.placement<0, user>}
  %e = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  // CHECK-DAG: %[[T1:.*]] = smp.transfer %[[E]] to 1 {smp.placement = #smp.placement<1, propagated>}
  // CHECK-DAG: %[[T2:.*]] = smp.transfer %[[E]] to 2 {smp.placement = #smp.placement<2, propagated>}
  // CHECK: smp.log %[[T1]]
  %l = smp.log %e {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  // CHECK-NEXT: smp.sin %[[T1]]
  %s = smp.sin %e {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  // CHECK-NEXT: %[[A:.*]] = smp.mul %[[X]], %[[T2]]
  %a = smp.mul %x, %e {smp.placement = #smp.placement<2, user>} : tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = smp.add
  %b = smp.add %l, %s {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  // CHECK-NEXT: smp.return %[[A]], %[[B]]
  smp.return %a, %b : tensor<4xf32>, tensor<4xf32>
}

// Constants and reads are copied, but for a constant that a user placed.
// CHECK-LABEL: smp.entry @constants
smp.entry @constants() -> (tensor<4xf32> {smp.name = "y"}) {
  // CHECK: %[[C0:.*]] = smp.constant dense<1.0{{.*}} {smp.placement = #smp.placement<0, propagated>}
  // CHECK-NEXT: %[[C1:.*]] = smp.constant dense<1.0{{.*}} {smp.placement = #smp.placement<1, propagated>}
  %c = smp.constant dense<1.0> : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  // CHECK-NEXT: %[[D:.*]] = smp.constant dense<2.0{{.*}} {smp.placement = #smp.placement<0, user>}
  // CHECK-NEXT: %[[DT:.*]] = smp.transfer %[[D]] to 1
  %d = smp.constant dense<2.0> : tensor<4xf32> {smp.placement = #smp.placement<0, user>}
  // CHECK-NEXT: %[[E:.*]] = smp.exp %[[C0]]
  // CHECK-NEXT: %[[ET:.*]] = smp.transfer %[[E]] to 1
  %e = smp.exp %c {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  // CHECK-NEXT: %[[A:.*]] = smp.add %[[C1]], %[[DT]]
  %a = smp.add %c, %d {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  // CHECK-NEXT: smp.mul %[[A]], %[[ET]]
  %y = smp.mul %a, %e {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// Ops on all partitions are copied to each that needs them, with what they use.
// CHECK-LABEL: smp.entry @everywhere
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
smp.entry @everywhere(%x: tensor<4xf32> {smp.name = "x"})
    -> (tensor<4xf32> {smp.name = "y"}, tensor<4xf32> {smp.name = "z"}) {
  // CHECK-DAG: %[[W1:.*]] = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<1, propagated>}
  // CHECK-DAG: %[[W2:.*]] = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<2, propagated>}
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<all, user>}
  // CHECK-DAG: %[[N1:.*]] = smp.mul %[[X]], %[[W1]] {smp.placement = #smp.placement<1, propagated>}
  // CHECK-DAG: %[[N2:.*]] = smp.mul %[[X]], %[[W2]] {smp.placement = #smp.placement<2, propagated>}
  %n = smp.mul %x, %w {smp.placement = #smp.placement<all, user>} : tensor<4xf32>
  // CHECK: %[[A:.*]] = smp.exp %[[N1]] {smp.placement = #smp.placement<1, user>}
  %a = smp.exp %n {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  // CHECK-NEXT: %[[AT:.*]] = smp.transfer %[[A]] to 2
  // CHECK-NEXT: %[[B:.*]] = smp.add %[[AT]], %[[N2]] {smp.placement = #smp.placement<2, user>}
  %b = smp.add %a, %n {smp.placement = #smp.placement<2, user>} : tensor<4xf32>
  // A result of such an op comes from where the first thing is that it needs.
  // CHECK-NEXT: %[[Y:.*]] = smp.neg %[[B]] {smp.placement = #smp.placement<2, propagated>}
  %y = smp.neg %b {smp.placement = #smp.placement<all, user>} : tensor<4xf32>
  // CHECK-NEXT: %[[Z:.*]] = smp.abs %[[X]] {smp.placement = #smp.placement<0, propagated>}
  %z = smp.abs %x {smp.placement = #smp.placement<all, user>} : tensor<4xf32>
  // CHECK-NEXT: smp.return %[[Y]], %[[Z]]
  smp.return %y, %z : tensor<4xf32>, tensor<4xf32>
}
}

// -----

// What changes is in one place, even when it is on all partitions: partition 0
// does it and sends the result.
module attributes {smp.partitions = 2 : i64} {
smp.variable @count state : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @counter
smp.entry @counter(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  // CHECK-NEXT: %[[C:.*]] = smp.read @count : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %c = smp.read @count : tensor<4xf32> {smp.placement = #smp.placement<all, user>}
  // CHECK-NEXT: %[[N:.*]] = smp.add %{{.*}}, %[[C]] {smp.placement = #smp.placement<0, propagated>}
  // CHECK-NEXT: %[[T:.*]] = smp.transfer %[[N]] to 1
  %n = smp.add %x, %c {smp.placement = #smp.placement<all, user>} : tensor<4xf32>
  // CHECK-NEXT: smp.assign @count, %[[N]] : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  smp.assign @count, %n : tensor<4xf32> {smp.placement = #smp.placement<all, user>}
  // CHECK-NEXT: smp.exp %[[T]] {smp.placement = #smp.placement<1, user>}
  %y = smp.exp %n {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}
}
