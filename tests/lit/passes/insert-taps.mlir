// Twins show inputs, parameters, gradients, optimizer variables and named
// values, each name once; entries stay as they are.
// RUN: smp-opt %s --smp-insert-taps --split-input-file | FileCheck %s
// RUN: smp-opt %s --smp-insert-taps=names=h,w --split-input-file | FileCheck %s --check-prefix=NAMES

#p = #smp.placement<0, solver>
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.variable @m optimizer : tensor<4xf32> = #smp.splat<0.0>
smp.variable @sum accumulator : tensor<4xf32> = #smp.splat<0.0>

// CHECK-LABEL: smp.entry @train(
// CHECK-NOT: smp.tap
// CHECK: smp.return
// NAMES-LABEL: smp.entry @train(
// NAMES-NOT: smp.tap
smp.entry @train(%x: tensor<4xf32> {smp.name = "x"}, %n: tensor<1xi64> {smp.name = "smp.microbatch", smp.batch_axis = 0 : i64, smp.is_microbatch})
    -> (tensor<4xf32> {smp.name = "y"}) attributes {mode = #smp.mode<train>, smp.microbatches = 2 : i64} {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #p}
  %h = smp.mul %x, %w {smp.placement = #p} : tensor<4xf32> loc("h")
  %y = smp.exp %h {smp.placement = #p} : tensor<4xf32> loc(fused["y", "also y"])
  %g = smp.read @sum : tensor<4xf32> {smp.placement = #p, smp.unit = #smp.unit<update>} loc("gradient/w")
  %v = smp.read @w : tensor<4xf32> {smp.placement = #p, smp.unit = #smp.unit<update>}
  %u = smp.sub %v, %g {smp.placement = #p, smp.unit = #smp.unit<update>} : tensor<4xf32>
  smp.assign @m, %g : tensor<4xf32> {smp.placement = #p, smp.unit = #smp.unit<update>}
  smp.assign @w, %u : tensor<4xf32> {smp.placement = #p, smp.unit = #smp.unit<update>}
  smp.return %y : tensor<4xf32>
}

// The parameter is the one that the update reads, since that is once per step.
// CHECK-LABEL: smp.entry @train.statistics(
// CHECK-SAME: smp.twin_of = @train
// CHECK: %[[Y:.*]] = smp.exp %[[H:.*]] {
// CHECK: %[[G:.*]] = smp.read @sum
// CHECK: %[[W:.*]] = smp.read @w
// CHECK: smp.tap statistics input "x", %{{.*}} : tensor<4xf32>
// CHECK-NEXT: smp.tap statistics parameter "w", %[[W]]
// CHECK-NEXT: smp.tap statistics value "h", %[[H]]
// CHECK-NEXT: smp.tap statistics value "y", %[[Y]]
// CHECK-NEXT: smp.tap statistics value "also y", %[[Y]]
// CHECK-NEXT: smp.tap statistics gradient "gradient/w", %[[G]]
// CHECK-NEXT: smp.tap statistics slot "m", %[[G]]
// CHECK-NEXT: smp.return
// NAMES-LABEL: smp.entry @train.statistics(
// NAMES: smp.tap statistics parameter "w"
// NAMES-NEXT: smp.tap statistics value "h"
// NAMES-NEXT: smp.return

// CHECK-LABEL: smp.entry @train.values(
// CHECK: smp.tap statistics input "x"
// CHECK-NEXT: smp.tap whole input "x"
// CHECK-NEXT: smp.tap statistics parameter "w"
// CHECK-NEXT: smp.tap whole parameter "w"

// -----

// Where nothing is chosen there is no twin.
// NAMES-LABEL: smp.entry @other(
// NAMES-NOT: smp.entry
smp.entry @other(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %y = smp.exp %x {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// -----

// A loss that is scaled, so that halves do not vanish: gradients are shown
// without the scale, which is the one of this step.
#p = #smp.placement<0, solver>
#q = #smp.placement<1, solver>
smp.variable @w parameter : tensor<2x4xf32> = #smp.splat<1.0>
smp.variable @sum accumulator : tensor<2x4xf32> = #smp.splat<0.0>
smp.variable @"optimizer/loss_scale" optimizer : tensor<f32> = #smp.splat<65536.0>
// NAMES-LABEL: smp.entry @scaled(
// CHECK-LABEL: smp.entry @scaled(
// CHECK-NOT: smp.watches
// CHECK-LABEL: smp.entry @scaled.statistics(
// CHECK: %[[G:.*]] = smp.neg
// CHECK: %[[S:.*]] = smp.read @"optimizer/loss_scale"
// CHECK-NEXT: %[[ONE:.*]] = smp.constant
// CHECK-NEXT: %[[I:.*]] = smp.div %[[ONE]], %[[S]] {smp.placement = #smp.placement<1, propagated>, smp.unit = #smp.unit<update>, smp.watches}
// CHECK-NEXT: %[[B:.*]] = smp.broadcast %[[I]] {{.*}}smp.placement = #smp.placement<0, propagated>, smp.unit = #smp.unit<update>, smp.watches}
// CHECK-NEXT: %[[SHOWN:.*]] = smp.mul %[[G]], %[[B]] {smp.placement = #smp.placement<0, propagated>, smp.unit = #smp.unit<update>, smp.watches}
// CHECK: smp.tap statistics gradient "gradient/w", %[[SHOWN]]
smp.entry @scaled() attributes {mode = #smp.mode<train>, smp.microbatches = 2 : i64} {
  %g = smp.read @sum : tensor<2x4xf32> {smp.placement = #p, smp.unit = #smp.unit<update>}
  %mean = smp.neg %g {smp.placement = #p, smp.unit = #smp.unit<update>} : tensor<2x4xf32> loc("gradient/w")
  %s = smp.read @"optimizer/loss_scale" : tensor<f32> {smp.placement = #q, smp.unit = #smp.unit<update>}
  %next = smp.exp %s {smp.placement = #q, smp.unit = #smp.unit<update>} : tensor<f32>
  smp.assign @"optimizer/loss_scale", %next : tensor<f32> {smp.placement = #q, smp.unit = #smp.unit<update>}
  smp.assign @w, %mean : tensor<2x4xf32> {smp.placement = #p, smp.unit = #smp.unit<update>}
  smp.return
}
