// RUN: smp-opt %s --smp-join-statistics --split-input-file | FileCheck %s

module attributes {smp.targets = [#smp.target<"cpu", whole = ["statistics"]>]} {
smp.variable @w parameter : tensor<2x8192xf32> = #smp.splat<1.0>

// A loop takes statistics of what it reads, first of all, and of what it makes.
// Those of a smaller value, and of what no loop goes through, stay.
// CHECK-LABEL: smp.stage @update
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<16384xf32>, %[[B:[a-z0-9]+]]: tensor<8192xf32>
// CHECK: %[[W:.*]] = smp.read @w
// CHECK: %[[FLAT:.*]] = smp.reshape %[[G]]
// CHECK: %[[NEW:.*]]:4 = smp.group loop(%[[W]], %[[FLAT]]) {smp.unit = #smp.unit<update>} : (tensor<2x8192xf32>, tensor<2x8192xf32>) -> (tensor<2x8192xf32>, tensor<2x10xf64>, tensor<2x10xf64>, tensor<2x10xf64>)
// CHECK-NEXT: ^bb0(%[[A0:.*]]: tensor<2x8192xf32>, %[[A1:.*]]: tensor<2x8192xf32>)
// CHECK-NEXT: %[[SUM:.*]] = smp.add %[[A0]], %[[A1]]
// CHECK-NEXT: %[[S0:.*]] = smp.statistics %[[A0]]
// CHECK-NEXT: %[[S1:.*]] = smp.statistics %[[A1]]
// CHECK-NEXT: %[[S2:.*]] = smp.statistics %[[SUM]]
// CHECK-NEXT: smp.return %[[SUM]], %[[S0]], %[[S1]], %[[S2]]
// CHECK: %[[OLD:.*]] = smp.reshape %[[NEW]]#1
// CHECK: smp.assign @w, %[[NEW]]#0
// CHECK: %[[SMALL:.*]] = smp.group loop(%[[B]])
// CHECK: %[[ALONE:.*]] = smp.group whole(%[[SMALL]])
// CHECK: smp.return %[[OLD]], %[[NEW]]#2, %[[NEW]]#3, %[[ALONE]]
smp.stage @update(%g: tensor<16384xf32>, %b: tensor<8192xf32>) -> (tensor<1x2x10xf64>, tensor<2x10xf64>, tensor<2x10xf64>, tensor<1x10xf64>)
    attributes {partition = 0 : i64, unit = #smp.unit<update>} {
  %w = smp.read @w : tensor<2x8192xf32>
  %0 = smp.group whole(%w) {smp.unit = #smp.unit<update>} : (tensor<2x8192xf32>) -> tensor<2x10xf64> {
  ^bb0(%a: tensor<2x8192xf32>):
    %s = smp.statistics %a : (tensor<2x8192xf32>) -> tensor<2x10xf64>
    smp.return %s : tensor<2x10xf64>
  }
  %old = smp.reshape %0 : tensor<2x10xf64> to tensor<1x2x10xf64>
  %1 = smp.group whole(%g) {smp.unit = #smp.unit<update>} : (tensor<16384xf32>) -> tensor<2x10xf64> {
  ^bb0(%a: tensor<16384xf32>):
    %s = smp.statistics %a : (tensor<16384xf32>) -> tensor<2x10xf64>
    smp.return %s : tensor<2x10xf64>
  }
  %flat = smp.reshape %g : tensor<16384xf32> to tensor<2x8192xf32>
  %new = smp.group loop(%w, %flat) {smp.unit = #smp.unit<update>} : (tensor<2x8192xf32>, tensor<2x8192xf32>) -> tensor<2x8192xf32> {
  ^bb0(%a0: tensor<2x8192xf32>, %a1: tensor<2x8192xf32>):
    %r = smp.add %a0, %a1 : tensor<2x8192xf32>
    smp.return %r : tensor<2x8192xf32>
  }
  smp.assign @w, %new : tensor<2x8192xf32>
  %2 = smp.group whole(%new) {smp.unit = #smp.unit<update>} : (tensor<2x8192xf32>) -> tensor<2x10xf64> {
  ^bb0(%a: tensor<2x8192xf32>):
    %s = smp.statistics %a : (tensor<2x8192xf32>) -> tensor<2x10xf64>
    smp.return %s : tensor<2x10xf64>
  }
  %small = smp.group loop(%b) {smp.unit = #smp.unit<update>} : (tensor<8192xf32>) -> tensor<8192xf32> {
  ^bb0(%a0: tensor<8192xf32>):
    %r = smp.neg %a0 : tensor<8192xf32>
    smp.return %r : tensor<8192xf32>
  }
  %3 = smp.group whole(%small) {smp.unit = #smp.unit<update>} : (tensor<8192xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<8192xf32>):
    %s = smp.statistics %a : (tensor<8192xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  smp.return %old, %1, %2, %3 : tensor<1x2x10xf64>, tensor<2x10xf64>, tensor<2x10xf64>, tensor<1x10xf64>
}

// A loop that reads across its value, stretches it or sums it does not have its
// blocks at hand.
// CHECK-LABEL: smp.stage @apart
// CHECK-COUNT-3: smp.group whole
smp.stage @apart(%x: tensor<128x128xf32>, %y: tensor<16384xf32>) -> (tensor<2x10xf64>, tensor<2x10xf64>, tensor<2x10xf64>, tensor<128x128xf32>, tensor<16384xf32>, tensor<16384x2xf32>)
    attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %0 = smp.group whole(%x) : (tensor<128x128xf32>) -> tensor<2x10xf64> {
  ^bb0(%a: tensor<128x128xf32>):
    %s = smp.statistics %a : (tensor<128x128xf32>) -> tensor<2x10xf64>
    smp.return %s : tensor<2x10xf64>
  }
  %1 = smp.group whole(%y) : (tensor<16384xf32>) -> tensor<2x10xf64> {
  ^bb0(%a: tensor<16384xf32>):
    %s = smp.statistics %a : (tensor<16384xf32>) -> tensor<2x10xf64>
    smp.return %s : tensor<2x10xf64>
  }
  %t = smp.group loop(%x) : (tensor<128x128xf32>) -> tensor<128x128xf32> {
  ^bb0(%a: tensor<128x128xf32>):
    %r = smp.transpose %a {permutation = array<i64: 1, 0>} : (tensor<128x128xf32>) -> tensor<128x128xf32>
    smp.return %r : tensor<128x128xf32>
  }
  %r = smp.group loop(%y) : (tensor<16384xf32>) -> tensor<16384xf32> {
  ^bb0(%a: tensor<16384xf32>):
    %r = smp.reverse %a {dimensions = array<i64: 0>} : tensor<16384xf32>
    smp.return %r : tensor<16384xf32>
  }
  %2 = smp.group whole(%r) : (tensor<16384xf32>) -> tensor<2x10xf64> {
  ^bb0(%a: tensor<16384xf32>):
    %s = smp.statistics %a : (tensor<16384xf32>) -> tensor<2x10xf64>
    smp.return %s : tensor<2x10xf64>
  }
  %w = smp.group loop(%y) : (tensor<16384xf32>) -> tensor<16384x2xf32> {
  ^bb0(%a: tensor<16384xf32>):
    %b = smp.broadcast %a {dimensions = array<i64: 0>} : tensor<16384xf32> to tensor<16384x2xf32>
    %n = smp.neg %b : tensor<16384x2xf32>
    smp.return %n : tensor<16384x2xf32>
  }
  smp.return %0, %1, %2, %t, %r, %w : tensor<2x10xf64>, tensor<2x10xf64>, tensor<2x10xf64>, tensor<128x128xf32>, tensor<16384xf32>, tensor<16384x2xf32>
}

// Where what is stretched is so along rows that are whole vectors, the loop
// goes through all in order; not where a vector has parts of two rows.
// CHECK-LABEL: smp.stage @rows
// CHECK: smp.group loop(%{{.*}}, %{{.*}}) : (tensor<4x8x56x56xf32>, tensor<8xf32>) -> (tensor<4x8x56x56xf32>, tensor<13x10xf64>, tensor<13x10xf64>)
// CHECK: smp.group loop(%{{.*}}, %{{.*}}) : (tensor<64x8x7x7xf32>, tensor<8xf32>) -> tensor<64x8x7x7xf32>
// CHECK: smp.group whole
smp.stage @rows(%x: tensor<4x8x56x56xf32>, %y: tensor<64x8x7x7xf32>, %c: tensor<8xf32>) -> (tensor<13x10xf64>, tensor<13x10xf64>, tensor<4x10xf64>, tensor<4x8x56x56xf32>, tensor<64x8x7x7xf32>)
    attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %0 = smp.group whole(%x) : (tensor<4x8x56x56xf32>) -> tensor<13x10xf64> {
  ^bb0(%a: tensor<4x8x56x56xf32>):
    %s = smp.statistics %a : (tensor<4x8x56x56xf32>) -> tensor<13x10xf64>
    smp.return %s : tensor<13x10xf64>
  }
  %sum = smp.group loop(%x, %c) : (tensor<4x8x56x56xf32>, tensor<8xf32>) -> tensor<4x8x56x56xf32> {
  ^bb0(%a: tensor<4x8x56x56xf32>, %b: tensor<8xf32>):
    %wide = smp.broadcast %b {dimensions = array<i64: 1>} : tensor<8xf32> to tensor<4x8x56x56xf32>
    %r = smp.add %a, %wide : tensor<4x8x56x56xf32>
    smp.return %r : tensor<4x8x56x56xf32>
  }
  %1 = smp.group whole(%sum) : (tensor<4x8x56x56xf32>) -> tensor<13x10xf64> {
  ^bb0(%a: tensor<4x8x56x56xf32>):
    %s = smp.statistics %a : (tensor<4x8x56x56xf32>) -> tensor<13x10xf64>
    smp.return %s : tensor<13x10xf64>
  }
  %odd = smp.group loop(%y, %c) : (tensor<64x8x7x7xf32>, tensor<8xf32>) -> tensor<64x8x7x7xf32> {
  ^bb0(%a: tensor<64x8x7x7xf32>, %b: tensor<8xf32>):
    %wide = smp.broadcast %b {dimensions = array<i64: 1>} : tensor<8xf32> to tensor<64x8x7x7xf32>
    %r = smp.add %a, %wide : tensor<64x8x7x7xf32>
    smp.return %r : tensor<64x8x7x7xf32>
  }
  %2 = smp.group whole(%odd) : (tensor<64x8x7x7xf32>) -> tensor<4x10xf64> {
  ^bb0(%a: tensor<64x8x7x7xf32>):
    %s = smp.statistics %a : (tensor<64x8x7x7xf32>) -> tensor<4x10xf64>
    smp.return %s : tensor<4x10xf64>
  }
  smp.return %0, %1, %2, %sum, %odd : tensor<13x10xf64>, tensor<13x10xf64>, tensor<4x10xf64>, tensor<4x8x56x56xf32>, tensor<64x8x7x7xf32>
}

// Of loops that read a value the first takes them, wherever statistics were.
// CHECK-LABEL: smp.stage @first
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<16384xf32>
// CHECK: %[[A:.*]]:2 = smp.group loop(%[[X]])
// CHECK: smp.exp
// CHECK: smp.group loop(%[[X]]) : (tensor<16384xf32>) -> tensor<16384xf32>
// CHECK: smp.return %[[A]]#1, %[[A]]#0
smp.stage @first(%x: tensor<16384xf32>) -> (tensor<2x10xf64>, tensor<16384xf32>, tensor<16384xf32>)
    attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %a = smp.group loop(%x) : (tensor<16384xf32>) -> tensor<16384xf32> {
  ^bb0(%a0: tensor<16384xf32>):
    %r = smp.exp %a0 : tensor<16384xf32>
    smp.return %r : tensor<16384xf32>
  }
  %b = smp.group loop(%x) : (tensor<16384xf32>) -> tensor<16384xf32> {
  ^bb0(%a0: tensor<16384xf32>):
    %r = smp.neg %a0 : tensor<16384xf32>
    smp.return %r : tensor<16384xf32>
  }
  %0 = smp.group whole(%x) : (tensor<16384xf32>) -> tensor<2x10xf64> {
  ^bb0(%a0: tensor<16384xf32>):
    %s = smp.statistics %a0 : (tensor<16384xf32>) -> tensor<2x10xf64>
    smp.return %s : tensor<2x10xf64>
  }
  smp.return %0, %a, %b : tensor<2x10xf64>, tensor<16384xf32>, tensor<16384xf32>
}
}

// -----

// Nor does one that has as many ops as its target allows.
module attributes {smp.targets = [#smp.target<"cpu", whole = ["statistics"], group_ops = 1>]} {
// CHECK-LABEL: smp.stage @full
// CHECK: smp.group whole
smp.stage @full(%x: tensor<16384xf32>) -> (tensor<2x10xf64>, tensor<16384xf32>)
    attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %a = smp.group loop(%x) : (tensor<16384xf32>) -> tensor<16384xf32> {
  ^bb0(%a0: tensor<16384xf32>):
    %r = smp.exp %a0 : tensor<16384xf32>
    smp.return %r : tensor<16384xf32>
  }
  %0 = smp.group whole(%a) : (tensor<16384xf32>) -> tensor<2x10xf64> {
  ^bb0(%a0: tensor<16384xf32>):
    %s = smp.statistics %a0 : (tensor<16384xf32>) -> tensor<2x10xf64>
    smp.return %s : tensor<2x10xf64>
  }
  smp.return %0, %a : tensor<2x10xf64>, tensor<16384xf32>
}
}
