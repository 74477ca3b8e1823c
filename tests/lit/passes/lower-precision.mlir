// Products take and give 16 bits; what is around them stays as it is.
// RUN: smp-opt %s --smp-lower-precision | FileCheck %s

smp.variable @w parameter : tensor<4x4xf32> = #smp.splat<1.0>

// CHECK-LABEL: smp.entry @train
// CHECK-SAME: (%[[X:.*]]: tensor<2x4xf32>
// CHECK-NOT: smp.precision
smp.entry @train(%x: tensor<2x4xf32> {smp.name = "x"}) -> (tensor<2x4xf32> {smp.name = "y"})
    attributes {smp.precision = bf16} {
  // An operand is converted once.
  // CHECK: %[[XH:.*]] = smp.convert %[[X]] {smp.placement = #smp.placement<1, propagated>} : tensor<2x4xf32> to tensor<2x4xbf16>
  // CHECK-NEXT: %[[W:.*]] = smp.read @w : tensor<4x4xf32>
  // CHECK-NEXT: %[[WH:.*]] = smp.convert %[[W]] {smp.placement = #smp.placement<1, propagated>} : tensor<4x4xf32> to tensor<4x4xbf16>
  %w = smp.read @w : tensor<4x4xf32>
  // CHECK-NEXT: %[[AH:.*]] = smp.dot_general %[[XH]], %[[WH]] {{.*}}: (tensor<2x4xbf16>, tensor<4x4xbf16>) -> tensor<2x4xbf16>
  // CHECK-NEXT: %[[A:.*]] = smp.convert %[[AH]] {smp.placement = #smp.placement<1, propagated>} : tensor<2x4xbf16> to tensor<2x4xf32>
  %a = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, smp.placement = #smp.placement<1, user>} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: %[[BH:.*]] = smp.dot_general %[[XH]], %[[WH]]
  // CHECK-NEXT: %[[B:.*]] = smp.convert %[[BH]]
  %b = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: smp.add %[[A]], %[[B]] : tensor<2x4xf32>
  %y = smp.add %a, %b : tensor<2x4xf32>
  smp.return %y : tensor<2x4xf32>
}

// Without the attribute, and with other types, nothing happens.
// CHECK-LABEL: smp.entry @double
// CHECK-NOT: smp.convert
smp.entry @double(%x: tensor<2x4xf64> {smp.name = "x"}) -> (tensor<2x2xf64> {smp.name = "y"})
    attributes {smp.precision = f16} {
  %y = smp.dot_general %x, %x {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>} : (tensor<2x4xf64>, tensor<2x4xf64>) -> tensor<2x2xf64>
  smp.return %y : tensor<2x2xf64>
}
