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
