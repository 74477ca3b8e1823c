// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Indices of large tensors have 64 bits.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: smp.block = array<i32: 128>
// CHECK-SAME: smp.grid = array<i64: 1048576, 1, 1>
// CHECK-SAME: smp.index_bits = 64
// CHECK-NOT: scf.if
// CHECK: vector.store
smp.entry @f(%x: tensor<2147483648xi8> {smp.name = "x"}) -> (tensor<2147483648xi8> {smp.name = "y"}) {
  %y = smp.neg %x : tensor<2147483648xi8>
  smp.return %y : tensor<2147483648xi8>
}
