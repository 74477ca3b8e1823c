// What depends on variables alone is computed once, after load.
// RUN: smp-opt %s --smp-hoist-prepare --split-input-file | FileCheck %s

// CHECK: smp.stage @prepare_1() -> tensor<4xf32> attributes {partition = 1 : i64, unit = #smp.unit<prepare>}
// CHECK: %[[W:.*]] = smp.read @w
// CHECK: %[[E:.*]] = smp.exp %[[W]] {smp.placement = #smp.placement<1, user>}
// CHECK: smp.return %[[E]]
// CHECK-LABEL: smp.entry @weights
// CHECK-NOT: smp.exp
// CHECK: %[[P:.*]] = smp.prepared @prepare_1[0]
// CHECK: smp.add %{{.*}}, %[[P]]
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.entry @weights(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<1, user>}
  %e = smp.exp %w {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %y = smp.add %x, %e {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// -----

// A variable that some entry assigns may differ in every step.
// CHECK-NOT: prepare
// CHECK-LABEL: smp.entry @predict
// CHECK: smp.exp
// CHECK-LABEL: smp.entry @train
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, solver>}
  %e = smp.exp %w {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  %y = smp.add %x, %e {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}
smp.entry @train(%x: tensor<4xf32> {smp.name = "x"}) {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, solver>}
  %n = smp.add %w, %x {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  smp.assign @w, %n : tensor<4xf32> {smp.placement = #smp.placement<0, solver>}
  smp.return
}

// -----

// A partition prepares what it needs from the variables, also where another one
// prepares a part of that.
// CHECK: smp.stage @prepare_1() -> tensor<4xf32> attributes {partition = 1 : i64
// CHECK-NOT: smp.prepared
// CHECK: %[[E:.*]] = smp.exp
// CHECK: %[[N:.*]] = smp.neg %[[E]]
// CHECK: smp.return %[[N]]
// CHECK: smp.stage @prepare_0()
// CHECK-LABEL: smp.entry @part
// CHECK: smp.prepared @prepare_0[0]
// CHECK: smp.prepared @prepare_1[0]
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>
smp.entry @part(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, solver>}
  %e = smp.exp %w {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  %s = smp.add %x, %e {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  %n = smp.neg %e {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  %y = smp.mul %s, %n {smp.placement = #smp.placement<1, solver>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}

// -----

// A view that is used on another partition is made there, of what is prepared
// there.
// CHECK: smp.stage @prepare_1() -> tensor<f32> attributes {partition = 1 : i64
// CHECK: smp.stage @prepare_0() -> tensor<f32> attributes {partition = 0 : i64
// CHECK-LABEL: smp.entry @view
// CHECK-DAG: %[[P0:.*]] = smp.prepared @prepare_0[0]
// CHECK-DAG: %[[P1:.*]] = smp.prepared @prepare_1[0]
// CHECK: %[[B0:.*]] = smp.broadcast %[[P0]] {{.*}}placement<0, solver>
// CHECK: %[[S:.*]] = smp.add %{{.*}}, %[[B0]]
// CHECK: %[[B1:.*]] = smp.broadcast %[[P1]] {{.*}}placement<1, propagated>
// CHECK: smp.mul %[[S]], %[[B1]]
smp.variable @w parameter : tensor<f32> = #smp.splat<1.0>
smp.entry @view(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<f32> {smp.placement = #smp.placement<0, solver>}
  %e = smp.exp %w {smp.placement = #smp.placement<0, solver>} : tensor<f32>
  %b = smp.broadcast %e {dimensions = array<i64>, smp.placement = #smp.placement<0, solver>} : tensor<f32> to tensor<4xf32>
  %s = smp.add %x, %b {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  %y = smp.mul %s, %b {smp.placement = #smp.placement<1, solver>} : tensor<4xf32>
  smp.return %y : tensor<4xf32>
}
