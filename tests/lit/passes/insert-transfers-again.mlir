// RUN: smp-opt %s --split-input-file --smp-insert-transfers --smp-insert-transfers | FileCheck %s

// What is transferred already is not transferred again.
// CHECK: %[[A:.*]] = smp.exp
// CHECK-NEXT: %[[B:.*]] = smp.transfer %[[A]] to 1
// CHECK-NEXT: smp.neg %[[B]]
// CHECK-NOT: smp.transfer
module attributes {smp.partitions = 2 : i64} {
smp.entry @f(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %y = smp.neg %a {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}
}

// -----

// A value that was sent away and is wanted where it was made is taken from there.
// CHECK-LABEL: smp.entry @back
// CHECK-NOT: smp.transfer
// CHECK: smp.return
module @two attributes {smp.partitions = 2 : i64} {
smp.entry @back(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %b = smp.transfer %a to 1 {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32>
  %y = smp.neg %b {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}
}
