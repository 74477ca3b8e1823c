// What passes make of a target's traits. Each partition has its own target.

// RUN: smp-opt %s --smp-decompose --smp-pack-products --smp-form-groups --split-input-file | FileCheck %s

// Composites are kept whole, and products as they are, where the target says so.
// CHECK-LABEL: module @whole
module @whole attributes {smp.partitions = 2 : i64, smp.targets = [
    #smp.target<"a", whole = ["softmax"]>, #smp.target<"b", packed_bytes = 64>]} {
// CHECK: smp.group whole
// CHECK: smp.softmax
// CHECK: smp.group loop
// CHECK: smp.dot_general
// CHECK-NOT: smp.softmax
// CHECK: smp.group pack
// CHECK: smp.pack %{{.*}} : (tensor<1x16x24xf32>) -> tensor<512xf32>
// CHECK: smp.packed_matmul
smp.entry @f(%x: tensor<16x16xf32> {smp.name = "x"}, %w: tensor<16x24xf32> {smp.name = "w"}) -> (tensor<16x24xf32> {smp.name = "a"}, tensor<16x24xf32> {smp.name = "b"}) {
  %0 = smp.softmax %x {axis = 1 : i64, smp.placement = #smp.placement<0, user>} : tensor<16x16xf32>
  %1 = smp.dot_general %0, %w {smp.placement = #smp.placement<0, user>, lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<16x16xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
  %2 = smp.softmax %x {axis = 1 : i64, smp.placement = #smp.placement<1, user>} : tensor<16x16xf32>
  %3 = smp.dot_general %2, %w {smp.placement = #smp.placement<1, user>, lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<16x16xf32>, tensor<16x24xf32>) -> tensor<16x24xf32>
  smp.return %1, %3 : tensor<16x24xf32>, tensor<16x24xf32>
}
}

// -----

// Nothing joins a group of a strategy that does not fuse.
// CHECK-LABEL: module @alone
module @alone attributes {smp.targets = [#smp.target<"a", fused = []>]} {
// CHECK-COUNT-3: smp.group loop
// CHECK-NOT: smp.group
smp.entry @f(%x: tensor<16xf32> {smp.name = "x"}) -> (tensor<16xf32> {smp.name = "y"}) {
  %0 = smp.exp %x : tensor<16xf32>
  %1 = smp.tanh %0 : tensor<16xf32>
  %2 = smp.exp %1 : tensor<16xf32>
  smp.return %2 : tensor<16xf32>
}
}

// -----

// CHECK-LABEL: module @few
module @few attributes {smp.targets = [#smp.target<"a", group_ops = 2>]} {
// CHECK-COUNT-2: smp.group loop
// CHECK-NOT: smp.group
smp.entry @f(%x: tensor<16xf32> {smp.name = "x"}) -> (tensor<16xf32> {smp.name = "y"}) {
  %0 = smp.exp %x : tensor<16xf32>
  %1 = smp.tanh %0 : tensor<16xf32>
  %2 = smp.exp %1 : tensor<16xf32>
  smp.return %2 : tensor<16xf32>
}
}

// -----

// Rows of 64 bits are reduced with narrower ones only where that keeps the order
// of sums.
// CHECK-LABEL: module @apart
module @apart attributes {smp.targets = [#smp.target<"a">]} {
// CHECK-COUNT-2: smp.group row
// CHECK-NOT: smp.group row
smp.entry @f(%x: tensor<4x16xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}, tensor<4xf64> {smp.name = "z"}) {
  %0 = smp.exp %x : tensor<4x16xf32>
  %1 = smp.reduce sum %0 {dimensions = array<i64: 1>} : (tensor<4x16xf32>) -> tensor<4xf32>
  %2 = smp.convert %0 : tensor<4x16xf32> to tensor<4x16xf64>
  %3 = smp.reduce sum %2 {dimensions = array<i64: 1>} : (tensor<4x16xf64>) -> tensor<4xf64>
  smp.return %1, %3 : tensor<4xf32>, tensor<4xf64>
}
}

// -----

// CHECK-LABEL: module @mixed
module @mixed attributes {smp.targets = [#smp.target<"a", mixes_widths = true>]} {
// CHECK-COUNT-1: smp.group row
// CHECK-NOT: smp.group row
smp.entry @f(%x: tensor<4x16xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}, tensor<4xf64> {smp.name = "z"}) {
  %0 = smp.exp %x : tensor<4x16xf32>
  %1 = smp.reduce sum %0 {dimensions = array<i64: 1>} : (tensor<4x16xf32>) -> tensor<4xf32>
  %2 = smp.convert %0 : tensor<4x16xf32> to tensor<4x16xf64>
  %3 = smp.reduce sum %2 {dimensions = array<i64: 1>} : (tensor<4x16xf64>) -> tensor<4xf64>
  smp.return %1, %3 : tensor<4xf32>, tensor<4xf64>
}
}

// -----

// A composite that is kept whole joins nothing, and nothing joins it.
// CHECK-LABEL: module @kept
module @kept attributes {smp.targets = [#smp.target<"a", whole = ["gelu"]>]} {
// CHECK: smp.group loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT: smp.exp
// CHECK-NEXT: smp.return
// CHECK: smp.group whole
// CHECK-NEXT: ^bb0
// CHECK-NEXT: smp.gelu
// CHECK-NEXT: smp.return
// CHECK: smp.group loop
// CHECK-NEXT: ^bb0
// CHECK-NEXT: smp.exp
smp.entry @f(%x: tensor<16xf32> {smp.name = "x"}) -> (tensor<16xf32> {smp.name = "y"}) {
  %0 = smp.exp %x : tensor<16xf32>
  %1 = smp.gelu %0 : tensor<16xf32>
  %2 = smp.exp %1 : tensor<16xf32>
  smp.return %2 : tensor<16xf32>
}
}

// -----

// What runs everywhere is formed as every target takes it.
// CHECK-LABEL: module @everywhere
module @everywhere attributes {smp.partitions = 2 : i64, smp.targets = [
    #smp.target<"a", whole = ["gelu"], group_ops = 2>, #smp.target<"b">]} {
// CHECK-NOT: smp.gelu
// CHECK: smp.return
smp.entry @f(%x: tensor<16xf32> {smp.name = "x"}) -> (tensor<16xf32> {smp.name = "y"}) {
  %0 = smp.gelu %x {smp.placement = #smp.placement<all, user>} : tensor<16xf32>
  smp.return %0 : tensor<16xf32>
}
}

// -----

// The op, not the group that it would join, is what must be fused.
// CHECK-LABEL: module @rows
module @rows attributes {smp.targets = [#smp.target<"a", fused = [#smp.strategy<loop>]>]} {
// CHECK: smp.group loop
// CHECK: smp.group row
smp.entry @f(%x: tensor<4x16xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %0 = smp.exp %x : tensor<4x16xf32>
  %1 = smp.reduce sum %0 {dimensions = array<i64: 1>} : (tensor<4x16xf32>) -> tensor<4xf32>
  smp.return %1 : tensor<4xf32>
}
}

// -----

// What does not fit a tensor with its padding is not packed.
// CHECK-LABEL: module @large
module @large attributes {smp.targets = [#smp.target<"a", packed_bytes = 1048576>]} {
// CHECK-NOT: smp.pack
// CHECK: smp.dot_general
smp.entry @f(%x: tensor<4x288230376151711744xf32> {smp.name = "x"}, %w: tensor<288230376151711744x4xf32> {smp.name = "w"}) -> (tensor<4x4xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<4x288230376151711744xf32>, tensor<288230376151711744x4xf32>) -> tensor<4x4xf32>
  smp.return %0 : tensor<4x4xf32>
}
}
