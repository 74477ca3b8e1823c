// Gradients become ops that know their unit, origin and place.
// RUN: smp-opt %s --smp-differentiate=allow-unused --verify-names --verify-diagnostics -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

module {
smp.variable @w1 parameter : tensor<4x8xf32> = #smp.splat<0.5>
smp.variable @w2 parameter : tensor<8x1xf32> = #smp.splat<0.5>
smp.variable @steps state : tensor<f32> = #smp.splat<0.0>

// The loss's gradients become results. What the weights' need alone is marked;
// nothing is built for the gradient of the input. A user's pin survives, and
// what derives from the pinned op follows it.
// CHECK-LABEL: smp.entry @train
// CHECK-SAME: tensor<f32> {smp.name = "loss"}, tensor<4x8xf32> {smp.name = "gradient/w1"}, tensor<8x1xf32> {smp.name = "gradient/w2"}
// CHECK-NOT: smp.loss
smp.entry @train(%x: tensor<2x4xf32> {smp.name = "x"})
    -> (tensor<f32> {smp.name = "loss"}) attributes {smp.loss = "loss"} {
  %w1 = smp.read @w1 : tensor<4x8xf32>
  %w2 = smp.read @w2 : tensor<8x1xf32>
  // CHECK: smp.dot_general {{.*}}smp.origin = [[FIRST:[0-9]+]] : i64, smp.placement = #smp.placement<1, user>{{.*}} loc("first")
  %0 = smp.dot_general %x, %w1 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, smp.placement = #smp.placement<1, user>} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32> loc("first")
  // CHECK: %[[TANH:.*]] = smp.tanh
  %1 = smp.tanh %0 : tensor<2x8xf32>
  %2 = smp.dot_general %1, %w2 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x8xf32>, tensor<8x1xf32>) -> tensor<2x1xf32>
  %3 = smp.reduce sum_squares %2 {dimensions = array<i64: 0, 1>} : (tensor<2x1xf32>) -> tensor<f32>
  // CHECK: smp.constant dense<1.0{{.*}}smp.unit = #smp.unit<backward_input>
  // CHECK: smp.broadcast {{.*}}smp.unit = #smp.unit<backward_input>
  // CHECK: %[[DY:.*]] = smp.mul {{.*}}smp.unit = #smp.unit<backward_input>
  // CHECK: smp.dot_general %[[DY]], {{.*}}smp.unit = #smp.unit<backward_input>
  // CHECK: %[[DW2:.*]] = smp.dot_general %[[TANH]], %[[DY]] {{.*}}smp.unit = #smp.unit<backward_weight>
  // CHECK: smp.mul %[[TANH]], %[[TANH]] {{.*}}smp.unit = #smp.unit<backward_input>
  // CHECK: %[[DW1:.*]] = smp.dot_general %{{.*}}smp.origin = [[FIRST]] : i64, smp.placement = #smp.placement<1, propagated>, smp.unit = #smp.unit<backward_weight>{{.*}} loc(callsite(unknown at "first"))
  // CHECK-NEXT: smp.return %{{.*}}, %[[DW1]], %[[DW2]]
  smp.return %3 : tensor<f32>
}

// Only the variables that are named.
// CHECK-LABEL: smp.entry @frozen
// CHECK-SAME: (tensor<8x1xf32> {smp.name = "loss"}, tensor<f32> {smp.name = "mean"}, tensor<f32> {smp.name = "gradient/steps"})
smp.entry @frozen() -> (tensor<8x1xf32> {smp.name = "loss"}, tensor<f32> {smp.name = "mean"})
    attributes {smp.loss = "mean", smp.differentiate = ["steps"]} {
  %w2 = smp.read @w2 : tensor<8x1xf32>
  %steps = smp.read @steps : tensor<f32>
  %sum = smp.reduce sum %w2 {dimensions = array<i64: 0, 1>} : (tensor<8x1xf32>) -> tensor<f32>
  // CHECK: %[[SUM:.*]] = smp.reduce
  // CHECK: smp.mul %{{.*}}, %[[SUM]] {{.*}}backward_weight
  // CHECK-NEXT: smp.return
  %mean = smp.mul %sum, %steps : tensor<f32>
  smp.return %w2, %mean : tensor<8x1xf32>, tensor<f32>
}

// All reads of a variable count, in the order in which the sweep meets them.
// CHECK-LABEL: smp.entry @tied
smp.entry @tied() -> (tensor<8x1xf32> {smp.name = "dw"}) {
  // CHECK: %[[A:.*]] = smp.read @w2
  // CHECK: %[[B:.*]] = smp.read @w2
  %a = smp.read @w2 : tensor<8x1xf32>
  %b = smp.read @w2 : tensor<8x1xf32>
  %product = smp.mul %a, %b : tensor<8x1xf32>
  %loss = smp.reduce sum %product {dimensions = array<i64: 0, 1>} : (tensor<8x1xf32>) -> tensor<f32>
  // CHECK: %[[DY:.*]] = smp.broadcast
  // CHECK: %[[L:.*]] = smp.mul %[[DY]], %[[B]]
  // CHECK: %[[R:.*]] = smp.mul %[[DY]], %[[A]]
  // CHECK: %[[SUM:.*]] = smp.add %[[L]], %[[R]] {{.*}}backward_weight{{.*}} loc({{.*}}"dw"
  // CHECK-NEXT: smp.return %[[SUM]]
  %dw = smp.gradient %loss of %b : (tensor<f32>, tensor<8x1xf32>) -> tensor<8x1xf32> loc("dw")
  smp.return %dw : tensor<8x1xf32>
}

// Nothing for a gradient without use; no gradient through stop_gradient.
// CHECK-LABEL: smp.entry @stopped
smp.entry @stopped(%x: tensor<f32> {smp.name = "x"}, %y: tensor<f32> {smp.name = "y"})
    -> (tensor<f32> {smp.name = "dx"}) {
  // CHECK-NEXT: %[[E:.*]] = smp.exp %{{.*}}
  // CHECK-NEXT: %[[S:.*]] = smp.stop_gradient %[[E]]
  // CHECK-NEXT: smp.mul
  // CHECK-NEXT: smp.mul
  // CHECK-NEXT: %[[ONE:.*]] = smp.constant
  // CHECK-NEXT: %[[D:.*]] = smp.mul %[[ONE]], %{{.*}} {
  // CHECK-NEXT: %[[DX:.*]] = smp.mul %[[D]], %[[S]]
  // CHECK-NEXT: smp.return %[[DX]]
  %e = smp.exp %x : tensor<f32>
  %s = smp.stop_gradient %e : tensor<f32>
  %0 = smp.mul %x, %s : tensor<f32>
  %loss = smp.mul %0, %y : tensor<f32>
  %dx, %dy = smp.gradient %loss of %x, %y : (tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  smp.return %dx : tensor<f32>
}

// A composite without a rule is decomposed, others are not.
// CHECK-LABEL: smp.entry @composites
smp.entry @composites(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "dx"}) {
  // CHECK: smp.relu
  // CHECK: smp.exp
  // CHECK-NOT: smp.silu
  %0 = smp.relu %x : tensor<4xf32>
  %1 = smp.silu %0 : tensor<4xf32>
  %loss = smp.reduce sum %1 {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %dx = smp.gradient %loss of %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  smp.return %dx : tensor<4xf32>
}

// What a gelu computed forward is not kept: its gradient is computed from the
// input alone.
// CHECK-LABEL: smp.entry @gelu
// CHECK-SAME: %[[X:[^:]*]]:
smp.entry @gelu(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "dx"}) {
  // CHECK: smp.gelu %[[X]]
  // CHECK: %[[SCALED:.*]] = smp.mul %[[X]]
  // CHECK: smp.erf %[[SCALED]]
  // CHECK: smp.exp
  // CHECK-NOT: smp.erf
  // CHECK: smp.return
  %0 = smp.gelu %x : tensor<4xf32>
  %loss = smp.reduce sum %0 {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<f32>
  %dx = smp.gradient %loss of %x : (tensor<f32>, tensor<4xf32>) -> tensor<4xf32>
  smp.return %dx : tensor<4xf32>
}

// One element of each row was taken: a loop puts the gradient back, no scatter.
// CHECK-LABEL: smp.entry @picked
smp.entry @picked(%x: tensor<3x4xf32> {smp.name = "x"}, %i: tensor<3x1xi64> {smp.name = "i"})
    -> (tensor<3x4xf32> {smp.name = "dx"}) {
  // CHECK: %[[I:.*]] = smp.convert {{.*}} : tensor<3x1xi64> to tensor<3x1xi32>
  // CHECK: %[[AT:.*]] = smp.iota 1 {{.*}} : tensor<3x4xi32>
  // CHECK: %[[TO:.*]] = smp.broadcast %[[I]]
  // CHECK: smp.compare eq %[[AT]], %[[TO]]
  // CHECK-NOT: smp.scatter
  // CHECK: smp.select
  %0 = smp.gather_elements %x, %i {axis = 1 : i64} : (tensor<3x4xf32>, tensor<3x1xi64>) -> tensor<3x1xf32>
  %loss = smp.reduce sum %0 {dimensions = array<i64: 0, 1>} : (tensor<3x1xf32>) -> tensor<f32>
  %dx = smp.gradient %loss of %x : (tensor<f32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  smp.return %dx : tensor<3x4xf32>
}

// The gradient of a gradient: exp'' is exp, which is computed once.
// CHECK-LABEL: smp.entry @twice
smp.entry @twice(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "ddx"}) {
  // CHECK: smp.exp
  // CHECK-NOT: smp.exp
  // CHECK-NOT: smp.gradient
  // CHECK: smp.return
  %e = smp.exp %x : tensor<f32>
  %dx = smp.gradient %e of %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %ddx = smp.gradient %dx of %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  smp.return %ddx : tensor<f32>
}

// With allow-unused, zero.
// CHECK-LABEL: smp.entry @unused
smp.entry @unused(%x: tensor<f32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "loss"})
    attributes {smp.loss = "loss", smp.differentiate = ["steps", "w2"]} {
  // CHECK: %[[ZERO:.*]] = smp.constant dense<0.0{{.*}}> : tensor<8x1xf32>
  // CHECK: smp.return %{{.*}}, %{{.*}}, %[[ZERO]] :
  %steps = smp.read @steps : tensor<f32>
  // expected-warning @+2 {{variable 'w2' gets no gradient: the loss does not depend on it}}
  // expected-note @+2 {{its gradient is zero}}
  %w2 = smp.read @w2 : tensor<8x1xf32>
  %loss = smp.mul %x, %steps : tensor<f32>
  smp.return %loss : tensor<f32>
}
}
