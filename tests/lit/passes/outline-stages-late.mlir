// What depends on variables alone is computed by the stage that needs it, and
// does not wait between stages for every microbatch.
// RUN: smp-opt %s --smp-insert-transfers --smp-outline-stages | FileCheck %s

module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.stage @predict_0
// CHECK-NOT: smp.exp
// CHECK-LABEL: smp.stage @predict_1
// CHECK-LABEL: smp.stage @predict_2
// CHECK: smp.read @w
// CHECK-NEXT: smp.exp
// CHECK-NEXT: smp.mul
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<1, solver>}
  %0 = smp.exp %w {smp.placement = #smp.placement<1, solver>} : tensor<4xf32>
  %1 = smp.sin %x {smp.placement = #smp.placement<1, solver>} : tensor<4xf32>
  %2 = smp.neg %1 {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  %3 = smp.mul %2, %0 {smp.placement = #smp.placement<1, solver>} : tensor<4xf32>
  smp.return %3 : tensor<4xf32>
}
}
