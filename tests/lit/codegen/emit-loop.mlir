// RUN: smp-opt %s --split-input-file --smp-form-groups "--smp-emit-kernels=level=v3" --canonicalize --cse | FileCheck %s

// Rows in vectors of a register, what is left of a row one by one; what is
// broadcast is read where it lies.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<60xf32> {llvm.noalias}, %[[Y:[a-z0-9]+]]: memref<20xf32> {llvm.noalias}, %[[Z:[a-z0-9]+]]: memref<60xf32> {llvm.noalias}
// CHECK-SAME: smp.grid = array<i64: 1, 1, 1>
// CHECK-SAME: smp.scratch_bytes = 0
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c3 step %c1 {
// CHECK: scf.for %[[I:.*]] = %c0 to %c2 step %c1 {
// CHECK: %[[LEFT:.*]] = vector.load %[[X]][{{.*}}] : memref<60xf32>, vector<8xf32>
// CHECK: %[[RIGHT:.*]] = vector.load %[[Y]][{{.*}}] : memref<20xf32>, vector<8xf32>
// CHECK: %[[SUM:.*]] = arith.addf %[[LEFT]], %[[RIGHT]] : vector<8xf32>
// CHECK: %[[NEG:.*]] = arith.negf %[[SUM]] : vector<8xf32>
// CHECK: vector.store %[[NEG]], %[[Z]][{{.*}}] : memref<60xf32>, vector<8xf32>
// CHECK: scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK: memref.store %{{.*}}, %[[Z]]
smp.entry @f(%x: tensor<3x20xf32> {smp.name = "x"}, %y: tensor<20xf32> {smp.name = "y"}) -> (tensor<3x20xf32> {smp.name = "z"}) {
  %b = smp.broadcast %y {dimensions = array<i64: 1>} : tensor<20xf32> to tensor<3x20xf32>
  %s = smp.add %x, %b : tensor<3x20xf32>
  %z = smp.neg %s : tensor<3x20xf32>
  smp.return %z : tensor<3x20xf32>
}

// -----

// The vectors of a turn are reduced by one loop, each in its own chain, also
// where what is reduced goes on elementwise.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<3200xf32> {llvm.noalias}
// CHECK: %[[SUMS:.*]]:4 = scf.for %{{.*}} = %c0 to %c100 step %c1 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}, %[[D:.*]] = %{{.*}}) -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>) {
// CHECK-COUNT-4: vector.load %[[X]]
// CHECK: scf.yield
// CHECK: arith.subf %[[SUMS]]#0, %[[SUMS]]#0 : vector<8xf32>
// CHECK: scf.if
// CHECK: scf.for
// CHECK: vector<8xf64>
// CHECK: arith.subf %[[SUMS]]#1, %[[SUMS]]#1 : vector<8xf32>
smp.entry @f(%x: tensor<100x32xf32> {smp.name = "x"}) -> (tensor<32xf32> {smp.name = "z"}) {
  %s = smp.reduce sum %x {dimensions = array<i64: 0>} : (tensor<100x32xf32>) -> tensor<32xf32>
  %z = smp.neg %s : tensor<32xf32>
  smp.return %z : tensor<32xf32>
}

// -----

// What is read along another dimension than it is written goes in squares of
// lines of memory: 16 columns of 16 rows, then the next columns. Rows are those
// that lie side by side in what is read.
// CHECK-LABEL: func.func @k0_v3(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<9216xf32> {llvm.noalias}, %[[Z:[a-z0-9]+]]: memref<9216xf32> {llvm.noalias}
// CHECK: scf.for %[[TURN:.*]] = %c0 to %c6 step %c1 {
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c16 step %c1 {
// CHECK-COUNT-16: memref.load %[[X]]
// CHECK-COUNT-2: vector.store %{{.*}}, %[[Z]]{{.*}} vector<8xf32>
smp.entry @f(%x: tensor<2x48x3x32xf32> {smp.name = "x"}) -> (tensor<32x3x2x48xf32> {smp.name = "z"}) {
  %z = smp.transpose %x {permutation = array<i64: 3, 2, 0, 1>} : (tensor<2x48x3x32xf32>) -> tensor<32x3x2x48xf32>
  smp.return %z : tensor<32x3x2x48xf32>
}

// -----

// Of three matrices the rows that lie side by side in what is read are those of
// one: 32 rows are counted before the next.
// CHECK-LABEL: func.func @k0_v3(
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1 {
// CHECK: scf.for %{{.*}} = %c0 to %c3 step %c1 {
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c1 {
// CHECK: arith.divui %[[ROW:.*]], %c32 : index
// CHECK: arith.remui %[[ROW]], %c32 : index
// CHECK-COUNT-16: memref.load
smp.entry @f(%x: tensor<3x48x32xf32> {smp.name = "x"}) -> (tensor<3x32x48xf32> {smp.name = "z"}) {
  %z = smp.transpose %x {permutation = array<i64: 0, 2, 1>} : (tensor<3x48x32xf32>) -> tensor<3x32x48xf32>
  smp.return %z : tensor<3x32x48xf32>
}
