// A sound placement passes: ops of a variable together, sources beside their
// users, ops on all partitions where they only read.
// RUN: smp-opt %s --smp-verify-placement | FileCheck %s

module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>

// CHECK: smp.entry @predict
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %c = smp.constant dense<1.0> : tensor<4xf32> {smp.placement = #smp.placement<0, user>}
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<1, propagated>}
  %0 = smp.add %x, %c {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %1 = smp.mul %0, %w {smp.placement = #smp.placement<1, solver>} : tensor<4xf32>
  %2 = smp.sub %1, %w {smp.placement = #smp.placement<all, user>} : tensor<4xf32>
  smp.return %2 : tensor<4xf32>
}
}
