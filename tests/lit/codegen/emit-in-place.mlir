// RUN: smp-opt %s "--smp-emit-kernels=level=v3" | FileCheck %s

// A variable that is written where it is read shares its memory; what is apart
// from it is still said to be.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %{{[a-z0-9]+}}: memref<16xf32>, %{{[a-z0-9]+}}: memref<16xf32> {llvm.noalias}, %{{[a-z0-9]+}}: memref<16xf32>, %
smp.variable @w state : tensor<16xf32> = #smp.splat<0.0>
smp.stage @update(%x: tensor<16xf32>) attributes {partition = 0 : i64} {
  %w = smp.read @w : tensor<16xf32>
  %new = smp.group loop(%w, %x) {smp.in_place = array<i64: 0, 0>} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32> {
  ^bb0(%0: tensor<16xf32>, %1: tensor<16xf32>):
    %2 = smp.sub %0, %1 : tensor<16xf32>
    smp.return %2 : tensor<16xf32>
  }
  smp.assign @w, %new : tensor<16xf32>
  smp.return
}
