// Composites become primitives of their placement; the last one has the name.
// RUN: smp-opt %s --smp-decompose --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: smp-opt %s --smp-decompose --verify-names | FileCheck %s --check-prefix=DONE

// DONE-NOT: {{smp\.(relu|softmax|layer_norm|avg_pool)}}

// CHECK-LABEL: smp.entry @pinned
// CHECK: smp.constant {{.*}}smp.placement = #smp.placement<1, user>
// CHECK-NEXT: smp.max {{.*}}smp.placement = #smp.placement<1, user>{{.*}} loc("r")
smp.entry @pinned(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %r = smp.relu %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("r")
  smp.return %r : tensor<4xf32>
}

// The greatest is taken off before exp, so that nothing overflows.
// CHECK-LABEL: smp.entry @softmax
// CHECK: %[[MAX:.*]] = smp.reduce max
// CHECK: %[[WIDE:.*]] = smp.broadcast %[[MAX]]
// CHECK: smp.sub %{{.*}}, %[[WIDE]]
// CHECK: smp.exp
// CHECK: smp.reduce sum
// CHECK: smp.return
smp.entry @softmax(%x: tensor<4x8xf32> {smp.name = "x"}) -> (tensor<4x8xf32> {smp.name = "y"}) {
  %y = smp.softmax %x {axis = 1 : i64} : tensor<4x8xf32> loc("y")
  smp.return %y : tensor<4x8xf32>
}

// Primitives stay.
// CHECK-LABEL: smp.entry @primitives
// CHECK-NEXT: smp.exp
// CHECK-NEXT: smp.return
smp.entry @primitives(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %y = smp.exp %x : tensor<4xf32> loc("y")
  smp.return %y : tensor<4xf32>
}
