// Simplification keeps the names of values and the pins of ops.
// RUN: smp-opt %s --smp-canonicalize --verify-names -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

// CHECK: module attributes {smp.partitions = 2 : i64, smp.removed_names = ["c", "first", "one", "unused"]}
module attributes {smp.partitions = 2 : i64} {
// CHECK-LABEL: smp.entry @identities
// CHECK-SAME: loc(fused["x", "same"])
smp.entry @identities(%x: tensor<4xf32> {smp.name = "x"} loc("x"))
    -> (tensor<4xf32> {smp.name = "y"}, tensor<4xf32> {smp.name = "z"}) {
  %one = smp.constant dense<1.0> : tensor<4xf32> loc("one")
  // A name that goes to an argument.
  %same = smp.mul %x, %one : tensor<4xf32> loc("same")
  // CHECK: smp.neg %{{.*}} {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc(fused["y", "twice"])
  %y = smp.neg %same : tensor<4xf32> loc("y")
  // A pin that goes to an op without one, with the name.
  %twice = smp.mul %y, %one {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("twice")
  // CHECK: smp.abs %{{.*}} {smp.placement = #smp.placement<0, user>} : tensor<4xf32> loc(fused["z", "again"])
  %z = smp.abs %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32> loc("z")
  // A pin that another user placement outlives.
  %again = smp.abs %z {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("again")
  %unused = smp.exp %again : tensor<4xf32> loc("unused")
  smp.return %twice, %again : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: smp.entry @fold
smp.entry @fold() -> (tensor<2x2xf32> {smp.name = "c"}) {
  %c = smp.constant dense<3.0> : tensor<4xf32> {smp.placement = #smp.placement<0, user>} loc("c")
  // CHECK: smp.constant dense<3.0{{.*}}> : tensor<2x2xf32> {smp.placement = #smp.placement<1, user>} loc("reshaped")
  %r = smp.reshape %c {smp.placement = #smp.placement<1, user>} : tensor<4xf32> to tensor<2x2xf32> loc("reshaped")
  smp.return %r : tensor<2x2xf32>
}

// CHECK-LABEL: smp.entry @merge
smp.entry @merge(%x: tensor<4x2xf32> {smp.name = "x"}) -> (tensor<2x4xf32> {smp.name = "y"}) {
  %first = smp.reshape %x : tensor<4x2xf32> to tensor<8xf32> loc("first")
  // CHECK: %[[Y:.*]] = smp.reshape %{{.*}} : tensor<4x2xf32> to tensor<2x4xf32> loc("second")
  %second = smp.reshape %first : tensor<8xf32> to tensor<2x4xf32> loc("second")
  // CHECK-NEXT: smp.return %[[Y]]
  smp.return %second : tensor<2x4xf32>
}

// What is made anew derives from what the replaced op did; what was there before
// does not.
// CHECK-LABEL: smp.entry @derived
smp.entry @derived(%x: tensor<4xf32> {smp.name = "x"})
    -> (tensor<4xf32> {smp.name = "y"}, tensor<4xf32> {smp.name = "dy"}, tensor<4xf32> {smp.name = "square"}) {
  %one = smp.constant dense<1.0> : tensor<4xf32>
  %two = smp.constant dense<2.0> : tensor<4xf32>
  // CHECK-NEXT: smp.neg %{{.*}} : tensor<4xf32>
  // CHECK-NEXT: smp.mul %{{.*}} {smp.origin = 7 : i64, smp.unit = #smp.unit<backward_weight>} : tensor<4xf32>
  // CHECK-NEXT: smp.return
  %y = smp.neg %x : tensor<4xf32>
  %dy = smp.mul %y, %one {smp.origin = 3 : i64, smp.unit = #smp.unit<backward_input>} : tensor<4xf32>
  %square = smp.pow %y, %two {smp.origin = 7 : i64, smp.unit = #smp.unit<backward_weight>} : tensor<4xf32>
  smp.return %y, %dy, %square : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
}
