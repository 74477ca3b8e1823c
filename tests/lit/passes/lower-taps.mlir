// What is watched becomes a result with a first dimension for the microbatches;
// statistics are ops that only watch.
// RUN: smp-opt %s --smp-lower-taps --split-input-file | FileCheck %s

// CHECK-LABEL: smp.entry @whole(
// CHECK-SAME: tensor<1x4xf32> {smp.batch_axis = 0 : i64, smp.join = #smp.join<concat>, smp.name = "value/h", smp.tap = #smp.tap<whole>, smp.tap_role = #smp.tap_role<value>, smp.tap_type = tensor<4xf32>}
smp.entry @whole(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  // CHECK: %[[H:.*]] = smp.exp
  // CHECK-NEXT: %[[SHOWN:.*]] = smp.reshape %[[H]] {smp.placement = #smp.placement<0, propagated>, smp.watches} : tensor<4xf32> to tensor<1x4xf32>
  %h = smp.exp %x {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  %y = smp.exp %h {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  smp.tap whole value "h", %h : tensor<4xf32>
  // CHECK: smp.return %{{.*}}, %[[SHOWN]]
  smp.return %y : tensor<4xf32>
}

// -----

// Statistics are those of the value as it lies: transposes are looked through.
// What an update gives is there once per step.
module attributes {smp.partitions = 2 : i64, smp.targets = [#smp.target<"cpu", whole = ["statistics"]>]} {
smp.variable @v parameter : tensor<64x8x1024xf32> = #smp.splat<0.0>
// CHECK-LABEL: smp.entry @statistics(
// CHECK-SAME: tensor<1x64x10xf64> {smp.join = #smp.join<each>, smp.name = "statistics/t"
smp.entry @statistics() attributes {smp.microbatches = 2 : i64} {
  // CHECK: %[[V:.*]] = smp.read @v
  %v = smp.read @v : tensor<64x8x1024xf32> {smp.placement = #smp.placement<1, solver>, smp.unit = #smp.unit<update>}
  // CHECK-NEXT: smp.statistics %[[V]] {smp.placement = #smp.placement<1, propagated>, smp.unit = #smp.unit<update>, smp.watches} : (tensor<64x8x1024xf32>) -> tensor<64x10xf64>
  // CHECK: smp.transpose
  %t = smp.transpose %v {permutation = array<i64: 2, 1, 0>, smp.placement = #smp.placement<1, solver>, smp.unit = #smp.unit<update>} : (tensor<64x8x1024xf32>) -> tensor<1024x8x64xf32>
  smp.tap statistics value "t", %t : tensor<1024x8x64xf32>
  smp.return
}
}

// -----

// Of a value with several names statistics are taken once.
module attributes {smp.targets = [#smp.target<"cpu", whole = ["statistics"]>]} {
// CHECK-LABEL: smp.entry @names(
// CHECK-SAME: smp.name = "statistics/x"
// CHECK-SAME: smp.name = "statistics/t"
smp.entry @names(%x: tensor<2x4xf32> {smp.name = "x"}) {
  // CHECK: %[[RECORD:.*]] = smp.statistics %arg0
  // CHECK-NEXT: %[[SHOWN:.*]] = smp.reshape %[[RECORD]]
  // CHECK-NOT: smp.statistics
  // CHECK: smp.return %[[SHOWN]], %[[SHOWN]]
  %t = smp.transpose %x {permutation = array<i64: 1, 0>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  smp.tap statistics input "x", %x : tensor<2x4xf32>
  smp.tap statistics value "t", %t : tensor<4x2xf32>
  smp.return
}
}

// -----

// A target that keeps no composite gets primitives.
module attributes {smp.targets = [#smp.target<"cuda">]} {
// CHECK-LABEL: smp.entry @primitives(
smp.entry @primitives(%x: tensor<9000xi32> {smp.name = "x"}) {
  // CHECK: smp.convert %{{.*}} {smp.watches} : tensor<9000xi32> to tensor<9000xf64>
  // CHECK: smp.slice
  // CHECK: smp.reduce min %{{.*}} {dimensions = array<i64: 1>, smp.watches} : (tensor<1x8192xf64>) -> tensor<1xf64>
  // CHECK: smp.reduce min %{{.*}} : (tensor<1x808xf64>) -> tensor<1xf64>
  // CHECK: smp.concat %{{.*}}, %{{.*}} {axis = 0 : i64, smp.watches} : (tensor<1x10xf64>, tensor<1x10xf64>) -> tensor<2x10xf64>
  smp.tap statistics input "x", %x : tensor<9000xi32>
  smp.return
}
}

// -----

// Short integers need no f64.
module attributes {smp.targets = [#smp.target<"cpu", whole = ["statistics"]>]} {
// CHECK-LABEL: smp.entry @integers(
smp.entry @integers(%x: tensor<4xi1> {smp.name = "x"}, %y: tensor<4xi32> {smp.name = "y"}) {
  // CHECK-DAG: smp.convert %arg0 {smp.watches} : tensor<4xi1> to tensor<4xf32>
  // CHECK-DAG: smp.convert %arg1 {smp.watches} : tensor<4xi32> to tensor<4xf64>
  smp.tap statistics input "x", %x : tensor<4xi1>
  smp.tap statistics input "y", %y : tensor<4xi32>
  smp.return
}
}

// -----

// Of nothing there are no statistics.
// CHECK-LABEL: smp.entry @empty(
// CHECK-NOT: statistics
// CHECK: smp.return
smp.entry @empty(%x: tensor<0x4xf32> {smp.name = "x"}) {
  smp.tap statistics input "x", %x : tensor<0x4xf32>
  smp.return
}
