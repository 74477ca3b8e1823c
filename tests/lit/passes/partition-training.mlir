// What training keeps of the microbatches under way counts against the limit:
// with the order simple that is of all of them.
// RUN: smp-opt %s "--smp-partition=memory-limit=110000 active-microbatches=1" -o /dev/null
// RUN: not smp-opt %s "--smp-partition=memory-limit=110000 pipeline=simple" -o /dev/null 2>&1 | FileCheck %s
// RUN: smp-opt %s --smp-partition=pipeline=simple "--smp-print-plan=pipeline=simple" 2>&1 >/dev/null | FileCheck %s --check-prefix=PLAN

// What others would compute again is not known.
// RUN: smp-opt %s --smp-partition "--smp-print-plan=memory-limit=1000000" 2>&1 >/dev/null | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: bottleneck {{.*}} ms, how low another placement could be is unknown

// CHECK: error: the ops need {{[0-9]+}} bytes of variables and activations that training keeps, which do not fit 1 partitions under the memory limit of 110000 bytes
// Twice 16 KiB, of 4 microbatches.
// PLAN: partition variables activations working set
// PLAN-NEXT: 0 16.0 KiB 128.0 KiB
module attributes {smp.partitions = 1 : i64} {
smp.variable @w parameter : tensor<64x64xf32> = #smp.splat<0.0>
smp.entry @train(%x: tensor<64x64xf32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"})
    attributes {smp.microbatches = 4 : i64} {
  %w = smp.read @w : tensor<64x64xf32>
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>}
     : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = smp.exp %0 : tensor<64x64xf32>
  // A view of what is kept costs nothing, nor does what only forward ops take.
  %2 = smp.reshape %1 : tensor<64x64xf32> to tensor<4096xf32>
  %3 = smp.sin %1 : tensor<64x64xf32>
  %4 = smp.reduce sum %3 {dimensions = array<i64: 0, 1>} : (tensor<64x64xf32>) -> tensor<f32>
  %5 = smp.mul %0, %1 {smp.unit = #smp.unit<backward_input>} : tensor<64x64xf32>
  %6 = smp.reshape %5 {smp.unit = #smp.unit<backward_input>} : tensor<64x64xf32> to tensor<4096xf32>
  %7 = smp.mul %6, %2 {smp.unit = #smp.unit<backward_input>} : tensor<4096xf32>
  %8 = smp.reduce sum %7 {dimensions = array<i64: 0>, smp.unit = #smp.unit<backward_input>} : (tensor<4096xf32>) -> tensor<f32>
  smp.return %4 : tensor<f32>
}
}
