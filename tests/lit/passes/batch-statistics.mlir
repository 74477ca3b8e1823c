// RUN: smp-opt %s --smp-batch-statistics --split-input-file | FileCheck %s

module attributes {smp.targets = [#smp.target<"cpu", whole = ["statistics"]>]} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<1.0>

// Statistics are taken together while what they are of is there: of a variable
// before it is written, of what it becomes at the end.
// CHECK-LABEL: smp.stage @update
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<4xf32>
// CHECK: %[[W:.*]] = smp.read @w
// CHECK-NEXT: %[[D:.*]] = smp.group loop(%[[G]])
// CHECK: %[[OLD:.*]]:2 = smp.group whole(%[[D]], %[[W]]) {smp.unit = #smp.unit<update>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<1x10xf64>, tensor<1x10xf64>)
// CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[FIRST:.*]] = smp.statistics %[[A]]
// CHECK-NEXT: %[[SECOND:.*]] = smp.statistics %[[B]]
// CHECK-NEXT: smp.return %[[FIRST]], %[[SECOND]]
// CHECK: %[[NEW:.*]] = smp.group loop(%[[W]], %[[D]])
// CHECK: smp.assign @w, %[[NEW]]
// CHECK: %[[Y:.*]] = smp.group loop(%[[G]])
// CHECK: %[[LAST:.*]]:2 = smp.group whole(%[[Y]], %[[NEW]])
// CHECK: smp.return %[[OLD]]#1, %[[OLD]]#0, %[[LAST]]#1, %[[LAST]]#0, %[[Y]]
smp.stage @update(%g: tensor<4xf32>) -> (tensor<1x10xf64>, tensor<1x10xf64>, tensor<1x10xf64>, tensor<1x10xf64>, tensor<4xf32>)
    attributes {partition = 0 : i64, unit = #smp.unit<update>} {
  %w = smp.read @w : tensor<4xf32>
  %0 = smp.group whole(%w) {smp.unit = #smp.unit<update>} : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %s = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  %d = smp.group loop(%g) {smp.unit = #smp.unit<update>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %r = smp.neg %a0 : tensor<4xf32>
    smp.return %r : tensor<4xf32>
  }
  %1 = smp.group whole(%d) {smp.unit = #smp.unit<update>} : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %s = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  %new = smp.group loop(%w, %d) {smp.unit = #smp.unit<update>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>, %a1: tensor<4xf32>):
    %r = smp.add %a0, %a1 : tensor<4xf32>
    smp.return %r : tensor<4xf32>
  }
  smp.assign @w, %new : tensor<4xf32>
  %2 = smp.group whole(%new) {smp.unit = #smp.unit<update>} : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %s = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  %y = smp.group loop(%g) {smp.unit = #smp.unit<update>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %r = smp.exp %a0 : tensor<4xf32>
    smp.return %r : tensor<4xf32>
  }
  %3 = smp.group whole(%y) {smp.unit = #smp.unit<update>} : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %s = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  smp.return %0, %1, %2, %3, %y : tensor<1x10xf64>, tensor<1x10xf64>, tensor<1x10xf64>, tensor<1x10xf64>, tensor<4xf32>
}

// What nothing else reads is not kept for others, and those of other elements
// are apart.
// CHECK-LABEL: smp.stage @apart
// CHECK: %[[WIDE:.*]] = smp.group whole(%{{.*}}) : (tensor<4xf64>)
// CHECK: %[[E:.*]] = smp.group loop
// CHECK: %[[ALONE:.*]] = smp.group whole(%[[E]])
// CHECK: %[[F:.*]] = smp.group loop
// CHECK: %[[SOON:.*]]:2 = smp.group whole(%[[F]], %{{.*}})
// CHECK: smp.group loop(%[[F]])
// CHECK: smp.return %[[SOON]]#1, %[[WIDE]], %[[ALONE]], %[[SOON]]#0
smp.stage @apart(%x: tensor<4xf32>, %z: tensor<4xf64>) -> (tensor<1x10xf64>, tensor<1x10xf64>, tensor<1x10xf64>, tensor<1x10xf64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>)
    attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %0 = smp.group whole(%x) : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %s = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  %1 = smp.group whole(%z) : (tensor<4xf64>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf64>):
    %s = smp.statistics %a : (tensor<4xf64>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  %e = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %r = smp.exp %a0 : tensor<4xf32>
    smp.return %r : tensor<4xf32>
  }
  %2 = smp.group whole(%e) : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %s = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  %f = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %r = smp.neg %a0 : tensor<4xf32>
    smp.return %r : tensor<4xf32>
  }
  %3 = smp.group whole(%f) : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %s = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  %y = smp.group loop(%f) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %r = smp.sqrt %a0 : tensor<4xf32>
    smp.return %r : tensor<4xf32>
  }
  smp.return %0, %1, %2, %3, %y, %x, %z : tensor<1x10xf64>, tensor<1x10xf64>, tensor<1x10xf64>, tensor<1x10xf64>, tensor<4xf32>, tensor<4xf32>, tensor<4xf64>
}
}

// -----

// Large values are taken behind what makes them, and small ones with them.
module attributes {smp.targets = [#smp.target<"cpu", whole = ["statistics"]>]} {
// CHECK-LABEL: smp.stage @large
// CHECK: %[[SMALL:.*]] = smp.group loop(%arg0)
// CHECK-NEXT: ^bb0
// CHECK: %[[FIRST:.*]] = smp.group loop(%arg1)
// CHECK-NEXT: ^bb0
// CHECK: %[[ALONE:.*]] = smp.group whole(%[[FIRST]]) : (tensor<57345xf32>)
// CHECK: %[[SECOND:.*]] = smp.group loop(%arg2)
// CHECK-NEXT: ^bb0
// CHECK: %[[BOTH:.*]]:2 = smp.group whole(%[[SECOND]], %[[SMALL]])
// CHECK: smp.group loop(%[[SMALL]])
// CHECK-NEXT: ^bb0
// CHECK: smp.return %[[ALONE]], %[[BOTH]]#0, %[[BOTH]]#1
smp.stage @large(%x: tensor<4xf32>, %y: tensor<57345xf32>, %z: tensor<65536xf32>) -> (tensor<8x10xf64>, tensor<8x10xf64>, tensor<1x10xf64>, tensor<65536xf32>, tensor<4xf32>)
    attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %s = smp.group loop(%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %r = smp.exp %a0 : tensor<4xf32>
    smp.return %r : tensor<4xf32>
  }
  %l = smp.group loop(%y) : (tensor<57345xf32>) -> tensor<57345xf32> {
  ^bb0(%a0: tensor<57345xf32>):
    %r = smp.exp %a0 : tensor<57345xf32>
    smp.return %r : tensor<57345xf32>
  }
  %m = smp.group loop(%z) : (tensor<65536xf32>) -> tensor<65536xf32> {
  ^bb0(%a0: tensor<65536xf32>):
    %r = smp.neg %a0 : tensor<65536xf32>
    smp.return %r : tensor<65536xf32>
  }
  %t = smp.group loop(%s) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a0: tensor<4xf32>):
    %r = smp.neg %a0 : tensor<4xf32>
    smp.return %r : tensor<4xf32>
  }
  %0 = smp.group whole(%l) : (tensor<57345xf32>) -> tensor<8x10xf64> {
  ^bb0(%a: tensor<57345xf32>):
    %r = smp.statistics %a : (tensor<57345xf32>) -> tensor<8x10xf64>
    smp.return %r : tensor<8x10xf64>
  }
  %1 = smp.group whole(%m) : (tensor<65536xf32>) -> tensor<8x10xf64> {
  ^bb0(%a: tensor<65536xf32>):
    %r = smp.statistics %a : (tensor<65536xf32>) -> tensor<8x10xf64>
    smp.return %r : tensor<8x10xf64>
  }
  %2 = smp.group whole(%s) : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %r = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %r : tensor<1x10xf64>
  }
  smp.return %0, %1, %2, %m, %t : tensor<8x10xf64>, tensor<8x10xf64>, tensor<1x10xf64>, tensor<65536xf32>, tensor<4xf32>
}
}

// -----

// A group has no more ops than its target wants.
module attributes {smp.targets = [#smp.target<"cpu", whole = ["statistics"], group_ops = 2>]} {
// CHECK-LABEL: smp.stage @limited
// CHECK: %[[FIRST:.*]]:2 = smp.group whole(%arg0, %arg1)
// CHECK: %[[SHOWN:.*]] = smp.reshape %[[FIRST]]#0
// CHECK: %[[LAST:.*]] = smp.group whole(%arg2) : (tensor<9000xf32>)
// CHECK: smp.return %[[SHOWN]], %[[FIRST]]#1, %[[LAST]]
smp.stage @limited(%x: tensor<4xf32>, %y: tensor<2x2xf32>, %z: tensor<9000xf32>) -> (tensor<1x1x10xf64>, tensor<1x10xf64>, tensor<2x10xf64>, tensor<4xf32>, tensor<2x2xf32>, tensor<9000xf32>)
    attributes {partition = 0 : i64, unit = #smp.unit<forward>} {
  %0 = smp.group whole(%x) : (tensor<4xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<4xf32>):
    %s = smp.statistics %a : (tensor<4xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  %shown = smp.reshape %0 : tensor<1x10xf64> to tensor<1x1x10xf64>
  %1 = smp.group whole(%y) : (tensor<2x2xf32>) -> tensor<1x10xf64> {
  ^bb0(%a: tensor<2x2xf32>):
    %s = smp.statistics %a : (tensor<2x2xf32>) -> tensor<1x10xf64>
    smp.return %s : tensor<1x10xf64>
  }
  %2 = smp.group whole(%z) : (tensor<9000xf32>) -> tensor<2x10xf64> {
  ^bb0(%a: tensor<9000xf32>):
    %s = smp.statistics %a : (tensor<9000xf32>) -> tensor<2x10xf64>
    smp.return %s : tensor<2x10xf64>
  }
  smp.return %shown, %1, %2, %x, %y, %z : tensor<1x1x10xf64>, tensor<1x10xf64>, tensor<2x10xf64>, tensor<4xf32>, tensor<2x2xf32>, tensor<9000xf32>
}
}
