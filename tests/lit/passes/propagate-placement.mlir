// A pin on one user of a variable places all its users, in every entry.
// RUN: smp-opt %s --smp-propagate-placement --mlir-print-local-scope | FileCheck %s

module attributes {smp.partitions = 4 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
smp.variable @b parameter : tensor<4xf32> = #smp.splat<0.0>
smp.variable @free parameter : tensor<4xf32> = #smp.splat<0.0>
smp.variable @count state : tensor<4xf32> = #smp.splat<0.0>

// CHECK-LABEL: smp.entry @predict
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  // CHECK-NEXT: smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<2, propagated>}
  %w = smp.read @w : tensor<4xf32>
  // CHECK-NEXT: smp.read @b : tensor<4xf32> {smp.placement = #smp.placement<2, propagated>}
  %b = smp.read @b : tensor<4xf32>
  // CHECK-NEXT: smp.read @free : tensor<4xf32>{{$}}
  %f = smp.read @free : tensor<4xf32>
  // An op that uses two variables binds them.
  // CHECK-NEXT: smp.add {{.*}} {smp.placement = #smp.placement<2, propagated>}
  %0 = smp.add %w, %b : tensor<4xf32>
  // CHECK-NEXT: smp.mul {{.*}} {smp.placement = #smp.placement<2, user>}
  %1 = smp.mul %0, %b {smp.placement = #smp.placement<2, user>} : tensor<4xf32>
  // What computes with the result is free.
  // CHECK-NEXT: smp.sub {{.*}} : tensor<4xf32>
  %2 = smp.sub %1, %f : tensor<4xf32>
  // An op on all partitions has its own copy of what never changes.
  // CHECK-NEXT: smp.max {{.*}} {smp.placement = #smp.placement<all, user>}
  %3 = smp.max %2, %w {smp.placement = #smp.placement<all, user>} : tensor<4xf32>
  smp.return %3 : tensor<4xf32>
}

// CHECK-LABEL: smp.entry @eval
smp.entry @eval(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  // CHECK-NEXT: smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<2, propagated>}
  %w = smp.read @w : tensor<4xf32>
  // CHECK-NEXT: smp.add {{.*}} {smp.placement = #smp.placement<2, propagated>}
  %0 = smp.add %x, %w : tensor<4xf32>
  // What does change is in one place: on all partitions, or on one.
  // CHECK-NEXT: smp.read @count : tensor<4xf32> {smp.placement = #smp.placement<all, user>}
  %c = smp.read @count : tensor<4xf32> {smp.placement = #smp.placement<all, user>}
  // CHECK-NEXT: smp.assign @count, {{.*}} {smp.placement = #smp.placement<all, propagated>}
  smp.assign @count, %x : tensor<4xf32>
  smp.return %0 : tensor<4xf32>
}
}
