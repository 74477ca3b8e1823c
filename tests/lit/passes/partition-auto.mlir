// Mode auto: pins are kept, even against the order of the graph; the rest is
// balanced, with the ops of a variable together.
// RUN: smp-opt %s --smp-place | FileCheck %s
// RUN: smp-opt %s --smp-place=mode=ignore-annotations | FileCheck %s --check-prefix=IGNORE

module attributes {smp.partitions = 2 : i64} {
smp.variable @w0 parameter : tensor<512x512xf32> = #smp.splat<0.0>
smp.variable @w1 parameter : tensor<512x512xf32> = #smp.splat<0.0>

// The second half is pinned to partition 0, so the first half goes to 1.
// CHECK-LABEL: smp.entry @predict
// IGNORE-LABEL: smp.entry @predict
smp.entry @predict(%x: tensor<64x512xf32> {smp.name = "x"})
    -> (tensor<64x512xf32> {smp.name = "y"}) {
  // CHECK: smp.read @w0 {{.*}}#smp.placement<1, solver>
  // IGNORE: smp.read @w0 {{.*}}#smp.placement<0, solver>
  %w0 = smp.read @w0 : tensor<512x512xf32>
  // CHECK: smp.read @w1 {{.*}}#smp.placement<0, propagated>
  // IGNORE: smp.read @w1 {{.*}}#smp.placement<1, solver>
  %w1 = smp.read @w1 : tensor<512x512xf32>
  // CHECK: smp.dot_general {{.*}}#smp.placement<1, solver>
  // IGNORE: smp.dot_general {{.*}}#smp.placement<0, solver>
  %0 = smp.dot_general %x, %w0 {lhs_batch = array<i64>, rhs_batch = array<i64>,
         lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
     : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
  // CHECK: smp.relu {{.*}}#smp.placement<1, solver>
  // IGNORE: smp.relu {{.*}}solver>
  %1 = smp.relu %0 : tensor<64x512xf32>
  // CHECK: smp.dot_general {{.*}}#smp.placement<0, user>
  // IGNORE: smp.dot_general {{.*}}#smp.placement<1, solver>
  %2 = smp.dot_general %1, %w1 {lhs_batch = array<i64>, rhs_batch = array<i64>,
         lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>,
         smp.placement = #smp.placement<0, user>}
     : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
  // A constant goes where it is used; it is never sent.
  // CHECK: smp.constant {{.*}}#smp.placement<0, propagated>
  %c = smp.constant dense<1.0> : tensor<64x512xf32>
  // CHECK: smp.add {{.*}}#smp.placement<0, solver>
  // IGNORE: smp.add {{.*}}#smp.placement<1, solver>
  %3 = smp.add %2, %c : tensor<64x512xf32>
  // What is on all partitions is not the solver's to place.
  // CHECK: smp.exp {{.*}}#smp.placement<all, user>
  // IGNORE: smp.exp {{.*}}#smp.placement<all, user>
  %4 = smp.exp %3 {smp.placement = #smp.placement<all, user>} : tensor<64x512xf32>
  smp.return %4 : tensor<64x512xf32>
}

// An entry that shares the variables follows.
// CHECK-LABEL: smp.entry @first_half
smp.entry @first_half(%x: tensor<1x512xf32> {smp.name = "x"})
    -> (tensor<1x512xf32> {smp.name = "y"}) {
  // CHECK-NEXT: smp.read @w0 {{.*}}#smp.placement<1, solver>
  %w0 = smp.read @w0 : tensor<512x512xf32>
  // CHECK-NEXT: smp.dot_general {{.*}}#smp.placement<1, solver>
  %0 = smp.dot_general %x, %w0 {lhs_batch = array<i64>, rhs_batch = array<i64>,
         lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
     : (tensor<1x512xf32>, tensor<512x512xf32>) -> tensor<1x512xf32>
  smp.return %0 : tensor<1x512xf32>
}
}
