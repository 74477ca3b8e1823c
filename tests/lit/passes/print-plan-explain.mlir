// What a plan would be without a pin, with an op on the other side of the border,
// and without the limit.
// RUN: rm -rf %t && split-file %s %t
// RUN: smp-opt %t/chain.mlir --smp-partition --smp-print-plan=explain -o /dev/null 2>&1 | FileCheck %s
// CHECK: bottleneck [[NOW:[0-9.]+]] ms
// CHECK: the bottleneck is [[NOW]] ms; it would be:
// CHECK-NEXT: without a pin:
// CHECK-NEXT: 'first' on 1: without it {{[0-9.]+}} ms, no placement is below {{[0-9.]+}} ms
// CHECK-NEXT: moved over the border, one at a time:
// CHECK: {{'third' from 0 to 1|'second' from}}{{.*}} ms{{$}}
// CHECK-NOT: limit

// RUN: smp-opt %t/free.mlir --smp-partition --smp-print-plan=explain -o /dev/null 2>&1 | FileCheck %s --check-prefix=FREE
// FREE: without a pin: there is none
// FREE-NEXT: moved over the border, one at a time: nothing can be

// Two weights do not fit one partition.
// RUN: smp-opt %t/heavy.mlir --smp-partition=memory-limit=150000 --smp-print-plan="explain memory-limit=150000" -o /dev/null 2>&1 | FileCheck %s --check-prefix=BINDS
// BINDS: without the memory limit of 146.5 KiB per partition: {{[0-9.]+}} ms; the limit binds
// RUN: smp-opt %t/heavy.mlir --smp-partition=memory-limit=2000000 --smp-print-plan="explain memory-limit=2000000" -o /dev/null 2>&1 | FileCheck %s --check-prefix=LOOSE
// LOOSE: without the memory limit of 1.9 MiB per partition: {{[0-9.]+}} ms; the limit does not bind

//--- chain.mlir
module attributes {smp.partitions = 2 : i64} {
smp.variable @w1 parameter : tensor<128x128xf32> = #smp.splat<1.0>
smp.variable @w2 parameter : tensor<128x128xf32> = #smp.splat<1.0>
smp.variable @w3 parameter : tensor<128x128xf32> = #smp.splat<1.0>
smp.entry @predict(%x: tensor<64x128xf32> {smp.name = "x"}) -> (tensor<64x128xf32> {smp.name = "y"}) {
  %w1 = smp.read @w1 : tensor<128x128xf32>
  %w2 = smp.read @w2 : tensor<128x128xf32>
  %w3 = smp.read @w3 : tensor<128x128xf32>
  %1 = smp.dot_general %x, %w1 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, smp.placement = #smp.placement<1, user>}
     : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32> loc("first")
  %2 = smp.dot_general %1, %w2 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
     : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32> loc("second")
  %3 = smp.dot_general %2, %w3 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
     : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32> loc("third")
  smp.return %3 : tensor<64x128xf32>
}
}

//--- free.mlir
module attributes {smp.partitions = 2 : i64} {
smp.entry @predict(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x : tensor<4xf32> loc("a")
  smp.return %a : tensor<4xf32>
}
}

//--- heavy.mlir
module attributes {smp.partitions = 2 : i64} {
smp.variable @w1 parameter : tensor<128x128xf32> = #smp.splat<1.0>
smp.variable @w2 parameter : tensor<128x128xf32> = #smp.splat<1.0>
smp.entry @predict(%x: tensor<64x128xf32> {smp.name = "x"}) -> (tensor<64x64xf32> {smp.name = "y"}) {
  %w1 = smp.read @w1 : tensor<128x128xf32>
  %w2 = smp.read @w2 : tensor<128x128xf32>
  %1 = smp.dot_general %x, %w1 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
     : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  %2 = smp.dot_general %1, %w2 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
     : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  %c0 = smp.dot_general %2, %2 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 1>}
     : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x64xf32>
  %c1 = smp.dot_general %c0, %c0 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c2 = smp.dot_general %c1, %c1 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c3 = smp.dot_general %c2, %c2 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c4 = smp.dot_general %c3, %c3 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c5 = smp.dot_general %c4, %c4 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c6 = smp.dot_general %c5, %c5 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c7 = smp.dot_general %c6, %c6 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %c8 = smp.dot_general %c7, %c7 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  smp.return %c8 : tensor<64x64xf32>
}
}
