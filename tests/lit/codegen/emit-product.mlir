// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// A tile of 4 rows by 2 vectors is kept in registers over the whole depth; what
// follows a product is done before it is stored.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<32xf32> {llvm.noalias}, %[[P:[a-z0-9]+]]: memref<256xf32> {llvm.noalias}, %[[C:[a-z0-9]+]]: memref<20xf32> {llvm.noalias}, %[[Y:[a-z0-9]+]]: memref<80xf32> {llvm.noalias}
// CHECK: %[[SUMS:.*]]:8 = scf.for %{{.*}} = %c0 to %c8 step %c1
// CHECK-COUNT-2: vector.load %[[P]][{{.*}}] : memref<256xf32>, vector<8xf32>
// CHECK: %[[ONE:.*]] = memref.load %[[A]]
// CHECK: %[[ROW:.*]] = vector.broadcast %[[ONE]] : f32 to vector<8xf32>
// CHECK-COUNT-2: llvm.intr.fmuladd(%[[ROW]],
// CHECK: scf.yield
// CHECK: %[[BIAS:.*]] = vector.load %[[C]]
// CHECK: %[[SUM:.*]] = arith.addf %[[SUMS]]#0, %[[BIAS]] : vector<8xf32>
// CHECK: vector.store %[[SUM]], %[[Y]]
smp.entry @f(%a: tensor<4x8xf32> {smp.name = "a"}, %p: tensor<256xf32> {smp.name = "p"}, %c: tensor<20xf32> {smp.name = "c"}) -> (tensor<4x20xf32> {smp.name = "y"}) {
  %0 = smp.packed_matmul %a, %p {columns = 20 : i64} : (tensor<4x8xf32>, tensor<256xf32>) -> tensor<4x20xf32>
  %b = smp.broadcast %c {dimensions = array<i64: 1>} : tensor<20xf32> to tensor<4x20xf32>
  %y = smp.add %0, %b : tensor<4x20xf32>
  smp.return %y : tensor<4x20xf32>
}
