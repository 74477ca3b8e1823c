// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A result is summed in order of depth, by fused multiply-adds, and goes through
// what follows it.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<216xf32, 1>
// CHECK-SAME: smp.block = array<i32: 128>
// CHECK-SAME: smp.grid = array<i64: 3, 1, 1>
// CHECK: %[[SUM:.*]] = scf.for %[[K:.*]] = %c0 to %c24 step %c1 iter_args(%[[PART:.*]] = %cst) -> (f32) {
// CHECK: %[[A:.*]] = memref.load
// CHECK: %[[B:.*]] = memref.load
// CHECK: %[[NEXT:.*]] = llvm.intr.fmuladd(%[[A]], %[[B]], %[[PART]]) : (f32, f32, f32) -> f32
// CHECK: scf.yield %[[NEXT]] : f32
// CHECK: %[[NEG:.*]] = arith.negf %[[SUM]] : f32
// CHECK: memref.store %[[NEG]]
smp.entry @f(%x: tensor<9x24xf32> {smp.name = "x"}, %w: tensor<24x40xf32> {smp.name = "w"}) -> (tensor<9x40xf32> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<9x24xf32>, tensor<24x40xf32>) -> tensor<9x40xf32>
  %1 = smp.neg %0 : tensor<9x40xf32>
  smp.return %1 : tensor<9x40xf32>
}
