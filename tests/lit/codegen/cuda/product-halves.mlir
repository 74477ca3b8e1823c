// RUN: smp-opt %s --smp-form-groups "--smp-emit-kernels=target=cuda level=sm_80" --canonicalize --cse | FileCheck %s

// Floats of 16 bits stay so in shared memory: a word has two that follow each
// other in depth. Eight of them are read at once; along the side two rows are
// interleaved. They are widened in registers, and summed as f32.
// CHECK: memref.global "private" @k0_sm_80_shared0 : memref<576xi32, 3> = uninitialized {alignment = 16 : i64}
// CHECK: memref.global "private" @k0_sm_80_shared1 : memref<576xi32, 3> = uninitialized {alignment = 16 : i64}
// CHECK-LABEL: func.func @k0_sm_80(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<1536xi16, 1>
// CHECK-SAME: %[[W:[a-z0-9]+]]: memref<2304xi16, 1>
// CHECK: scf.for %{{.*}} = %c1 to %c3 step %c1
// CHECK: %[[PAIRS:.*]] = vector.load %[[X]]{{.*}} {alignment = 16 : i64} : memref<1536xi16, 1>, vector<8xi16>
// CHECK: vector.bitcast %[[PAIRS]] : vector<8xi16> to vector<4xi32>
// CHECK: scf.if
// CHECK: vector.load %[[W]]{{.*}} {alignment = 16 : i64} : memref<2304xi16, 1>, vector<8xi16>
// CHECK: vector.shuffle
// CHECK: vector.load %{{.*}} {alignment = 16 : i64} : memref<576xi32, 3>, vector<4xi32>
// CHECK: arith.shli
// CHECK-COUNT-256: llvm.intr.fmuladd({{.*}}) : (f32, f32, f32) -> f32
smp.entry @f(%x: tensor<32x48xbf16> {smp.name = "x"}, %w: tensor<48x48xbf16> {smp.name = "w"}) -> (tensor<32x48xbf16> {smp.name = "y"}) {
  %0 = smp.dot_general %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<32x48xbf16>, tensor<48x48xbf16>) -> tensor<32x48xbf16>
  smp.return %0 : tensor<32x48xbf16>
}
