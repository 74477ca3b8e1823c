// Forward, backward and update ops are in stages of their own, updates last; a
// variable is assigned after all that read it.
// RUN: smp-opt %s --smp-stage --split-input-file | FileCheck %s

module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.variable @v parameter : tensor<4xf32> = #smp.splat<1.0>
smp.variable @sum accumulator : tensor<4xf32> = #smp.splat<0.0>

// CHECK-LABEL: smp.entry @train
// CHECK: %[[F:.*]] = smp.run @train_0(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: smp.run @train_1(%[[F]])
// CHECK: %[[U:.*]] = smp.run @train_2() : () -> tensor<4xf32>
// CHECK: %[[T:.*]] = smp.transfer %[[U]] to 0
// CHECK: smp.run @train_3(%[[T]])
// CHECK: smp.return %[[F]]
// CHECK: smp.stage @train_0
// CHECK-SAME: attributes {partition = 0 : i64} {
// CHECK: smp.stage @train_1
// CHECK-SAME: attributes {partition = 0 : i64, unit = #smp.unit<backward_input>} {
// Each phase reshapes for itself.
// CHECK: smp.reshape
// CHECK: smp.assign @sum
// CHECK: smp.stage @train_2
// CHECK-SAME: attributes {partition = 1 : i64, unit = #smp.unit<update>} {
// CHECK: smp.stage @train_3
// CHECK-SAME: attributes {partition = 0 : i64, unit = #smp.unit<update>} {
// CHECK: %[[OLD:.*]] = smp.read @w
// CHECK: %[[NEW:.*]] = smp.sub %[[OLD]]
// CHECK: smp.assign @w, %[[NEW]]
smp.entry @train(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"})
    attributes {smp.microbatches = 1 : i64} {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, user>}
  %y = smp.mul %x, %w {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %r = smp.reshape %y {smp.placement = #smp.placement<0, user>} : tensor<4xf32> to tensor<2x2xf32>
  %d = smp.exp %r {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<backward_input>} : tensor<2x2xf32>
  %g = smp.reshape %d {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<backward_weight>} : tensor<2x2xf32> to tensor<4xf32>
  smp.assign @sum, %g : tensor<4xf32> {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<backward_weight>}
  %v = smp.read @v : tensor<4xf32> {smp.placement = #smp.placement<1, user>, smp.unit = #smp.unit<update>}
  %s = smp.neg %v {smp.placement = #smp.placement<1, user>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  %old = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>}
  %all = smp.read @sum : tensor<4xf32> {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>}
  %by = smp.mul %all, %s {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  %new = smp.sub %old, %by {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  smp.assign @w, %new : tensor<4xf32> {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>}
  smp.return %y : tensor<4xf32>
}
}

// -----

// The readers of a variable are in a stage that comes before the one that
// assigns it, though the new value is there at once.
module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.variable @v parameter : tensor<4xf32> = #smp.splat<1.0>

// CHECK-LABEL: smp.entry @late
// CHECK: smp.stage @late_0
// CHECK-NOT: smp.assign @w
// CHECK: smp.stage @late_1
// CHECK: smp.stage @late_2
// CHECK: smp.log
// CHECK: smp.assign @w
smp.entry @late() -> (tensor<4xf32> {smp.name = "y"})
    attributes {smp.microbatches = 1 : i64} {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>}
  %n = smp.neg %w {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  smp.assign @w, %n : tensor<4xf32> {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>}
  %e = smp.exp %n {smp.placement = #smp.placement<1, user>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  %m = smp.mul %e, %w {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  %l = smp.log %m {smp.placement = #smp.placement<0, user>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  smp.return %l : tensor<4xf32>
}
}

// -----

// What an update needs late is computed late: one stage, nothing kept between.
module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.variable @v parameter : tensor<4xf32> = #smp.splat<1.0>

// CHECK-LABEL: smp.entry @postponed
// CHECK-NEXT: smp.run @postponed_0() : () -> tensor<4xf32>
// CHECK-NEXT: smp.transfer
// CHECK-NEXT: smp.run @postponed_1(%{{.*}}) : (tensor<4xf32>) -> ()
// CHECK-NEXT: smp.return
smp.entry @postponed() -> () attributes {smp.microbatches = 1 : i64} {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<update>}
  %n = smp.neg %w {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  %v = smp.read @v : tensor<4xf32> {smp.placement = #smp.placement<1, solver>, smp.unit = #smp.unit<update>}
  %s = smp.exp %v {smp.placement = #smp.placement<1, solver>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  %m = smp.mul %n, %s {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<update>} : tensor<4xf32>
  smp.assign @w, %m : tensor<4xf32> {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<update>}
  smp.return
}
}
