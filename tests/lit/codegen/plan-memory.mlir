// RUN: smp-opt %s --smp-plan-memory | FileCheck %s

// %a is dead when %c is made, so that they share a place; %b is alive beside
// both; what leaves the stage has no place.
// CHECK-LABEL: smp.stage @chain
// CHECK-SAME: smp.arena_bytes = 128 : i64
// CHECK: smp.offsets = array<i64: 0>
// CHECK: smp.offsets = array<i64: 64>
// CHECK: smp.offsets = array<i64: 0>
// CHECK: smp.offsets = array<i64: -1>
smp.stage @chain(%x: tensor<16xf32>) -> tensor<16xf32> attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %a = smp.group loop(%x) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%0: tensor<16xf32>):
    %1 = smp.exp %0 : tensor<16xf32>
    smp.return %1 : tensor<16xf32>
  }
  %b = smp.group loop(%a) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%0: tensor<16xf32>):
    %1 = smp.exp %0 : tensor<16xf32>
    smp.return %1 : tensor<16xf32>
  }
  %c = smp.group loop(%b) : (tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%0: tensor<16xf32>):
    %1 = smp.exp %0 : tensor<16xf32>
    smp.return %1 : tensor<16xf32>
  }
  %d = smp.group loop(%b, %c) : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%0: tensor<16xf32>, %1: tensor<16xf32>):
    %2 = smp.add %0, %1 : tensor<16xf32>
    smp.return %2 : tensor<16xf32>
  }
  smp.return %d : tensor<16xf32>
}
