// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// A thread per element, as many as whole warps have; what is broadcast is read
// where it lies. Indices need no more than 32 bits.
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<60xf32, 1> {llvm.align = 16 : i64, llvm.noalias}, %[[Y:[a-z0-9]+]]: memref<20xf32, 1> {llvm.align = 16 : i64, llvm.noalias}, %[[Z:[a-z0-9]+]]: memref<60xf32, 1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias}, %{{.*}}: !llvm.ptr<1> {llvm.align = 16 : i64, llvm.noalias})
// CHECK-SAME: smp.block = array<i32: 64>
// CHECK-SAME: smp.fault_records = 0
// CHECK-SAME: smp.grid = array<i64: 1, 1, 1>
// CHECK-SAME: smp.index_bits = 32
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x range <i32, 0, 64> : i32
// CHECK: %[[T:.*]] = arith.index_castui %[[TID]] : i32 to index
// CHECK: %[[IN:.*]] = arith.cmpi ult, %[[T]], %c60 : index
// CHECK: scf.if %[[IN]] {
// CHECK: %[[COLUMN:.*]] = arith.remui %[[T]], %c20 : index
// CHECK: %[[LEFT:.*]] = memref.load %[[X]][%{{.*}}] : memref<60xf32, 1>
// CHECK: %[[RIGHT:.*]] = memref.load %[[Y]][%[[COLUMN]]] : memref<20xf32, 1>
// CHECK: %[[SUM:.*]] = arith.addf %[[LEFT]], %[[RIGHT]] : f32
// CHECK: %[[NEG:.*]] = arith.negf %[[SUM]] : f32
// CHECK: memref.store %[[NEG]], %[[Z]]
smp.entry @f(%x: tensor<3x20xf32> {smp.name = "x"}, %y: tensor<20xf32> {smp.name = "y"}) -> (tensor<3x20xf32> {smp.name = "z"}) {
  %b = smp.broadcast %y {dimensions = array<i64: 1>} : tensor<20xf32> to tensor<3x20xf32>
  %s = smp.add %x, %b : tensor<3x20xf32>
  %z = smp.neg %s : tensor<3x20xf32>
  smp.return %z : tensor<3x20xf32>
}
