// What ops say that they take decides, in place of what the target says; and
// how much entries count.
// RUN: smp-opt %s --smp-place | FileCheck %s
// RUN: smp-opt %s --smp-place --smp-print-plan 2>&1 >/dev/null | FileCheck %s --check-prefix=PLAN

// By their sizes the products would be divided in the middle, by what they say
// after the first. The entry `second` counts twice, `never` decides nothing.
// PLAN: 0 1 7.000 ms
// PLAN-NEXT: 1 3 5.002 ms
// PLAN-NEXT: bottleneck 7.0{{.*}} ms, no placement is below 7.0
module attributes {smp.partitions = 2 : i64} {
// CHECK-LABEL: smp.entry @first
smp.entry @first(%x: tensor<8x8xf32> {smp.name = "x"})
    -> (tensor<8x8xf32> {smp.name = "y"}) attributes {smp.weight = 1.0 : f64} {
  // CHECK: smp.dot_general {{.*}}#smp.placement<[[FIRST:[01]]], user>
  %0 = smp.dot_general %x, %x {lhs_batch = array<i64>, rhs_batch = array<i64>,
         lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>,
         smp.seconds = 7.0e-3 : f64, smp.placement = #smp.placement<0, user>}
     : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: smp.dot_general {{.*}}#smp.placement<1, solver>
  %1 = smp.dot_general %0, %0 {lhs_batch = array<i64>, rhs_batch = array<i64>,
         lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>,
         smp.seconds = 1.0e-3 : f64}
     : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  smp.return %1 : tensor<8x8xf32>
}

// CHECK-LABEL: smp.entry @second
smp.entry @second(%x: tensor<8x8xf32> {smp.name = "x"})
    -> (tensor<8x8xf32> {smp.name = "y"}) attributes {smp.weight = 2.0 : f64} {
  // CHECK: smp.exp {{.*}}#smp.placement<1, solver>
  %0 = smp.exp %x {smp.seconds = 2.0e-3 : f64} : tensor<8x8xf32>
  smp.return %0 : tensor<8x8xf32>
}

// CHECK-LABEL: smp.entry @never
smp.entry @never(%x: tensor<8x8xf32> {smp.name = "x"})
    -> (tensor<8x8xf32> {smp.name = "y"}) attributes {smp.weight = 0.0 : f64} {
  %0 = smp.exp %x {smp.seconds = 2.0e-3 : f64} : tensor<8x8xf32>
  smp.return %0 : tensor<8x8xf32>
}
}
