// What frees most bytes per second is computed again, as much as the limit asks
// for. In the order simple each of three values is kept for 4 microbatches.
// RUN: smp-opt %s "--smp-choose-recompute=pipeline=simple memory-limit=200000" 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: smp-opt %s "--smp-choose-recompute=pipeline=simple memory-limit=120000" 2>&1 | FileCheck %s --check-prefix=MORE
// RUN: smp-opt %s "--smp-choose-recompute=pipeline=simple memory-limit=220000" 2>&1 | FileCheck %s --check-prefix=FITS
// RUN: not smp-opt %s "--smp-choose-recompute=pipeline=simple memory-limit=20000" 2>&1 | FileCheck %s --check-prefix=NEVER

// REMARK: remark: partition 0 computes 1 of 3 values again for its gradients: keeps 65536 bytes less for 0.002 ms per microbatch
// REMARK: note: an unnamed smp.exp: 65536 bytes less for 0.002 ms
// CHECK-LABEL: smp.entry @train
// CHECK: smp.dot_general {{.*}}#smp.placement<0, solver>} :
// CHECK-NEXT: smp.exp {{.*}}smp.recompute}
// CHECK-NEXT: smp.dot_general {{.*}}#smp.placement<0, solver>} :

// A product is dear.
// MORE: remark: partition 0 computes 2 of 3 values again
// MORE: smp.exp {{.*}}smp.recompute}

// FITS-NOT: remark
// FITS-NOT: smp.recompute

// NEVER: error: partition 0 needs 212996 bytes, and {{[0-9]+}} at the least where activations are computed again; the memory limit is 20000 bytes per partition: raise it, use more partitions, or make microbatches smaller or fewer at a time
module attributes {smp.partitions = 1 : i64} {
smp.variable @w parameter : tensor<64x64xf32> = #smp.splat<0.0>
smp.entry @train(%x: tensor<64x64xf32> {smp.name = "x"}) -> (tensor<f32> {smp.name = "y"})
    attributes {smp.microbatches = 4 : i64} {
  %w = smp.read @w : tensor<64x64xf32> {smp.placement = #smp.placement<0, solver>}
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, smp.placement = #smp.placement<0, solver>}
     : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = smp.exp %0 {smp.placement = #smp.placement<0, solver>} : tensor<64x64xf32>
  %2 = smp.dot_general %1, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>, smp.placement = #smp.placement<0, solver>}
     : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = smp.mul %0, %1 {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_input>} : tensor<64x64xf32>
  %4 = smp.mul %3, %2 {smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_input>} : tensor<64x64xf32>
  %5 = smp.reduce sum %4 {dimensions = array<i64: 0, 1>, smp.placement = #smp.placement<0, solver>, smp.unit = #smp.unit<backward_input>}
     : (tensor<64x64xf32>) -> tensor<f32>
  smp.return %5 : tensor<f32>
}
}
