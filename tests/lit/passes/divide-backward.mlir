// Gradients of weights become stages of their own, one after each backward stage:
// nobody waits for them but the update. Layers a and c are on partition 0, b on
// partition 1.
// RUN: smp-opt %s --smp-differentiate --smp-optimize --smp-accumulate --smp-divide-backward --smp-place --smp-stage | FileCheck %s
// Without, they are part of the backward stages.
// RUN: smp-opt %s --smp-differentiate --smp-optimize --smp-accumulate --smp-place --smp-stage | FileCheck %s --check-prefix=WHOLE --implicit-check-not="attributes {partition = {{[01]}} : i64, unit = #smp.unit<backward_weight>}"
// WHOLE: unit = #smp.unit<backward_input>} {

// An entry without gradients stays as it is.
// CHECK-LABEL: smp.entry @predict
// CHECK-NOT: divides_backward
// CHECK: smp.stage @predict_0
// CHECK-LABEL: smp.entry @train
// CHECK-SAME: smp.divides_backward
// CHECK: smp.run @train_0
// CHECK: smp.run @train_1
// CHECK: smp.run @train_2
// CHECK: %[[C:.*]]:2 = smp.run @train_3(
// CHECK: smp.run @train_4({{.*}}%[[C]]#
// CHECK: %[[B:.*]]:2 = smp.run @train_5(
// CHECK: smp.run @train_6({{.*}}%[[B]]#
// CHECK: %[[A:.*]] = smp.run @train_7(
// CHECK: smp.run @train_8(%[[A]]
// CHECK-LABEL: smp.stage @train_0(
// CHECK-SAME: attributes {partition = 0 : i64} {
// CHECK-LABEL: smp.stage @train_1(
// CHECK-SAME: attributes {partition = 1 : i64} {
// CHECK-LABEL: smp.stage @train_2(
// CHECK-SAME: attributes {partition = 0 : i64} {
// CHECK-LABEL: smp.stage @train_3(
// CHECK-SAME: attributes {partition = 0 : i64, unit = #smp.unit<backward_input>} {
// CHECK-LABEL: smp.stage @train_4(
// CHECK-SAME: attributes {partition = 0 : i64, unit = #smp.unit<backward_weight>} {
// CHECK: smp.assign @"accumulator/train/{{[0-9]+}}"
// CHECK-LABEL: smp.stage @train_5(
// CHECK-SAME: attributes {partition = 1 : i64, unit = #smp.unit<backward_input>} {
// CHECK-LABEL: smp.stage @train_6(
// CHECK-SAME: attributes {partition = 1 : i64, unit = #smp.unit<backward_weight>} {
// CHECK: smp.assign @"accumulator/train/{{[0-9]+}}"
// CHECK-LABEL: smp.stage @train_7(
// CHECK-SAME: attributes {partition = 0 : i64, unit = #smp.unit<backward_input>} {
// CHECK-LABEL: smp.stage @train_8(
// CHECK-SAME: attributes {partition = 0 : i64, unit = #smp.unit<backward_weight>} {
// CHECK: smp.assign @"accumulator/train/{{[0-9]+}}"
module attributes {smp.partitions = 2 : i64} {
smp.variable @a parameter : tensor<4xf32> = #smp.splat<1.0>
smp.variable @b parameter : tensor<4xf32> = #smp.splat<2.0>
smp.variable @c parameter : tensor<4xf32> = #smp.splat<3.0>

smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %y = smp.exp %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}
smp.entry @train(%x: tensor<4xf32> {smp.name = "x", smp.batch_axis = 0 : i64}) -> (tensor<f32> {smp.name = "loss"})
    attributes {mode = #smp.mode<train>, smp.loss = "loss", smp.microbatches = 2 : i64, smp.optimizer = {kind = "sgd", learning_rate = 0.5}} {
  %a = smp.read @a : tensor<4xf32>
  %b = smp.read @b : tensor<4xf32>
  %c = smp.read @c : tensor<4xf32>
  %0 = smp.mul %x, %a {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %1 = smp.exp %0 {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %2 = smp.mul %1, %b {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %3 = smp.exp %2 {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %4 = smp.mul %3, %c {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %5 = smp.exp %4 {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %l = smp.reduce sum %5 {dimensions = array<i64: 0>, smp.placement = #smp.placement<0, user>} : (tensor<4xf32>) -> tensor<f32>
  smp.return %l : tensor<f32>
}
}
