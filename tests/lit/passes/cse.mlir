// Equal ops become one with all names; ops of different placements do not.
// RUN: smp-opt %s --smp-cse --verify-names -mlir-print-debuginfo -mlir-print-local-scope | FileCheck %s

module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>

// CHECK-LABEL: smp.entry @predict
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  // CHECK: %[[W:.*]] = smp.read @w : tensor<4xf32> loc(fused["w0", "w1"])
  %w0 = smp.read @w : tensor<4xf32> loc("w0")
  %w1 = smp.read @w : tensor<4xf32> loc("w1")
  // CHECK-NEXT: %[[A:.*]] = smp.add %{{.*}}, %[[W]] : tensor<4xf32> loc(fused["a", "b"])
  %a = smp.add %x, %w0 : tensor<4xf32> loc("a")
  %b = smp.add %x, %w1 : tensor<4xf32> loc("b")
  // CHECK-NEXT: smp.exp %[[A]] {smp.placement = #smp.placement<0, user>} : tensor<4xf32> loc("c")
  // CHECK-NEXT: smp.exp %[[A]] {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("d")
  %c = smp.exp %a {smp.placement = #smp.placement<0, user>} : tensor<4xf32> loc("c")
  %d = smp.exp %b {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("d")
  %y = smp.mul %c, %d : tensor<4xf32> loc("y")
  smp.return %y : tensor<4xf32>
}
// Who placed them makes no difference: what is left is the user's.
// CHECK-LABEL: smp.entry @placed
smp.entry @placed(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  // CHECK: smp.exp %{{.*}} {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc(fused["first", "pinned", "last"])
  %first = smp.exp %x {smp.placement = #smp.placement<1, solver>} : tensor<4xf32> loc("first")
  %pinned = smp.exp %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("pinned")
  %last = smp.exp %x {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32> loc("last")
  // CHECK-NEXT: smp.exp %{{.*}} {smp.placement = #smp.placement<0, propagated>} : tensor<4xf32> loc("elsewhere")
  %elsewhere = smp.exp %x {smp.placement = #smp.placement<0, propagated>} : tensor<4xf32> loc("elsewhere")
  // CHECK-NEXT: smp.abs %{{.*}} {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32> loc(fused["n", "m"])
  %n = smp.abs %first {smp.placement = #smp.placement<1, propagated>} : tensor<4xf32> loc("n")
  %m = smp.abs %last {smp.placement = #smp.placement<1, solver>} : tensor<4xf32> loc("m")
  %a = smp.add %n, %m : tensor<4xf32> loc("a")
  %b = smp.add %a, %pinned : tensor<4xf32> loc("b")
  %y = smp.add %b, %elsewhere : tensor<4xf32> loc("y")
  smp.return %y : tensor<4xf32>
}
}
