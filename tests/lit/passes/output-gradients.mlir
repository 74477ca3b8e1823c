// The gradients of named values have names of their own, which follow them
// through passes; ops have none by that.
// RUN: smp-opt %s --smp-differentiate --smp-canonicalize --smp-cse --verify-names --smp-insert-taps | FileCheck %s
// RUN: smp-opt %s --smp-differentiate -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s --check-prefix=LOC

smp.variable @w parameter : tensor<4x8xf32> = #smp.splat<0.5>

// LOC: %[[E:.*]] = smp.exp {{.*}} loc("s")
// LOC: smp.mul %{{.*}}, %[[E]] {{.*}} loc(callsite("output_gradient/turned" at "s"))
smp.entry @train(%x: tensor<4x8xf32> {smp.name = "x"})
    -> (tensor<f32> {smp.name = "loss"}) attributes {smp.loss = "loss", mode = #smp.mode<train>} {
  %w = smp.read @w : tensor<4x8xf32> loc("w")
  %h = smp.mul %x, %w : tensor<4x8xf32> loc("h")
  %t = smp.reshape %h : tensor<4x8xf32> to tensor<32xf32> loc("turned")
  %s = smp.exp %t : tensor<32xf32> loc("s")
  %n = smp.neg %x : tensor<4x8xf32> loc("of no parameter")
  %m = smp.reduce sum %n {dimensions = array<i64: 0, 1>} : (tensor<4x8xf32>) -> tensor<f32>
  %r = smp.reduce sum %s {dimensions = array<i64: 0>} : (tensor<32xf32>) -> tensor<f32> loc("sum")
  %loss = smp.add %r, %m : tensor<f32> loc("loss")
  smp.return %loss : tensor<f32>
}

// That of `turned` is 1 times `s`, which is left of it; that of `s`, a constant,
// is not shown, nor is anything beside the way to a parameter.
// CHECK-LABEL: smp.entry @train(
// CHECK-NOT: smp.tap
// CHECK-LABEL: smp.entry @train.statistics(
// CHECK: %[[S:.*]] = smp.exp
// CHECK: %[[H:.*]] = smp.reshape %[[S]]
// CHECK-NOT: output_gradient
// CHECK: smp.tap statistics output_gradient "output_gradient/turned", %[[S]] :
// CHECK-NOT: output_gradient
// CHECK: smp.tap statistics output_gradient "output_gradient/h", %[[H]] :
// CHECK-NOT: output_gradient
// CHECK: smp.return
