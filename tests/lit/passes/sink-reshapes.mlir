// RUN: smp-opt %s --smp-sink-reshapes | FileCheck %s

// A reshape of a constant is a constant, where the reshape was.
// CHECK-LABEL: smp.entry @folded
// CHECK: smp.constant dense<{{.*}}> : tensor<1x2xf32> {smp.placement = #smp.placement<1, propagated>}
// CHECK-NOT: smp.reshape
smp.entry @folded(%x: tensor<1x2xf32> {smp.name = "x"}) -> (tensor<1x2xf32> {smp.name = "y"}) {
  %c = smp.constant dense<[1.0, 2.0]> : tensor<2xf32> {smp.placement = #smp.placement<1, propagated>}
  %r = smp.reshape %c {smp.placement = #smp.placement<1, propagated>} : tensor<2xf32> to tensor<1x2xf32>
  %y = smp.add %x, %r {smp.placement = #smp.placement<1, propagated>} : tensor<1x2xf32>
  smp.return %y : tensor<1x2xf32>
}

// Two that are computed in different shapes meet in one: each could follow the
// other for ever.
// CHECK-LABEL: smp.entry @between
// CHECK-COUNT-2: smp.reduce
// CHECK-DAG: smp.reshape {{.*}} : tensor<3x2xf32> to tensor<2x3xf32>
// CHECK-DAG: smp.add {{.*}} : tensor<2x3xf32>
smp.entry @between(%x: tensor<2x3x4xf32> {smp.name = "x"}, %y: tensor<3x2x4xf32> {smp.name = "y"}) -> (tensor<6xf32> {smp.name = "z"}) {
  %a = smp.reduce sum %x {dimensions = array<i64: 2>} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  %b = smp.reduce sum %y {dimensions = array<i64: 2>} : (tensor<3x2x4xf32>) -> tensor<3x2xf32>
  %p = smp.reshape %a : tensor<2x3xf32> to tensor<6xf32>
  %q = smp.reshape %b : tensor<3x2xf32> to tensor<6xf32>
  %z = smp.add %p, %q : tensor<6xf32>
  smp.return %z : tensor<6xf32>
}
