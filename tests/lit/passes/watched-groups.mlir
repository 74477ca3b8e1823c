// Groups are formed as if nobody watched; watchers are in groups of their own.
// RUN: smp-opt %s --smp-lower-taps --smp-form-groups --split-input-file | FileCheck %s

// A product keeps its epilogue, and gives its sums besides.
// CHECK-LABEL: smp.entry @product(
smp.entry @product(%x: tensor<8x16xf32> {smp.name = "x"}, %w: tensor<512xf32> {smp.name = "w"}) -> (tensor<8x16xf32> {smp.name = "y"}) {
  // CHECK: %[[P:.*]]:2 = smp.group product
  // CHECK: %[[H:.*]] = smp.packed_matmul
  // CHECK: %[[Y:.*]] = smp.exp %[[H]]
  // CHECK: smp.return %[[H]], %[[Y]]
  %h = smp.packed_matmul %x, %w {columns = 16 : i64, shared} : (tensor<8x16xf32>, tensor<512xf32>) -> tensor<8x16xf32>
  %y = smp.exp %h : tensor<8x16xf32>
  smp.tap statistics value "h", %h : tensor<8x16xf32>
  // CHECK: smp.group whole(%[[P]]#0
  smp.return %y : tensor<8x16xf32>
}

// -----

// A loop that the product absorbs is computed again for who watches.
// CHECK-LABEL: smp.entry @absorbed(
smp.entry @absorbed(%x: tensor<8x16xf32> {smp.name = "x"}, %w: tensor<512xf32> {smp.name = "w"}, %r: tensor<8x16xf32> {smp.name = "r"}) -> (tensor<8x16xf32> {smp.name = "y"}) {
  %e = smp.exp %r : tensor<8x16xf32>
  %h = smp.packed_matmul %x, %w {columns = 16 : i64, shared} : (tensor<8x16xf32>, tensor<512xf32>) -> tensor<8x16xf32>
  %y = smp.add %h, %e : tensor<8x16xf32>
  // CHECK-DAG: smp.group loop(%arg2)
  // CHECK-DAG: smp.group product
  smp.tap whole value "e", %e : tensor<8x16xf32>
  smp.return %y : tensor<8x16xf32>
}
