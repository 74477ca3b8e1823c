// RUN: smp-opt %s "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// The record of the op that meets a bad index keeps the lowest; the element is
// read at 0.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[FAULTS:[a-z0-9]+]]: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{[a-z0-9]+}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias})
// CHECK-SAME: smp.fault_records = 2
// CHECK: %[[I:.*]] = memref.load
// CHECK: %[[OUT:.*]] = arith.cmpi uge, %[[I]], %c9_i64 : i64
// CHECK: scf.if %[[OUT]] {
// CHECK: %[[LOW:.*]] = llvm.getelementptr %[[FAULTS]][2]
// CHECK: llvm.atomicrmw min %[[LOW]], %[[I]] monotonic : !llvm.ptr<1>, i64
// CHECK: %[[BOUND:.*]] = llvm.getelementptr %[[FAULTS]][3]
// CHECK: llvm.atomicrmw max %[[BOUND]], %c9_i64 monotonic : !llvm.ptr<1>, i64
// CHECK: arith.select
smp.stage @f(%x: tensor<9x4xf32>, %i: tensor<5xi64>) -> tensor<5x4xf32> attributes {partition = 0 : i64} {
  %0 = smp.group loop(%x, %i) : (tensor<9x4xf32>, tensor<5xi64>) -> tensor<5x4xf32> {
  ^bb0(%a: tensor<9x4xf32>, %b: tensor<5xi64>):
    %n = smp.neg %a : tensor<9x4xf32>
    %g = smp.gather %n, %b {axis = 0 : i64} : (tensor<9x4xf32>, tensor<5xi64>) -> tensor<5x4xf32>
    smp.return %g : tensor<5x4xf32>
  }
  smp.return %0 : tensor<5x4xf32>
}
