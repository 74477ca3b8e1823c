// Backward ops take copies of what is recomputed; what is not is kept.
// RUN: smp-opt %s --smp-recompute | FileCheck %s

// CHECK-LABEL: smp.entry @train
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>
smp.entry @train(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}, tensor<4xf32> {smp.name = "z"})
    attributes {smp.microbatches = 1 : i64} {
  // CHECK-NEXT: %[[A:.*]] = smp.exp %[[X]] : tensor<4xf32>
  %a = smp.exp %x : tensor<4xf32>
  // CHECK-NEXT: %[[B:.*]] = smp.sin %[[A]] {smp.origin = 0 : i64} : tensor<4xf32>
  %b = smp.sin %a {smp.recompute} : tensor<4xf32>
  // CHECK-NEXT: %[[C:.*]] = smp.log %[[B]] {smp.origin = 1 : i64, smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %c = smp.log %b {smp.recompute, smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  // The copy of what nobody else needs comes first, and stands where the
  // first backward op needs it; the pin is followed.
  // CHECK-NEXT: %[[B2:.*]] = smp.sin %[[A]] {smp.origin = 0 : i64, smp.unit = #smp.unit<backward_input>}
  // CHECK-NEXT: %[[C2:.*]] = smp.log %[[B2]] {smp.origin = 1 : i64, smp.placement = #smp.placement<1, propagated>, smp.unit = #smp.unit<backward_input>}
  // CHECK-NEXT: %[[D:.*]] = smp.mul %[[C2]], %[[A]]
  %d = smp.mul %c, %a {smp.unit = #smp.unit<backward_input>} : tensor<4xf32>
  // One copy is enough.
  // CHECK-NEXT: %[[E:.*]] = smp.mul %[[D]], %[[B2]]
  %e = smp.mul %d, %b {smp.unit = #smp.unit<backward_weight>} : tensor<4xf32>
  // CHECK-NEXT: smp.return %[[C]], %[[E]]
  smp.return %c, %e : tensor<4xf32>, tensor<4xf32>
}

// Draws are copied, assignments are not; a forward use keeps the first value.
smp.variable @count state : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @draws
smp.entry @draws(%step: tensor<i64> {smp.name = "step"}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {smp.microbatches = 1 : i64} {
  %m = smp.microbatch : tensor<1xi64>
  // CHECK: %[[R:.*]] = smp.random
  %r = smp.random %step, %m {seed = 1 : i64, site = 0 : i64, smp.recompute} : (tensor<i64>, tensor<1xi64>) -> tensor<4xf32>
  // CHECK-NEXT: smp.assign @count, %[[R]]
  smp.assign @count, %r : tensor<4xf32>
  // CHECK-NEXT: %[[R2:.*]] = smp.random {{.*}}seed = 1 : i64, site = 0 : i64{{.*}}smp.unit = #smp.unit<backward_input>
  // CHECK-NEXT: smp.neg %[[R2]]
  %d = smp.neg %r {smp.unit = #smp.unit<backward_input>} : tensor<4xf32>
  smp.return %d : tensor<4xf32>
}

// A variable is not read again: an op of the forward work has changed it.
smp.variable @sum state : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @reads
smp.entry @reads(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {smp.microbatches = 2 : i64} {
  // CHECK-NEXT: %[[OLD:.*]] = smp.read @sum
  %old = smp.read @sum : tensor<4xf32> {smp.recompute}
  %e = smp.exp %old {smp.recompute} : tensor<4xf32>
  %new = smp.add %old, %x : tensor<4xf32>
  smp.assign @sum, %new : tensor<4xf32>
  // CHECK: smp.assign @sum
  // CHECK-NEXT: %[[AGAIN:.*]] = smp.exp %[[OLD]] {{.*}}backward_input
  // CHECK-NEXT: smp.neg %[[AGAIN]]
  %d = smp.neg %e {smp.unit = #smp.unit<backward_input>} : tensor<4xf32>
  smp.return %d : tensor<4xf32>
}
