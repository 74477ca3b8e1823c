// The figures of a placement, and how far it may be from the best.
// RUN: smp-opt %s --smp-place --smp-print-plan 2>&1 >/dev/null | FileCheck %s
// RUN: not smp-opt %s --smp-print-plan 2>&1 | FileCheck %s --check-prefix=UNPLACED

// CHECK: partition ops compute transfers cut
// CHECK-NEXT: 0 2 0.374 ms 0.021 ms 128.0 KiB
// CHECK-NEXT: 1 1 0.374 ms 0.021 ms 128.0 KiB
// CHECK-NEXT: bottleneck 0.396 ms, no placement is below 0.396 ms
// CHECK-NEXT: placed by: user 1, propagated 1, solver 3; on all partitions 1
// CHECK-NEXT: bytes, as the partitioner counts them:
// CHECK-NEXT: partition variables activations working set
// CHECK-NEXT: 0 1.0 MiB 0 B 128.0 KiB
// CHECK-NEXT: 1 1.0 MiB 0 B 128.0 KiB
// UNPLACED: 'smp.read' op has no placement
module attributes {smp.partitions = 2 : i64} {
smp.variable @w0 parameter : tensor<512x512xf32> = #smp.splat<0.0>
smp.variable @w1 parameter : tensor<512x512xf32> = #smp.splat<0.0>
smp.entry @predict(%x: tensor<64x512xf32> {smp.name = "x"})
    -> (tensor<64x512xf32> {smp.name = "y"}) {
  %w0 = smp.read @w0 : tensor<512x512xf32>
  %w1 = smp.read @w1 : tensor<512x512xf32>
  %0 = smp.dot_general %x, %w0 {lhs_batch = array<i64>, rhs_batch = array<i64>,
         lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
     : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
  %1 = smp.relu %0 : tensor<64x512xf32>
  %2 = smp.dot_general %1, %w1 {lhs_batch = array<i64>, rhs_batch = array<i64>,
         lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>,
         smp.placement = #smp.placement<1, user>}
     : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
  %3 = smp.exp %2 {smp.placement = #smp.placement<all, user>} : tensor<64x512xf32>
  smp.return %3 : tensor<64x512xf32>
}
}
