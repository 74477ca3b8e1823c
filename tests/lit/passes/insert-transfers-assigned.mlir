// What simplification leaves: an op of another partition that takes a variable.
// RUN: smp-opt %s --smp-insert-transfers | FileCheck %s

// A variable that changes is in one place: its value is sent, by a read of its
// own.
module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @changes
smp.entry @changes() -> (tensor<4xf32> {smp.name = "a"}, tensor<4xf32> {smp.name = "b"}) {
  // CHECK-NEXT: %[[SENT:.*]] = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, solver>}
  // CHECK-NEXT: %[[T:.*]] = smp.transfer %[[SENT]] to 1
  // CHECK-NEXT: %[[W:.*]] = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, solver>}
  // CHECK-NEXT: %[[N:.*]] = smp.neg %[[W]]
  // CHECK-NEXT: %[[A:.*]] = smp.exp %[[T]]
  // CHECK-NEXT: smp.assign @w, %[[N]]
  // CHECK-NEXT: smp.return %[[A]], %[[N]]
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, solver>}
  %t = smp.neg %w {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  %a = smp.exp %w {smp.placement = #smp.placement<1, solver>} : tensor<4xf32>
  smp.assign @w, %t : tensor<4xf32> {smp.placement = #smp.placement<0, solver>}
  smp.return %a, %t : tensor<4xf32>, tensor<4xf32>
}
}
