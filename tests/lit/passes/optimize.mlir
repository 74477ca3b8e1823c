// What each kind of optimizer is in ops. The numbers are in OptimizerTest.cpp.
// RUN: smp-opt %s --smp-optimize --split-input-file --verify-roundtrip | FileCheck %s

// Gradients are those of the step; the update is one part of the graph, the
// numbers of the step another. What may be set between steps are variables.
module {
// CHECK-DAG: smp.variable @"optimizer/learning_rate_scale" optimizer : tensor<f32> = #smp.splat<1.{{0*}}e+00>
// CHECK-DAG: smp.variable @"optimizer/step" optimizer : tensor<i64> = #smp.splat<0.{{0*}}e+00>
// CHECK-NOT: optimizer/weight_decay
// CHECK-NOT: optimizer/clip_norm
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @sgd
// CHECK-SAME: -> (tensor<f32> {smp.name = "loss"}, tensor<f32> {smp.name = "learning_rate"})
// CHECK-SAME: attributes {mode = #smp.mode<train>} {
smp.entry @sgd(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}, %l: tensor<f32> {smp.name = "l"})
    -> (tensor<f32> {smp.name = "loss"}, tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", learning_rate = 0.5}} {
  // CHECK: %[[G:.*]] = smp.accumulate %arg0 {mean, smp.origin = 0 : i64, smp.unit = #smp.unit<update>} : tensor<4xf32>
  // CHECK: %[[SCALE:.*]] = smp.read @"optimizer/learning_rate_scale" : tensor<f32> {smp.origin = 1 : i64, smp.unit = #smp.unit<update>}
  // CHECK: %[[SCALE64:.*]] = smp.convert %[[SCALE]] {{.*}} to tensor<f64>
  // CHECK: %[[STEP:.*]] = smp.read @"optimizer/step"
  // CHECK: %[[NEXT:.*]] = smp.add %[[STEP]], %{{.*}} : tensor<i64>
  // CHECK: %[[RATE:.*]] = smp.mul %{{.*}}, %[[SCALE64]] {{.*}} : tensor<f64>
  // CHECK: %[[RESULT:.*]] = smp.convert %[[RATE]] {{.*}} to tensor<f32>
  // CHECK: smp.assign @"optimizer/step", %[[NEXT]]
  // CHECK: %[[W:.*]] = smp.read @w : tensor<4xf32> {smp.origin = 0 : i64, smp.unit = #smp.unit<update>}
  // CHECK: %[[R:.*]] = smp.broadcast %{{.*}} {dimensions = array<i64>, smp.origin = 0
  // CHECK: %[[BY:.*]] = smp.mul %[[G]], %[[R]]
  // CHECK: %[[NEW:.*]] = smp.sub %[[W]], %[[BY]]
  // CHECK: smp.assign @w, %[[NEW]]
  // CHECK: smp.return %arg1, %[[RESULT]]
  smp.return %l, %g : tensor<f32>, tensor<4xf32>
}
}

// -----

// The decay is part of the gradient, and may be set between steps.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @momentum
// CHECK-SAME: -> (tensor<f32> {smp.name = "learning_rate"})
// CHECK-NOT: smp.optimizer
smp.entry @momentum(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "momentum", momentum = 0.5, weight_decay = 0.25}} {
  // CHECK: %[[G:.*]] = smp.accumulate
  // CHECK: %[[D:.*]] = smp.read @"optimizer/weight_decay"
  // CHECK: %[[W:.*]] = smp.read @w
  // CHECK: %[[DW:.*]] = smp.mul %[[W]]
  // CHECK: %[[GD:.*]] = smp.add %[[G]], %[[DW]]
  // CHECK: %[[OLD:.*]] = smp.read @"optimizer/momentum/w"
  // CHECK: %[[M:.*]] = smp.constant dense<5.{{0*}}e-01> : tensor<4xf32>
  // CHECK: %[[KEPT:.*]] = smp.mul %[[OLD]], %[[M]]
  // CHECK: %[[SUM:.*]] = smp.add %[[KEPT]], %[[GD]]
  // CHECK: smp.assign @"optimizer/momentum/w", %[[SUM]]
  // CHECK: %[[BY:.*]] = smp.mul %[[SUM]], %
  // CHECK: smp.sub %[[W]], %[[BY]]
  // CHECK: smp.assign @w
  smp.return %g : tensor<4xf32>
}
}

// -----

module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @nesterov
// CHECK-SAME: -> (tensor<f32> {smp.name = "learning_rate"})
// CHECK-NOT: smp.optimizer
smp.entry @nesterov(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "nesterov"}} {
  // CHECK: %[[G:.*]] = smp.accumulate
  // CHECK: %[[OLD:.*]] = smp.read @"optimizer/momentum/w"
  // CHECK: %[[KEPT:.*]] = smp.mul %[[OLD]]
  // CHECK: %[[SUM:.*]] = smp.add %[[KEPT]], %[[G]]
  // CHECK: smp.assign @"optimizer/momentum/w", %[[SUM]]
  // CHECK: %[[AHEAD:.*]] = smp.mul %[[SUM]]
  // CHECK: %[[BY:.*]] = smp.add %[[G]], %[[AHEAD]]
  // CHECK: smp.mul %[[BY]], %
  // CHECK: smp.assign @w
  smp.return %g : tensor<4xf32>
}
}

// -----

module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @adam
// CHECK-SAME: -> (tensor<f32> {smp.name = "learning_rate"})
// CHECK-NOT: smp.optimizer
smp.entry @adam(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "adam", weight_decay = 0.25}} {
  // CHECK: %[[G:.*]] = smp.accumulate
  // CHECK: %[[D:.*]] = smp.read @"optimizer/weight_decay"
  // CHECK: %[[W:.*]] = smp.read @w
  // CHECK: %[[DW:.*]] = smp.mul %[[W]]
  // CHECK: %[[GD:.*]] = smp.add %[[G]], %[[DW]]
  // CHECK: smp.read @"optimizer/mean/w"
  // CHECK: %[[MEAN:.*]] = smp.add
  // CHECK: smp.read @"optimizer/square/w"
  // CHECK: smp.mul %[[GD]], %[[GD]]
  // CHECK: %[[SQUARES:.*]] = smp.add
  // CHECK: smp.assign @"optimizer/mean/w", %[[MEAN]]
  // CHECK: smp.assign @"optimizer/square/w", %[[SQUARES]]
  // CHECK: %[[ROOT:.*]] = smp.sqrt %[[SQUARES]]
  // CHECK: smp.pow {{.*}} : tensor<f64>
  // CHECK: %[[SCALED:.*]] = smp.div %[[ROOT]]
  // CHECK: smp.pow {{.*}} : tensor<f64>
  // CHECK: %[[BELOW:.*]] = smp.add %[[SCALED]]
  // CHECK: %[[STEP:.*]] = smp.div %[[MEAN]], %[[BELOW]]
  // CHECK: %[[BY:.*]] = smp.mul %[[STEP]]
  // CHECK: smp.sub %[[W]], %[[BY]]
  // CHECK: smp.assign @w
  smp.return %g : tensor<4xf32>
}
}

// -----

// The decay is of the parameter itself.
module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @adamw
// CHECK-SAME: -> (tensor<f32> {smp.name = "learning_rate"})
// CHECK-NOT: smp.optimizer
smp.entry @adamw(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "adamw", weight_decay = 0.25}} {
  // CHECK: %[[G:.*]] = smp.accumulate
  // CHECK: %[[W:.*]] = smp.read @w
  // CHECK: %[[KEPT:.*]] = smp.mul %[[W]]
  // CHECK: smp.read @"optimizer/mean/w"
  // CHECK: smp.mul %[[G]]
  // CHECK: smp.read @"optimizer/square/w"
  // CHECK: smp.mul %[[G]], %[[G]]
  // CHECK: smp.sub %[[KEPT]]
  // CHECK: smp.assign @w
  smp.return %g : tensor<4xf32>
}
}

// -----

module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @adagrad
// CHECK-SAME: -> (tensor<f32> {smp.name = "learning_rate"})
// CHECK-NOT: smp.optimizer
smp.entry @adagrad(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "adagrad"}} {
  // CHECK: %[[G:.*]] = smp.accumulate
  // CHECK: %[[OLD:.*]] = smp.read @"optimizer/square/w"
  // CHECK: %[[SQUARE:.*]] = smp.mul %[[G]], %[[G]]
  // CHECK: %[[SUM:.*]] = smp.add %[[OLD]], %[[SQUARE]]
  // CHECK: smp.assign @"optimizer/square/w", %[[SUM]]
  // CHECK: %[[ROOT:.*]] = smp.sqrt %[[SUM]]
  // CHECK: %[[BELOW:.*]] = smp.add %[[ROOT]]
  // CHECK: smp.div %[[G]], %[[BELOW]]
  // CHECK: smp.assign @w
  smp.return %g : tensor<4xf32>
}
}

// -----

module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @rmsprop
// CHECK-SAME: -> (tensor<f32> {smp.name = "learning_rate"})
// CHECK-NOT: smp.optimizer
smp.entry @rmsprop(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "rmsprop", smoothing = 0.75}} {
  // CHECK: %[[G:.*]] = smp.accumulate
  // CHECK: %[[OLD:.*]] = smp.read @"optimizer/square/w"
  // CHECK: %[[SQUARE:.*]] = smp.mul %[[G]], %[[G]]
  // CHECK: %[[S:.*]] = smp.constant dense<7.5{{0*}}e-01>
  // CHECK: smp.mul %[[OLD]], %[[S]]
  // CHECK: %[[REST:.*]] = smp.constant dense<2.5{{0*}}e-01>
  // CHECK: smp.mul %[[SQUARE]], %[[REST]]
  // CHECK: %[[SUM:.*]] = smp.add
  // CHECK: smp.assign @"optimizer/square/w", %[[SUM]]
  // CHECK: %[[ROOT:.*]] = smp.sqrt %[[SUM]]
  // CHECK: smp.assign @w
  smp.return %g : tensor<4xf32>
}
}

// -----

module {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
// CHECK-LABEL: smp.entry @lion
// CHECK-SAME: -> (tensor<f32> {smp.name = "learning_rate"})
// CHECK-NOT: smp.optimizer
smp.entry @lion(%g: tensor<4xf32> {smp.name = "g", smp.batch_axis = 0 : i64}) -> (tensor<4xf32> {smp.name = "gradient/w"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "lion", weight_decay = 0.25}} {
  // CHECK: %[[G:.*]] = smp.accumulate
  // CHECK: %[[W:.*]] = smp.read @w
  // CHECK: %[[KEPT:.*]] = smp.mul %[[W]]
  // CHECK: %[[OLD:.*]] = smp.read @"optimizer/mean/w"
  // CHECK: %[[SIGN:.*]] = smp.sign
  // CHECK: smp.mul %[[OLD]]
  // CHECK: %[[MEAN:.*]] = smp.add
  // CHECK: smp.assign @"optimizer/mean/w", %[[MEAN]]
  // CHECK: %[[BY:.*]] = smp.mul %[[SIGN]]
  // CHECK: smp.sub %[[KEPT]], %[[BY]]
  // CHECK: smp.assign @w
  smp.return %g : tensor<4xf32>
}
}

// -----

// Which parameters decay: by name and by rank. A norm is that of all gradients,
// summed in the order of names: a before b. Slots are declared once.
module {
smp.variable @b parameter : tensor<2x3xf32> = #smp.splat<1.0>
smp.variable @a parameter : tensor<3xf32> = #smp.splat<1.0>
smp.variable @c parameter : tensor<2x3xf32> = #smp.splat<1.0>
// CHECK-COUNT-1: smp.variable @"optimizer/clip_norm" optimizer : tensor<f32> = #smp.splat<2.{{0*}}e+00>
// CHECK-LABEL: smp.entry @several
// CHECK-SAME: -> (tensor<f32> {smp.name = "learning_rate"}, tensor<f32> {smp.name = "gradient_norm"})
smp.entry @several(%b: tensor<2x3xf32> {smp.name = "gb", smp.batch_axis = 0 : i64},
    %a: tensor<3xf32> {smp.name = "ga", smp.batch_axis = 0 : i64}, %c: tensor<2x3xf32> {smp.name = "gc", smp.batch_axis = 0 : i64})
    -> (tensor<2x3xf32> {smp.name = "gradient/b"}, tensor<3xf32> {smp.name = "gradient/a"}, tensor<2x3xf32> {smp.name = "gradient/c"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", weight_decay = 0.5, decay = ["[ab]"], decay_min_rank = 2, clip_norm = 2.0}} {
  // CHECK: %[[GB:.*]] = smp.accumulate %arg0
  // CHECK: %[[GA:.*]] = smp.accumulate %arg1
  // CHECK: %[[GC:.*]] = smp.accumulate %arg2
  // CHECK: %[[A:.*]] = smp.reduce sum_squares %[[GA]]
  // CHECK: %[[A64:.*]] = smp.convert %[[A]] {{.*}} to tensor<f64>
  // CHECK: %[[ROWS:.*]] = smp.reduce sum_squares %[[GB]] {dimensions = array<i64: 1>
  // CHECK: %[[B:.*]] = smp.reduce sum %[[ROWS]]
  // CHECK: %[[B64:.*]] = smp.convert %[[B]]
  // CHECK: %[[AB:.*]] = smp.add %[[A64]], %[[B64]]
  // CHECK: smp.reduce sum_squares %[[GC]]
  // CHECK: %[[ALL:.*]] = smp.add %[[AB]]
  // CHECK: %[[NORM:.*]] = smp.sqrt %[[ALL]]
  // CHECK: smp.min
  // CHECK: %[[CB:.*]] = smp.mul %[[GB]]
  // CHECK: %[[CA:.*]] = smp.mul %[[GA]]
  // CHECK: %[[CC:.*]] = smp.mul %[[GC]]
  // CHECK: %[[WB:.*]] = smp.read @b
  // CHECK: %[[DB:.*]] = smp.mul %[[WB]]
  // CHECK: smp.add %[[CB]], %[[DB]]
  // CHECK: smp.read @a
  // CHECK-NOT: smp.add
  // CHECK: smp.read @c
  // CHECK-NOT: smp.add
  // CHECK: smp.assign @c
  smp.return %b, %a, %c : tensor<2x3xf32>, tensor<3xf32>, tensor<2x3xf32>
}
// A second entry trains with the same slots.
// CHECK-LABEL: smp.entry @again
smp.entry @again(%a: tensor<3xf32> {smp.name = "ga", smp.batch_axis = 0 : i64}) -> (tensor<3xf32> {smp.name = "gradient/a"})
    attributes {mode = #smp.mode<train>, smp.optimizer = {kind = "sgd", clip_norm = 2.0}} {
  // CHECK: smp.assign @a
  smp.return %a : tensor<3xf32>
}
}
