// Features go last for convolutions and windows; the transposes around them
// meet and vanish.
// RUN: smp-opt %s --smp-choose-layout --smp-canonicalize --verify-names | FileCheck %s

// One transpose of the input and one of the result for both convolutions and
// what stands between them.
// CHECK-LABEL: smp.entry @chain
// CHECK: smp.transpose %{{.*}} {permutation = array<i64: 0, 2, 3, 1>
// CHECK-NOT: smp.transpose
// CHECK: smp.conv {{.*}}layout = #smp.layout<channels_last>{{.*}}smp.placement = #smp.placement<1, user>
// CHECK-NOT: smp.transpose
// CHECK: smp.window_reduce {{.*}}layout = #smp.layout<channels_last>
// CHECK-NOT: smp.transpose
// CHECK: smp.exp {{.*}}tensor<1x4x4x8xf32>
// CHECK: smp.transpose %{{.*}} {permutation = array<i64: 0, 3, 1, 2>
// CHECK-NOT: smp.transpose
// CHECK: smp.return
smp.variable @w parameter : tensor<8x3x3x3xf32> = #smp.splat<1.0>
smp.entry @chain(%x: tensor<1x3x8x8xf32> {smp.name = "x"}) -> (tensor<1x8x4x4xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<8x3x3x3xf32> {smp.placement = #smp.placement<1, user>}
  %c = smp.conv %x, %w {smp.placement = #smp.placement<1, user>, strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x8x8xf32> loc("c")
  %p = smp.window_reduce %c {kind = #smp.reduce<max>, window = array<i64: 2, 2>, strides = array<i64: 2, 2>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x8xf32>) -> tensor<1x8x4x4xf32> loc("p")
  %y = smp.exp %p : tensor<1x8x4x4xf32> loc("y")
  smp.return %y : tensor<1x8x4x4xf32>
}

// Nothing to choose: no transpose is added.
// CHECK-LABEL: smp.entry @none
// CHECK-NOT: smp.transpose
// CHECK: smp.transpose %{{.*}} {permutation = array<i64: 1, 0>
// CHECK-NOT: smp.transpose
// CHECK: smp.return
smp.entry @none(%x: tensor<2x3xf32> {smp.name = "x"}) -> (tensor<3x2xf32> {smp.name = "y"}) {
  %t = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %y = smp.exp %t : tensor<3x2xf32>
  smp.return %y : tensor<3x2xf32>
}
