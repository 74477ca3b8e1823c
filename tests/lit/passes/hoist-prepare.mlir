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
