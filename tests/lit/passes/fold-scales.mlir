// A scale of output features goes into the filter, which is scaled once.
// RUN: smp-opt %s --smp-fold-scales --split-input-file --verify-names | FileCheck %s

// CHECK-LABEL: smp.entry @conv
// CHECK-DAG: %[[W:.*]] = smp.read @w
// CHECK-DAG: %[[S:.*]] = smp.read @s
// CHECK: %[[WIDE:.*]] = smp.broadcast %[[S]] {dimensions = array<i64: 0>{{.*}} to tensor<16x3x1x1xf32>
// CHECK: %[[F:.*]] = smp.mul %[[W]], %[[WIDE]]
// CHECK: %[[C:.*]] = smp.conv %{{.*}}, %[[F]] {{.*}}smp.placement = #smp.placement<1, user>
// CHECK-NEXT: smp.return %[[C]]
smp.variable @w parameter : tensor<16x3x1x1xf32> = #smp.splat<1.0>
smp.variable @s parameter : tensor<16xf32> = #smp.splat<1.0>
smp.entry @conv(%x: tensor<1x3x8x8xf32> {smp.name = "x"}) -> (tensor<1x16x8x8xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<16x3x1x1xf32> {smp.placement = #smp.placement<1, user>}
  %s = smp.read @s : tensor<16xf32> {smp.placement = #smp.placement<1, user>}
  %c = smp.conv %x, %w {smp.placement = #smp.placement<1, user>, strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<16x3x1x1xf32>) -> tensor<1x16x8x8xf32>
  %b = smp.broadcast %s {smp.placement = #smp.placement<1, user>, dimensions = array<i64: 1>} : tensor<16xf32> to tensor<1x16x8x8xf32>
  %y = smp.mul %c, %b {smp.placement = #smp.placement<1, user>} : tensor<1x16x8x8xf32>
  smp.return %y : tensor<1x16x8x8xf32>
}

// -----

// Not when somebody else wants the unscaled sums, and not along another dimension.
// CHECK-LABEL: smp.entry @wanted
// CHECK: %[[C:.*]] = smp.conv
// CHECK: %[[Y:.*]] = smp.mul %[[C]]
// CHECK: smp.return %[[Y]], %[[C]]
// CHECK-LABEL: smp.entry @columns
// CHECK: %[[C:.*]] = smp.conv
// CHECK: %[[Y:.*]] = smp.mul %[[C]]
// CHECK: smp.return %[[Y]]
smp.variable @w parameter : tensor<8x3x1x1xf32> = #smp.splat<1.0>
smp.variable @s parameter : tensor<8xf32> = #smp.splat<1.0>
smp.entry @wanted(%x: tensor<1x3x8x8xf32> {smp.name = "x"}) -> (tensor<1x8x8x8xf32> {smp.name = "y"}, tensor<1x8x8x8xf32> {smp.name = "c"}) {
  %w = smp.read @w : tensor<8x3x1x1xf32>
  %s = smp.read @s : tensor<8xf32>
  %c = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x8x8xf32>
  %b = smp.broadcast %s {dimensions = array<i64: 1>} : tensor<8xf32> to tensor<1x8x8x8xf32>
  %y = smp.mul %c, %b : tensor<1x8x8x8xf32>
  smp.return %y, %c : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>
}
smp.entry @columns(%x: tensor<1x3x8x8xf32> {smp.name = "x"}) -> (tensor<1x8x8x8xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<8x3x1x1xf32>
  %s = smp.read @s : tensor<8xf32>
  %c = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x8x8xf32>
  %b = smp.broadcast %s {dimensions = array<i64: 3>} : tensor<8xf32> to tensor<1x8x8x8xf32>
  %y = smp.mul %c, %b : tensor<1x8x8x8xf32>
  smp.return %y : tensor<1x8x8x8xf32>
}

// -----

// The filter that a step changes stays as it is.
// CHECK-LABEL: smp.entry @trained
// CHECK: %[[C:.*]] = smp.conv
// CHECK: smp.mul %[[C]]
smp.variable @w parameter : tensor<8x3x1x1xf32> = #smp.splat<1.0>
smp.variable @s parameter : tensor<8xf32> = #smp.splat<1.0>
smp.entry @trained(%x: tensor<1x3x8x8xf32> {smp.name = "x"}) -> (tensor<1x8x8x8xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<8x3x1x1xf32>
  %s = smp.read @s : tensor<8xf32>
  %c = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x8x8xf32>
  %b = smp.broadcast %s {dimensions = array<i64: 1>} : tensor<8xf32> to tensor<1x8x8x8xf32>
  %y = smp.mul %c, %b : tensor<1x8x8x8xf32>
  %next = smp.neg %w : tensor<8x3x1x1xf32>
  smp.assign @w, %next : tensor<8x3x1x1xf32>
  smp.return %y : tensor<1x8x8x8xf32>
}

// -----

// Who only watches the unscaled sums does not keep them; their names are listed,
// each once.
// CHECK: module attributes {smp.folded_taps = ["also c", "c"]}
// CHECK-LABEL: smp.entry @watched
// CHECK: %[[C:.*]] = smp.conv
// CHECK-NEXT: smp.tap statistics value "y", %[[C]]
// CHECK-NEXT: smp.return %[[C]]
smp.variable @w parameter : tensor<8x3x1x1xf32> = #smp.splat<1.0>
smp.variable @s parameter : tensor<8xf32> = #smp.splat<1.0>
smp.entry @watched(%x: tensor<1x3x8x8xf32> {smp.name = "x"}) -> (tensor<1x8x8x8xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<8x3x1x1xf32>
  %s = smp.read @s : tensor<8xf32>
  %c = smp.conv %x, %w {strides = array<i64: 1, 1>, low = array<i64: 0, 0>, high = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<8x3x1x1xf32>) -> tensor<1x8x8x8xf32>
  %b = smp.broadcast %s {dimensions = array<i64: 1>} : tensor<8xf32> to tensor<1x8x8x8xf32>
  %y = smp.mul %c, %b : tensor<1x8x8x8xf32>
  smp.tap statistics value "c", %c : tensor<1x8x8x8xf32>
  smp.tap whole value "c", %c : tensor<1x8x8x8xf32>
  smp.tap statistics value "also c", %c : tensor<1x8x8x8xf32>
  smp.tap statistics value "y", %y : tensor<1x8x8x8xf32>
  smp.return %y : tensor<1x8x8x8xf32>
}
