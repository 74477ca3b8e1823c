// Products of floats get a packed right operand where that pays.
// RUN: smp-opt %s --smp-pack-products | FileCheck %s

// CHECK-LABEL: smp.entry @matmul
// CHECK: %[[W:.*]] = smp.read @w
// CHECK: %[[P:.*]] = smp.pack %{{.*}}smp.placement = #smp.placement<1, propagated>{{.*}}(tensor<1x16x40xf32>)
// CHECK: smp.packed_matmul %{{.*}}, %[[P]] {columns = 40 : i64
smp.variable @w parameter : tensor<16x40xf32> = #smp.splat<1.0>
smp.entry @matmul(%x: tensor<8x16xf32> {smp.name = "x"}) -> (tensor<8x40xf32> {smp.name = "y"}) {
  %w = smp.read @w : tensor<16x40xf32> {smp.placement = #smp.placement<1, user>}
  %y = smp.dot_general %x, %w {smp.placement = #smp.placement<1, user>, lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<8x16xf32>, tensor<16x40xf32>) -> tensor<8x40xf32>
  smp.return %y : tensor<8x40xf32>
}

// One filter per channel has a kernel of its own.
// CHECK-LABEL: smp.entry @depthwise
// CHECK-NOT: smp.pack
// CHECK: smp.depthwise_conv
// CHECK-NOT: smp.conv
smp.variable @d parameter : tensor<8x1x3x3xf32> = #smp.splat<1.0>
smp.entry @depthwise(%x: tensor<1x6x6x8xf32> {smp.name = "x"}) -> (tensor<1x6x6x8xf32> {smp.name = "y"}) {
  %d = smp.read @d : tensor<8x1x3x3xf32>
  %y = smp.conv %x, %d {layout = #smp.layout<channels_last>, strides = array<i64: 1, 1>, low = array<i64: 1, 1>, high = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 8 : i64} : (tensor<1x6x6x8xf32>, tensor<8x1x3x3xf32>) -> tensor<1x6x6x8xf32>
  smp.return %y : tensor<1x6x6x8xf32>
}

// Integers have no packed kernel; a vector by a matrix that changes every step
// would be packed for one use.
// CHECK-LABEL: smp.entry @left
// CHECK-NOT: smp.pack
// CHECK: smp.dot_general {{.*}}tensor<8x16xi32>
// CHECK-NOT: smp.pack
// CHECK: smp.dot_general {{.*}}tensor<1x16xf32>
// CHECK-NOT: smp.pack
// CHECK: smp.return
smp.entry @left(%a: tensor<8x16xi32> {smp.name = "a"}, %b: tensor<16x40xi32> {smp.name = "b"}, %v: tensor<1x16xf32> {smp.name = "v"}, %m: tensor<16x40xf32> {smp.name = "m"}) -> (tensor<8x40xi32> {smp.name = "y"}, tensor<1x40xf32> {smp.name = "z"}) {
  %y = smp.dot_general %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<8x16xi32>, tensor<16x40xi32>) -> tensor<8x40xi32>
  %z = smp.dot_general %v, %m {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<1x16xf32>, tensor<16x40xf32>) -> tensor<1x40xf32>
  smp.return %y, %z : tensor<8x40xi32>, tensor<1x40xf32>
}
